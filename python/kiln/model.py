# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A package together with its weights, which lie in files beside it."""
import json

from . import _runtime
from .weights import map_file


def _about(path):
    """What kiln.export says of the arguments, and the weights that lie beside it."""
    weights, metadata = map_file(path)
    try:
        about = json.loads(metadata.get("kiln", "null"))
        lists = about and [about[key] for key in ("arguments", "results")]
        if not lists or not all(isinstance(text, str) for pairs in lists for kind, name in pairs for text in (kind, name)):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _runtime.Error(f"{path}: weights of no package of Kiln") from None
    return weights, about


def _is_true(tensor):
    """Whether all truth values of a result are."""
    import numpy
    return bool(numpy.asarray(tensor).all())


def _signless(dtype):
    """Files of weights need not say whether integers have a sign."""
    return "i" + dtype[1:] if dtype[0] == "u" else dtype


class Model:
    """Calls a program with its weights. What the program writes into its state is kept for the next call."""

    def __init__(self, program, beside, weights=()):
        """`beside` is what kiln.export wrote, `weights` are paths of files, or dictionaries of tensors, that come
        before what is in there."""
        self.program = program
        self.weights, about = _about(beside)
        self.arguments, self.results = about["arguments"], about["results"]
        self.inputs = [name for kind, name in self.arguments if kind != "weight"]
        for source in weights:
            given = source if isinstance(source, dict) else map_file(source)[0]
            self.weights.update(given)
        self._check()

    def _check(self):
        """Every weight is there, and is what the program takes."""
        kept = [pair for pair in self.arguments if pair[0] != "ignored"]
        for (kind, name), expected in zip(kept, self.program.default.arguments):
            if kind != "weight":
                continue
            if name not in self.weights:
                raise _runtime.Error(f"no weight '{name}': name the file that has it, weights=FILE")
            tensor = self.weights[name]
            shape = tuple(tensor.shape)
            fits = len(shape) == len(expected.shape) and all(n in (None, m) for n, m in zip(expected.shape, shape))
            dtype = getattr(tensor, "dtype", None)
            if not fits or isinstance(dtype, str) and _signless(dtype) != _signless(expected.dtype):
                found = "x".join(map(str, (*shape, dtype)))
                want = "x".join("?" if n is None else str(n) for n in (*expected.shape, expected.dtype))
                raise _runtime.Error(f"weight '{name}': expected {want}, found {found}")

    def __repr__(self):
        return f"<kiln model ({', '.join(self.inputs)}), {len(self.weights)} weights>"

    def __call__(self, *inputs):
        if len(inputs) != len(self.inputs):
            raise TypeError(f"expected {len(self.inputs)} arguments ({', '.join(self.inputs)}), found {len(inputs)}")
        left = iter(inputs)
        given = []
        for kind, name in self.arguments:
            value = self.weights[name] if kind == "weight" else next(left)
            if kind != "ignored":
                given.append(value)
        made = self.program(*given)
        made = made if isinstance(made, tuple) else (made,)
        for (kind, name), value in zip(self.results, made):
            if kind == "check" and not _is_true(value):
                raise RuntimeError(name)
        results = []
        for (kind, name), value in zip(self.results, made):
            if kind == "check":
                continue
            if kind == "state":
                self.weights[name] = value
            else:
                results.append(value)
        return tuple(results) if len(results) > 1 else results[0] if results else None
