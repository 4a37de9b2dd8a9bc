"""What generation_config.json asks for, as settings of this project.

The rules are those of transformers 5: the file alone counts; without it the same keys count where they stand in
config.json. A key that changes what is written and that this project does not have is refused by name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.config import MOST_BEAMS, DecodeSettings
from core.errors import CheckpointError, SettingsError
from core.files import table
from core.text.import_notes import way
from core.text.vocabulary import Vocabulary
from core.words import say

LONGEST = 20
"""Tokens that transformers writes where no key says how many."""
_KEYS: Mapping[str, list[str]] = table(__file__)
_REFUSED: Mapping[str, tuple[Any, ...]] = {
    "repetition_penalty": (1.0, None),
    "encoder_repetition_penalty": (1.0, None),
    "encoder_no_repeat_ngram_size": (0, None),
    "diversity_penalty": (0.0, None),
    "num_beam_groups": (1, None),
    "penalty_alpha": (None, 0),
    "begin_suppress_tokens": (None, []),
    "guidance_scale": (None, 1),
    "token_healing": (None, False),
    "renormalize_logits": (None, False),
    **dict.fromkeys(_KEYS["refused"], (None,)),
}
"""Keys that change what is written, with the values that do not."""
_OF_SAMPLING: Mapping[str, tuple[Any, ...]] = {
    "min_p": (None,),
    "top_h": (None,),
    "typical_p": (1.0, None),
    "epsilon_cutoff": (0.0, None),
    "eta_cutoff": (0.0, None),
}
KEYS = frozenset([*_REFUSED, *_OF_SAMPLING, *_KEYS["read"], *_KEYS["without_effect"]])
"""Every key of generation_config.json that is known."""


@dataclass(frozen=True)
class Generation:
    """How a model writes, in the peer's ids.

    Args:
        values: the keys that count.
        start: the id that a target begins with.
        end: the id that ends it.
        pad: the id of padding.
        own: whether to decode as the model asks; else the defaults of this project, with the model's lengths and
            forced, suppressed and special tokens.
        ends: other ids that end a target, too.
    """

    values: Mapping[str, Any]
    start: int
    end: int
    pad: int
    own: bool = True
    ends: tuple[int, ...] = ()

    @property
    def names_longest(self) -> bool:
        """Whether a key says how many tokens are written at most."""
        return any(self.values.get(key) is not None for key in ("max_new_tokens", "max_length"))

    @property
    def shortest(self) -> int:
        """The fewest tokens to write that a key asks for, without the start token."""
        return _whole(self.values, "min_new_tokens", max(_whole(self.values, "min_length", 0) - 1, 0))

    def settings(self) -> DecodeSettings:
        """Return the settings of decoding; raises CheckpointError if a value is not supported."""
        longest, shortest = self._lengths()
        values = self._strategy() if self.own else {}
        try:
            return DecodeSettings(
                max_tokens=longest, min_tokens=shortest, whole_words=False, truncation="end", **values
            )
        except SettingsError as error:
            raise CheckpointError(
                "settings of generation: {error}. {advice}", error=error, advice=way("decoding")
            ) from None

    def forced(self, vocabulary: Vocabulary) -> dict[str, Any]:
        """Return the settings of `ModelConfig` that come from here: tokens that are forced, never written, or end.

        Raises:
            CheckpointError: a token that cannot be written or is none.
        """
        first, last = self.values.get("forced_bos_token_id"), self.values.get("forced_eos_token_id")
        if first is not None and (not _is_id(first, vocabulary) or first in (self.pad, self.end)):
            raise CheckpointError(
                "forced_bos_token_id must be a token that can be written. Received: {first!r}", first=first
            )
        if last is not None and last not in (self.end, [self.end]):
            raise CheckpointError(
                "forced_eos_token_id must be the end token {end} here. Received: {last!r}", end=self.end, last=last
            )
        words = [ids for ids in _listed(self.values, "bad_words_ids") if ids != [self.end]]
        single = [ids[0] for ids in words if isinstance(ids, list) and len(ids) == 1]
        if len(single) < len(words) and self.own:
            raise CheckpointError(
                "bad_words_ids must ban single tokens here. Received: {words!r}. {advice}",
                words=words,
                advice=way("decoding"),
            )
        banned = [*_listed(self.values, "suppress_tokens"), *single]
        for token in banned:
            if not _is_id(token, vocabulary) or token in (self.end, first):
                raise CheckpointError(
                    "a suppressed token must be one that can be left out. Received: {token!r}", token=token
                )
        for token in self.ends:
            if not _is_id(token, vocabulary) or token in (self.pad, self.start):
                raise CheckpointError("an end token must be one that can be written. Received: {token!r}", token=token)
        return {
            "ends": tuple(vocabulary.ours[token] for token in self.ends),
            "forced_first": None if first is None else vocabulary.ours[first],
            "forced_last": last is not None,
            "suppressed": tuple(sorted({vocabulary.ours[token] for token in banned})),
        }

    def _strategy(self) -> dict[str, Any]:
        """Return how the next token is chosen; raises CheckpointError."""
        found = self.values
        beams = _whole(found, "num_beams", 1)
        sampling = bool(_value(found, "do_sample", False))
        if beams > MOST_BEAMS:
            raise CheckpointError(
                "num_beams must be at most {most} here. Received: num_beams={beams}. {advice}",
                most=MOST_BEAMS,
                beams=beams,
                advice=way("decoding"),
            )
        if sampling and beams > 1:
            raise CheckpointError(
                "do_sample with several beams is not supported. Received: num_beams={beams}. {advice}",
                beams=beams,
                advice=way("decoding"),
            )
        size = _whole(found, "no_repeat_ngram_size", 0)
        if size == 1:
            raise CheckpointError(
                "no_repeat_ngram_size must be 0 or from 2 to 10 here. Received: 1. {advice}", advice=way("decoding")
            )
        strategy = "sample" if sampling else "beam" if beams > 1 else "greedy"
        values: dict[str, Any] = {"strategy": strategy, "no_repeat_ngram": size}
        if beams > 1:
            early = _value(found, "early_stopping", False)
            if early not in (True, False):
                raise CheckpointError(
                    "early_stopping must be true or false here. Received: {early!r}. {advice}",
                    early=early,
                    advice=way("decoding"),
                )
            penalty = _number(found, "length_penalty", 1.0)
            values |= {"beam_size": beams, "early_stopping": early, "length_penalty": penalty}
        if sampling:
            values |= {"temperature": _number(found, "temperature", 1.0), "top_p": _number(found, "top_p", 1.0)}
            values["top_k"] = _whole(found, "top_k", 50)
        return values

    def _lengths(self) -> tuple[int, int]:
        """Return the most and the fewest tokens to write; those of the peer count the start token."""
        values = self.values
        instead = LONGEST if self.own else DecodeSettings().max_tokens
        longest = _whole(values, "max_new_tokens", _whole(values, "max_length", instead + 1) - 1)
        shortest = self.shortest
        if shortest >= longest:
            forced = values.get("forced_eos_token_id") is not None
            if not forced and self.own:
                raise CheckpointError(
                    "min_length must be below max_length. Received: {shortest}, {longest}. {advice}",
                    shortest=shortest + 1,
                    longest=longest + 1,
                    advice=way("decoding"),
                )
            shortest = longest - 1 if forced else 0
        return longest, shortest


def read_generation(config: Mapping[str, Any], generation: Mapping[str, Any] | None, own: bool = True) -> Generation:
    """Read how a model writes.

    Args:
        config: content of config.json.
        generation: content of generation_config.json, or None.
        own: whether to decode as the model asks, see `Generation`.

    Raises:
        CheckpointError: a key that is not known or not supported, or no start, end or padding token.
    """
    if generation is None:
        values = {key: value for key, value in config.items() if key in KEYS and value is not None}
        if values.pop("force_bos_token_to_be_generated", config.get("force_bos_token_to_be_generated")):
            values["forced_bos_token_id"] = config.get("bos_token_id")
    else:
        values = dict(generation)
        unknown = sorted(set(values) - KEYS)
        if unknown and own:
            raise CheckpointError(
                "generation_config.json has a setting that is not known here. Received: {key}={value!r}. {advice}",
                key=unknown[0],
                value=values[unknown[0]],
                advice=way("decoding"),
            )
    if not own:
        values = {key: value for key, value in values.items() if key in _KEYS["kept"]}
    _check_supported(values)
    start = values.get("decoder_start_token_id")
    start = values.get("bos_token_id") if start is None else start
    ends = values.get("eos_token_id")
    ends = list(dict.fromkeys(ends)) if isinstance(ends, list) and set(map(type, ends)) == {int} else [ends]
    end = config["eos_token_id"] if config.get("eos_token_id") in ends else ends[0]
    ids: dict[str, Any] = {
        "decoder_start_token_id": start,
        "eos_token_id": end,
        "pad_token_id": config.get("pad_token_id"),
    }
    for key, value in ids.items():
        if type(value) is not int:
            raise CheckpointError("the model must name one {key}. Received: {value!r}", key=key, value=value)
    first, last, padding = (int(value) for value in ids.values())
    return Generation(values, first, last, padding, own, tuple(token for token in ends if token != last))


def task_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what config.json says of summaries under `task_specific_params`, which `generate` does not read."""
    tasks = config.get("task_specific_params")
    task = tasks.get("summarization") if isinstance(tasks, dict) else None
    return {key: value for key, value in task.items() if key in KEYS} if isinstance(task, dict) else {}


def _check_supported(values: Mapping[str, Any]) -> None:
    fixed = {**_REFUSED, **(_OF_SAMPLING if values.get("do_sample") else {})}
    for key, allowed in fixed.items():
        if values.get(key) not in allowed:
            choices = either(allowed)
            raise CheckpointError(
                "{key} is not supported: it must be {said}. Received: {key}={value!r}. {advice}",
                key=key,
                said=choices,
                value=values[key],
                advice=way("decoding"),
            )


def either(values: Sequence[Any]) -> str:
    """Write the values that a setting may have: 1.0 or None."""
    *items, last = map(repr, values)
    return say("{items} or {last}", items=", ".join(items), last=last) if items else last


def _value(values: Mapping[str, Any], key: str, default: Any) -> Any:
    setting = values.get(key)
    return default if setting is None else setting


def _whole(values: Mapping[str, Any], key: str, default: int) -> int:
    setting = _value(values, key, default)
    if type(setting) is not int:
        raise CheckpointError("{key} must be an integer. Received: {key}={found!r}", key=key, found=setting)
    return setting


def _number(values: Mapping[str, Any], key: str, default: float) -> float:
    setting = _value(values, key, default)
    if type(setting) not in (int, float):
        raise CheckpointError("{key} must be a number. Received: {key}={found!r}", key=key, found=setting)
    return float(setting)


def _listed(values: Mapping[str, Any], key: str) -> list[Any]:
    setting = _value(values, key, [])
    if not isinstance(setting, list):
        raise CheckpointError("{key} must be a list. Received: {key}={found!r}", key=key, found=setting)
    return setting


def _is_id(token: Any, vocabulary: Vocabulary) -> bool:
    return type(token) is int and 0 <= token < vocabulary.rows
