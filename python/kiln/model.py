# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A package together with its weights, which lie in files beside it."""
import json
import operator

from . import _runtime, as_tensor, ranges, structure
from .weights import map_file


def _about(path):
    """What kiln.export says of the arguments, and the weights that lie beside it."""
    weights, metadata = map_file(path)
    try:
        about = json.loads(metadata.get("kiln", "null"))
        lists = about and [about[key] for key in ("arguments", "results")]
        if not lists or not all(isinstance(text, str) for pairs in lists for kind, name in pairs for text in (kind, name)):
            raise ValueError
        if not isinstance(about.setdefault("fixed", {}), dict):
            raise ValueError
        inputs = {name for kind, name in about["arguments"] if kind != "weight"}
        if not all(isinstance(message, str) and ranges.is_range(one, inputs) for one, message in about.setdefault("ranges", [])):
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


def _as_integer(value, name):
    """An argument that is an integer, as the program takes it."""
    import numpy
    try:
        return numpy.asarray(operator.index(value), numpy.int64)
    except TypeError:
        raise TypeError(f"argument '{name}': expected an integer, found {type(value).__name__}") from None


def _signless(dtype):
    """Files of weights need not say whether integers have a sign."""
    return "i" + dtype[1:] if dtype[0] == "u" else dtype


#: Bytes that the address of an argument is a multiple of where the program writes it, as memory of the runtime is.
_ALIGNMENT = 64


def _span(tensor):
    """(first address, address behind) of a tensor of Kiln on the host, or None where it lies on a device."""
    if tensor.on_device:
        return None
    about = tensor.__array_interface__
    start = end = about["data"][0]
    for size, step in zip(about["shape"], about["strides"]):
        start, end = start + min(0, (size - 1) * step), end + max(0, (size - 1) * step)
    return start, end + int(about["typestr"][2:]) if 0 not in about["shape"] else start


def _is_row_major(tensor):
    expected = 1
    for size, step in zip(reversed(tensor.shape), reversed(tensor.strides)):
        if size != 1 and step != expected:
            return 0 in tensor.shape
        expected *= size
    return True


def _overlap(one, other):
    return one is not None and other is not None and one[0] < other[1] and other[0] < one[1]


def _is_marked(value):
    """Whether a tensor of torch is that of which its memory holds the negatives or the conjugates."""
    return hasattr(value, "is_neg") and (value.is_neg() or value.is_conj())


def _in_parts(value):
    """A complex tensor of torch or NumPy as the real and imaginary parts in its memory, a last dimension of 2; any other value
    as it is. Where a tensor of torch says that its memory holds negatives or conjugates, this is a copy."""
    if _is_marked(value):
        value = value.detach().resolve_conj().resolve_neg()
    if getattr(getattr(value, "dtype", None), "is_complex", False):  # torch's
        import torch
        return torch.view_as_real(value.detach())
    if getattr(getattr(value, "dtype", None), "kind", "") == "c":
        import numpy
        real = numpy.asarray(value).real  # of a scalar this would be a copy
        return numpy.lib.stride_tricks.as_strided(real, (*real.shape, 2), (*real.strides, real.itemsize))
    return value


def _complex(tensor):
    """An array of NumPy of complex numbers in the memory of their parts."""
    import numpy
    parts = numpy.asarray(tensor)
    return parts.view(f"c{2 * parts.dtype.itemsize}")[..., 0]


def _viewed(value, program):
    """A tensor of Kiln with the memory of an input, or None where that has none."""
    try:
        return as_tensor(value.detach() if hasattr(value, "detach") else value, program=program)
    except (BufferError, RuntimeError, TypeError):
        return None


def _copied(tensor):
    """A copy on the host, in memory of the runtime."""
    import numpy
    return _runtime.Tensor(tensor.dtype, tensor.shape, numpy.asarray(tensor).tobytes())


def _overwrite(tensor, value, name):
    """Writes what a program has computed into an argument that it writes."""
    if _is_marked(tensor):
        import torch
        made = torch.from_dlpack(value)
        tensor.copy_(torch.view_as_complex(made) if tensor.is_complex() else made)
    elif hasattr(tensor, "copy_"):  # torch's
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
        #: Numbers that the program takes stand behind the other arguments, too; `fixed` are those of which it has the values.
        self.inputs, self.fixed = [name for kind, name in self.arguments if kind not in ("weight", "number")], about["fixed"]
        self.ranges = about["ranges"]  # conditions on integers and sizes, with messages
        self._is_elsewhere = None  # whether the device has memory of its own; the first call finds out
        self._check_structure(beside)
        for source in weights:
            given = source if isinstance(source, dict) else map_file(source)[0]
            self.weights.update({name: _in_parts(one) for name, one in given.items()})
        self._check()
        self._written = self._names_written()
        for kind, name in self._written:
            if kind == "weight":  # a file's memory, and the caller's, is not written
                self.weights[name] = _copied(as_tensor(self.weights[name]))

    def _names_written(self):
        """The weights and inputs whose memory a call writes."""
        kept = [pair for pair in self.arguments if pair[0] != "ignored"]
        return {tuple(pair) for pair, is_written in zip(kept, self.program.default.written) if is_written}

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

    def _lent(self, values):
        """The inputs as the program takes them: one that it writes lies in rows, aligned, and apart from all others. Also the
        addresses of those that are written themselves."""
        written = [i for i, name in enumerate(self.inputs) if ("input", name) in self._written]
        if not written:
            return values, {}
        given = [_viewed(value, self.program) for value in values]
        spans = [one and _span(one) for one in given]
        values, places = list(values), {}
        for i in written:
            tensor, span = given[i], spans[i]
            if tensor is None:
                continue
            others = any(_overlap(span, other) for j, other in enumerate(spans) if j != i)
            if tensor.on_device:
                values[i] = values[i] if _is_row_major(tensor) or not hasattr(values[i], "contiguous") else values[i].contiguous()
            elif others or span[0] % _ALIGNMENT or not _is_row_major(tensor):
                values[i] = _copied(tensor)
            else:
                values[i], places[self.inputs[i]] = tensor, span
        return values, places

    def _run(self, given):
        """The program's results. The weights go to a device that has memory of its own once, and state stays there."""
        if self._is_elsewhere is None:
            self._is_elsewhere = False
            if len(self.program.devices) == 1:
                made = self.program(*given, on_device=True)
                made = made if isinstance(made, tuple) else (made,)
                self._is_elsewhere = any(one.on_device for one in made)
                if self._is_elsewhere:
                    names = [name for kind, name in self.arguments if kind == "weight"]
                    self.weights.update({name: self.program.upload(self.weights[name]) for name in names})
                return made
        made = self.program(*given, on_device=True) if self._is_elsewhere else self.program(*given)
        return made if isinstance(made, tuple) else (made,)

    def __call__(self, *inputs, **named):
        asked = self._given(inputs, named)
        by_name = dict(zip(self.inputs, asked, strict=True))
        for name, value in self.fixed.items():
            if by_name.get(name) != value:
                raise ValueError(f"argument '{name}': expected {value!r}, with which the program was exported, found {by_name.get(name)!r}")
        for condition, message in self.ranges:
            if not ranges.holds(condition, by_name):
                raise RuntimeError(message)
        values = [_in_parts(one) for one in asked]
        lent, places = self._lent(values)
        left, given = iter(lent), []
        for kind, name in self.arguments:
            value = self.weights[name] if kind == "weight" else _as_integer(by_name[name], name) if kind == "number" else next(left)
            if kind != "ignored":
                given.append(value)
        made = iter(self._run(given))
        found = [(kind, name, None if kind == "constant" else next(made)) for kind, name in self.results]
        if self._is_elsewhere:
            found = [(kind, name, self.program.download(value) if kind not in ("state", "constant") and value.on_device else value)
                     for kind, name, value in found]
        for kind, name, value in found:
            if kind == "check" and not _is_true(value):
                raise RuntimeError(name)
        for i, one in enumerate(asked):
            if _is_marked(one):
                places.pop(self.inputs[i], None)  # what the program has written is a copy
                values[i] = one
        return self._taken(found, values, places)

    def _taken(self, found, values, places):
        """What a call returns; keeps the state, and writes inputs where the program has not."""
        results = []
        for kind, name, value in found:
            if kind == "result" and any(_overlap(_span(value), place) for place in places.values()):
                value = _copied(value)  # an input has the memory, and is written below
            if kind == "constant":
                results.append(json.loads(name))
            elif kind == "number":
                results.append(_number(value))
            elif kind == "result":
                results.append(_complex(value) if name in ("c64", "c128") else value)
        for kind, name, value in found:
            if kind == "state":
                self.weights[name] = value
            elif kind == "input" and (name not in places or _span(value) != places[name]):
                _overwrite(values[self.inputs.index(name)], value, name)
        if self.structure[2] is not False:
            return structure.build(self.structure[2], iter(results))
        return tuple(results) if len(results) > 1 else results[0] if results else None
