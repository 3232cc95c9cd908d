"""Messages of the library in the words of Python: each begins with the parameter that it is about, if it is about one."""

from __future__ import annotations

import re
from typing import Callable, Union

_KINDS = {
    "float64": "a number", "int": "a whole number", "int64": "a whole number", "uint64": "a whole number >= 0",
    "bool": "True or False", "string": "a text",
}
_FOUND = {"string": "a text", "array": "a list", "object": "a dict", "bool": "True or False"}
# Names of the library, where they are not those of Python.
_NAMES = {"c": "C", "memory": "memory_limit", "threads": "n_jobs", "calibrate": "probability", "tau": "max_loss"}


def _named(name: str) -> str:
    return _NAMES.get(name, name)


def _typed(match: re.Match[str]) -> str:
    return f"{_named(match[2])}: found {_FOUND.get(match[1], match[1])}, want {_KINDS.get(match[3], match[3])}"


def _negative(match: re.Match[str]) -> str:
    """Say which of several limits is negative."""
    pairs = [pair.split() for pair in match[1].split(", ")]
    return "; ".join(f"{_named(name)}: found {value}, want none below 0" for name, value in pairs if value.startswith("-"))


def _listed(match: re.Match[str]) -> str:
    return f"no parameter {_named(match[1])}, only " + ", ".join(map(_named, match[2].split(", ")))


# Each rule is applied once, in this order. A message that no rule knows stays as it is.
_RULES: list[tuple[str, Union[str, Callable[[re.Match[str]], str]]]] = [
    (r"^(?:sparsekm|learn|gram|dataset|model|reduce|distill): ", ""),
    (r"^options: ", ""),
    (r"^json: cannot unmarshal (?:(?:number|string|bool|array|object) )?(\S+) into Go struct field (?:\w+\.)*(\w+) of type (\w+)$",
     _typed),
    (r"^((?:\w+ -?[0-9.e+-]+, )+\w+ -?[0-9.e+-]+): want none below 0$", _negative),
    (r"no parameter (\w+), only (.*)$", _listed),
    (r"^([\w-]+): (\w+) is (.*), want a (float64|int|bool|string)$",
     lambda m: f"{m[1]}: {_named(m[2])} is {m[3]}, want {_KINDS[m[4]]}"),
    (r"^([\w-]+): (\w+) is ", lambda m: f"{m[1]}: {_named(m[2])} is "),
    (r'^no method ("[^"]*") \(have (.*); a Go program.*$', r"method: found \1, want one of \2"),
    (r"^([\w-]+ does not learn )", r"method: \1"),
    (r'^unknown kernel ("[^"]*"), want (.*)', r"kernel: found \1, want \2 or mahalanobis"),
    (r'^unknown scaling ("[^"]*"),', r"scale: found \1,"),
    (r'^unknown scheme ("[^"]*"), want binary,', r"multiclass: found \1, want"),
    (r'^unknown file format ("[^"]*"),', r"format: found \1,"),
    (r"^(scaling \S+, but )", r"scale: \1"),
    (r"^(weight of sample )", r"sample_weight: \1"),
    (r"^a coverage of (\S+), want", r"coverage: found \1, want"),
    (r"^(\d+ samples.*, a coverage of )", r"coverage: \1"),
    (r"^prediction sets of (\S+) folds, want", r"coverage_folds: found \1, want"),
    (r"^(\d+ samples of class .*, want at least one for each of )", r"coverage_folds: \1"),
    (r"^folds for probabilities and prediction sets in one training", "probability and coverage: found both in one training"),
    (r"^(all \d+ samples of class .* were held out)", r"by_class: \1"),
    (r"^(no prediction sets or intervals: train with) conformal calibration", r"coverage: \1 a coverage"),
    (r"^([\w-]+: )(it has no refit)", r"refit: \1\2"),
    (r"^([\w-]+: )refit: (found the kernel )", r"refit: \1\2"),
    (r"^([\w-]+ does not take candidates)", r"candidates: \1"),
    (r"^(\d+ features in the candidates|\d+ candidates to be chosen)", r"candidates: \1"),
    (r"^(the candidates have no labels)", r"candidates_y: \1"),
    (r"^([\w-]+: found the kernel )", r"kernel: \1"),
    (r"^learning widths: (found the kernel )", r"widths: \1"),
    (r"^γ = (\S+) by its rule for these samples: (.*), or give γ$", r"gamma: found \1 by its rule for these samples: \2, or give a number"),
    (r"^(the \w+ kernel of samples .*)lower the kernel's parameters", r"\1lower gamma, degree or coef0"),
    (r"^calibration, (fold)", r"probability, \1"),
    (r"gamma-reg ", "gamma_reg "),
    (r"the memory budget is ", "memory_limit is "),
    (r"give a larger budget or fewer samples$", "give a larger one, or fewer samples"),
    (r"^([\w-]+: stopped before anything was learnt): context deadline exceeded$", r"time_limit: \1"),
    (r"^([\w-]+: stopped before anything was learnt): context canceled$", r"progress: \1"),
    (r"^max_loss and tau: want finite numbers", "max_loss: want a finite number"),
    (r"^error \+(\S+) percentage points: want", r"max_loss: found \1, want"),
    (r"^(vectors do not move: |sparse vectors do not move)", r"move: \1"),
    (r"^move: it stops at max_sv or max_loss, and takes no tau", "move: True stops at max_sv or max_loss, found neither"),
    (r"^found a weight of the labels of (\S+), want", r"label_weight: found \1, want"),
    (r"^the labels have a weight, but", "label_weight: the labels have a weight, but"),
    (r"^(a student of one unit takes .*, more than the budget)", r"max_bytes, max_ns: \1"),
    (r"^file of version (\d+), this program reads versions (.*)$",
     r"the model is of file version \1, this sparsekm reads versions \2: install the sparsekm that wrote it, or a later one"),
]


def spoken(message: str) -> str:
    """Return a message of the library with the names that the parameters have in Python."""
    for pattern, words in _RULES:
        message = re.sub(pattern, words, message, count=1, flags=re.DOTALL)
    return message
