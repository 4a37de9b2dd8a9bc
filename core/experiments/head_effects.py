"""The loss of a model's own summaries with attention heads off: single heads, layers, and a whole kind of attention."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING

from core.errors import CorpusError, DialogueError
from core.experiments import ablations
from core.experiments.interventions import Condition, forced
from core.explain.attention.catalogue import Effects
from core.explain.attention.head_outputs import Head, part_name
from core.explain.shared.recomputing import check_blocks

if TYPE_CHECKING:
    from core.config import ModelConfig
    from core.service import Summarizer


def parts(config: "ModelConfig") -> dict[str, tuple[Head, ...]]:
    """Return every part that is switched off, and its heads: "cross", "cross3", "cross3.2" and so on."""
    found: dict[str, tuple[Head, ...]] = {}
    for head in ablations.every_head(config):
        for name in (part_name(head.kind), part_name(head.kind, head.layer), part_name(*head)):
            found[name] = (*found.get(name, ()), head)
    return found


def measure(
    summarizer: "Summarizer",
    dialogues: Iterable[str],
    count: int,
    report: Callable[[int], None] | None = None,
) -> Effects:
    """Score the model's own summaries under teacher forcing with each part off (zero ablation, Michel et al. 2019).

    Args:
        summarizer: a checkpoint with attention heads.
        dialogues: their texts; those that cannot be summarized are left out.
        count: dialogues that are measured at most.
        report: called with the number of finished dialogues.

    Returns:
        For each part the mean loss of log-probability, in nats a token.

    Raises:
        CorpusError: no dialogue could be summarized.
        SettingsError: the model is not a Transformer.
    """
    config = check_blocks(summarizer.config)
    named = parts(config)
    gates = [None, *(ablations.gates(config, heads) for heads in named.values())]
    lost, tokens, measured = dict.fromkeys(named, 0.0), 0, 0
    for dialogue in islice(dialogues, count):
        try:
            encoded = summarizer.encode(dialogue)
        except DialogueError:
            continue
        _, ids = summarizer.write(encoded)
        whole, *without = forced(summarizer, [Condition(encoded, each) for each in gates], ids)
        for name, row in zip(named, without, strict=True):
            lost[name] += float((whole - row).sum())
        tokens, measured = tokens + len(ids), measured + 1
        if report:
            report(measured)
    if not measured:
        raise CorpusError("no dialogue could be summarized: no head was switched off")
    return Effects(measured, tokens, {name: value / tokens for name, value in lost.items()})
