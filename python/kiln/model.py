# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A package together with its weights, which lie in files beside it."""
import json

from . import _runtime, structure
from .weights import map_file


def _about(path):
    """What kiln.export says of the arguments, and the weights that lie beside it."""
    weights, metadata = map_file(path)
    try:
        about = json.loads(metadata.get("kiln", "null"))
        lists = about and [about[key] for key in ("arguments", "results")]
        if not lists or not all(isinstance(text, str) for pairs in lists for kind, name in pairs for text in (kind, name)):
            raise ValueError
        nested = about.setdefault("structure", [False] * 3)
        if len(nested) != 3 or not all(one is False or structure.is_structure(one) for one in nested):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _runtime.Error(f"{path}: weights of no package of Kiln") from None
    return weights, about


def _is_true(tensor):
    """Whether all truth values of a result are."""
    import numpy
    return bool(numpy.asarray(tensor).all())


def _number(tensor):
    """The one element of a result."""
    import numpy
    return numpy.asarray(tensor).item()


def _signless(dtype):
    """Files of weights need not say whether integers have a sign."""
    return "i" + dtype[1:] if dtype[0] == "u" else dtype


def _overwrite(tensor, value, name):
    """Writes what a program has computed into an argument that it writes."""
    if hasattr(tensor, "copy_"):  # torch's
        import torch
        tensor.copy_(torch.from_dlpack(value))
    elif hasattr(tensor, "__array_interface__"):
        import numpy
        tensor[...] = numpy.asarray(value)
    else:
        raise TypeError(f"the program writes argument '{name}': expected a tensor of torch or numpy, found "
                        f"{type(tensor).__name__}")


class Model:
    """Calls a program with its weights. What the program writes into its state is kept for the next call."""

    def __init__(self, program, beside, weights=()):
        """`beside` is what kiln.export wrote, `weights` are paths of files, or dictionaries of tensors, that come
        before what is in there."""
        self.program = program
        self.weights, about = _about(beside)
        self.arguments, self.results, self.structure = about["arguments"], about["results"], about["structure"]
        self.inputs = [name for kind, name in self.arguments if kind != "weight"]
        self._check_structure(beside)
        for source in weights:
            given = source if isinstance(source, dict) else map_file(source)[0]
            self.weights.update(given)
        self._check()

    def _check_structure(self, beside):
        """The structures have the kinds and as many values as the arguments and the results."""
        nested, named, result = self.structure
        counts = sum(structure.leaves(one) for one in (nested, named) if one is not False)
        makes = sum(kind in ("result", "constant", "number") for kind, _ in self.results)
        is_nested = nested is not False and named is not False
        if is_nested and not (nested and "tuple" in nested and named and "dict" in named and counts == len(self.inputs)) \
                or result is not False and structure.leaves(result) != makes:
            raise _runtime.Error(f"{beside}: weights of no package of Kiln")

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

    def _given(self, inputs, named):
        """The values of all arguments, those with keywords behind the others."""
        nested, by_name, _ = self.structure
        if nested is False or by_name is False:
            if named:
                raise TypeError(f"expected no keyword arguments, found '{next(iter(named))}'")
            nested, by_name = {"tuple": [None] * len(self.inputs)}, {"dict": []}
        places = nested["tuple"]
        keys = [key for key, _ in by_name["dict"]]
        if len(inputs) != len(places) or set(named) != set(keys):
            listed = lambda number, names: " and ".join([str(number), *(f"'{name}'" for name in names)])  # noqa: E731
            raise TypeError(f"expected {listed(len(places), keys)} arguments ({', '.join(self.inputs)}), found "
                            f"{listed(len(inputs), named)}")
        return structure.flatten(nested, inputs) + structure.flatten(by_name, named)

    def __call__(self, *inputs, **named):
        values = self._given(inputs, named)
        left, given = iter(values), []
        for kind, name in self.arguments:
            value = self.weights[name] if kind == "weight" else next(left)
            if kind != "ignored":
                given.append(value)
        made = self.program(*given)
        made = iter(made if isinstance(made, tuple) else (made,))
        found = [(kind, name, None if kind == "constant" else next(made)) for kind, name in self.results]
        for kind, name, value in found:
            if kind == "check" and not _is_true(value):
                raise RuntimeError(name)
        results = []
        for kind, name, value in found:
            if kind == "state":
                self.weights[name] = value
            elif kind == "input":
                _overwrite(values[self.inputs.index(name)], value, name)
            elif kind == "constant":
                results.append(json.loads(name))
            elif kind == "number":
                results.append(_number(value))
            elif kind == "result":
                results.append(value)
        if self.structure[2] is not False:
            return structure.build(self.structure[2], iter(results))
        return tuple(results) if len(results) > 1 else results[0] if results else None
