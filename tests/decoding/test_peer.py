"""The search against `generate` of Hugging Face Transformers, on the same next-token function: a tiny BART."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from core.config import END, PAD, START
from core.decoding.search import BeamResult, Limits, beam_search
from tests.closeness import same_hypotheses

pytestmark = pytest.mark.numeric
VOCABULARY = 60
FIRST = 7
INPUTS = 6
LENGTH = 12

CASES: list[dict[str, Any]] = [
    {"num_beams": 1, "no_repeat_ngram_size": 2},
    {"num_beams": 1, "forced_bos_token_id": FIRST, "forced_eos_token_id": END, "min_length": 5},
    {"num_beams": 2},
    {"num_beams": 2, "early_stopping": True, "no_repeat_ngram_size": 3, "forced_eos_token_id": END},
    {"num_beams": 4, "length_penalty": 0.0},
    {"num_beams": 4, "length_penalty": 0.6, "no_repeat_ngram_size": 3, "forced_bos_token_id": FIRST},
    {"num_beams": 4, "length_penalty": 2.0, "early_stopping": True, "no_repeat_ngram_size": 2},
    {"num_beams": 4, "length_penalty": 2.0, "min_length": 7, "forced_eos_token_id": END},
    {"num_beams": 4, "early_stopping": True, "suppress_tokens": [*range(30, 50)]},
    {"num_beams": 4, "forced_bos_token_id": FIRST, "forced_eos_token_id": END, "min_length": 4, "length_penalty": 0.6},
    {"num_beams": 5, "early_stopping": True, "length_penalty": 2.0, "min_length": 5},
    {"num_beams": 5, "no_repeat_ngram_size": 3, "suppress_tokens": [*range(10, 20)]},
    {"num_beams": 8, "forced_bos_token_id": FIRST, "forced_eos_token_id": END, "early_stopping": True},
]


@pytest.fixture(scope="module")
def peer() -> Iterator[Any]:
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    torch.manual_seed(0)
    config = BartConfig(
        vocab_size=VOCABULARY, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=48, decoder_ffn_dim=48, max_position_embeddings=32, init_std=0.4,
        pad_token_id=PAD, bos_token_id=FIRST, eos_token_id=END, decoder_start_token_id=START,
    )  # fmt: skip
    model = BartForConditionalGeneration(config).eval()
    model.final_logits_bias[0, END] = 4.0
    with torch.inference_mode():
        yield model


def inputs(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return sources of several lengths, padded, and their mask."""
    random = np.random.default_rng(seed)
    source = random.integers(5, VOCABULARY, (INPUTS, 14))
    mask = np.arange(14) < random.integers(4, 14, (INPUTS, 1))
    return np.where(mask, source, PAD), mask


def of_peer(
    peer: Any, source: np.ndarray, mask: np.ndarray, settings: dict[str, Any]
) -> list[tuple[list[list[int]], list[float] | None]]:
    """Run `generate`, in which what we never write is suppressed.

    Returns:
        Hypotheses of each input, best first, and their scores (None for greedy decoding).
    """
    import torch
    from transformers import GenerationConfig

    never = [PAD, START, *settings.get("suppress_tokens", ())]
    beams = settings["num_beams"]
    more = {"max_length": LENGTH + 1, "num_return_sequences": beams, "suppress_tokens": never}
    special = {"pad_token_id": PAD, "eos_token_id": END, "decoder_start_token_id": START}
    outputs = {"return_dict_in_generate": True, "output_scores": True}
    peer.generation_config = GenerationConfig(**settings | more | special | outputs)
    result = peer.generate(input_ids=torch.tensor(source), attention_mask=torch.tensor(mask.astype(int)))
    rows = result.sequences[:, 1:].tolist()
    ids = [row[: row.index(END) + 1] if END in row else row for row in rows]
    scores = result.sequences_scores.tolist() if beams > 1 else None
    return [(ids[row : row + beams], scores and scores[row : row + beams]) for row in range(0, INPUTS * beams, beams)]


def of_ours(peer: Any, source: np.ndarray, mask: np.ndarray, settings: dict[str, Any]) -> list[BeamResult]:
    """Run our search over the same network; the step reads all that each beam was fed again."""
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    beams = settings["num_beams"]
    masks = torch.tensor(mask.astype(int))
    states = peer.get_encoder()(torch.tensor(source), attention_mask=masks).last_hidden_state
    read, dialogues = np.zeros((INPUTS, 0), dtype=int), np.arange(INPUTS)

    def step(tokens: Any, origins: Any) -> Any:
        nonlocal read, dialogues
        dialogues, read = dialogues[origins], np.concatenate([read[origins], tokens[:, None]], axis=1)
        memory = BaseModelOutput(last_hidden_state=states[dialogues])
        fed = {"decoder_input_ids": torch.tensor(read), "attention_mask": masks[dialogues], "use_cache": False}
        return torch.log_softmax(peer(encoder_outputs=memory, **fed).logits[:, -1], dim=-1).numpy()

    first = settings.get("forced_bos_token_id")
    limits = Limits(
        max_tokens=LENGTH,
        parts=np.zeros(VOCABULARY, dtype=np.int32),
        min_tokens=max(settings.get("min_length", 0) - 1, 0),
        no_repeat_ngram=settings.get("no_repeat_ngram_size", 0),
        prefix=() if first is None else (first,),
        suppressed=settings.get("suppress_tokens", ()),
        certain_first=first is not None,
        certain_last="forced_eos_token_id" in settings,
    )
    penalty, early = settings.get("length_penalty", 1.0), settings.get("early_stopping", False)
    return beam_search(step, source, limits, beams, penalty, early)


def test_hypotheses_and_scores_are_those_of_the_peer(peer: Any, subtests: pytest.Subtests) -> None:
    seen, clear = [], []
    for seed, settings in enumerate(CASES):
        with subtests.test(**settings):
            source = inputs(seed)
            expected, found = of_peer(peer, *source, settings), of_ours(peer, *source, settings)
            clear += [same_hypotheses(ours, *theirs) for theirs, ours in zip(expected, found, strict=True)]
            seen += [each.hypotheses[0].ids for each in found]
    assert {len(ids) for ids in seen} >= {2, 4, LENGTH} and len(set(seen)) > len(seen) / 2
    assert np.mean(clear) > 0.8, "few searches tie"
