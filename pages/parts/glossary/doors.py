"""On which page and view each term of the glossary is seen: by its group, or by itself where that differs."""

from typing import Any

from core.text.glossary import Term

Door = tuple[str, dict[str, Any]]

GROUPS: tuple[Door, ...] = (
    ("tokens", {"tokens_view": "tokens"}),
    ("architecture", {"arch_view": "shapes"}),
    ("attention", {"see": "heads"}),
    ("decoding", {"view": "steps"}),
    ("experiments", {"experiment": "turns"}),
    ("training", {"train_view": "curves"}),
    ("errors", {"err_view": "examples"}),
)
"""The groups in the order of the file."""
DOORS: tuple[tuple[Door, tuple[str, ...]], ...] = (
    (("summarize", {}), ("dialogue", "turn", "reference", "copied share", "checkpoint")),
    (("tokens", {"tokens_view": "merges"}), ("BPE", "merge", "word-level tokenizer", "sub-word")),
    (("tokens", {"tokens_view": "length"}), ("truncation",)),
    (("tokens", {"tokens_view": "embedding"}), ("embedding",)),
    (("tokens", {"tokens_view": "forcing"}), ("teacher forcing",)),
    (("positions", {"pos_view": "encoding"}), ("position", "positional encoding", "learned positions", "dimension")),
    (
        ("masks", {"masks_view": "batch"}),
        ("batch", "padding", "mask", "padding mask", "look-ahead mask", "target mask"),
    ),
    (("attention_lab", {"lab": "attention"}), ("query", "key", "value", "attention score", "scaling", "softmax")),
    (("attention_lab", {"lab": "scoring"}), ("additive attention", "multiplicative attention")),
    (("attention_lab", {"lab": "block"}), ("residual connection", "layer normalisation", "post-norm", "pre-norm")),
    (("attention", {"see": "inside"}), ("projection", "trace", "replay", "gate")),
    (
        ("attention", {"see": "turns"}),
        ("attention", "attention weight", "cross-attention", "roll-up", "attention sink"),
    ),
    (("attention", {"see": "catalogue"}), ("head catalogue", "effective number of keys")),
    (("attention", {"see": "head", "kind": "cross"}), ("copy head", "copy distribution", "p_gen")),
    (("decoding", {"view": "beam"}), ("beam", "beam search", "beam size", "hypothesis", "length penalty")),
    (("decoding", {"view": "bench"}), ("strategy", "greedy", "sampling", "repetition rule", "seed")),
    (("decoding", {"view": "branches"}), ("prefix", "branch")),
    (("attention", {"see": "head", "kind": "cross"}), ("looks at",)),
    (("attention", {"see": "head", "kind": "cross", "shows": "norms"}), ("carries", "norms")),
    (("attention", {"see": "head", "kind": "cross", "shows": "zeroing"}), ("value zeroing",)),
    (("experiments", {"experiment": "methods", "method": "occlusion"}), ("depends on",)),
    (("experiments", {"experiment": "methods", "method": "contributions"}), ("contributions", "attribution")),
    (("experiments", {"experiment": "methods", "method": "integrated"}), ("integrated gradients",)),
    (("experiments", {"experiment": "methods", "method": "shapley"}), ("Shapley value",)),
    (("experiments", {"experiment": "methods", "method": "reliance"}), ("reliance",)),
    (("experiments", {"experiment": "patching"}), ("patching",)),
    (("experiments", {"experiment": "compare"}), ("deletion and insertion",)),
    (("decoding", {"view": "steps", "voters": "layer"}), ("votes",)),
    (("experiments", {"experiment": "words"}), ("gradient × input", "finite differences", "foil", "gradient")),
    (("experiments", {"experiment": "heads"}), ("ablation", "zero ablation", "mean ablation", "noise floor")),
    (("experiments", {"experiment": "lenses"}), ("logit lens", "DecoderLens")),
    (("training", {"train_view": "schedule"}), ("learning rate", "learning-rate schedule", "warm-up")),
    (("training", {"train_view": "lapse"}), ("snapshot",)),
    (("bertscore", {"bert_view": "matrix"}), ("BERTScore", "cosine similarity", "precision", "recall", "F1", "idf")),
    (("bertscore", {"bert_view": "scores"}), ("ROUGE", "baseline rescaling", "n-gram")),
    (("errors", {"err_view": "hints"}), ("hint", "base rate", "Wilson interval")),
    (("errors", {"err_view": "slices"}), ("slice", "confidence interval")),
    (("errors", {"err_view": "compare"}), ("paired bootstrap",)),
    (("errors", {"err_view": "calibration"}), ("calibration", "Brier score", "expected calibration error")),
)
_OF_TERM = {name: page for page, names in DOORS for name in names}


def door(term: Term) -> Door:
    """Return the page on which a term is seen, and what it shows there."""
    return _OF_TERM.get(term.name) or GROUPS[min(term.group, len(GROUPS) - 1)]
