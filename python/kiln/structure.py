# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the arguments and results of a program are nested, as JSON beside its weights.

A structure is null for one value, {"tuple": [structures]}, {"list": [structures]} or {"dict": [[key, structure], ...]}."""


def is_structure(made):
    """Whether a value read from a file is a structure."""
    if made is None:
        return True
    if not isinstance(made, dict) or len(made) != 1:
        return False
    (kind, parts), = made.items()
    if kind not in ("tuple", "list", "dict") or not isinstance(parts, list):
        return False
    if kind == "dict":
        if not all(isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], (str, int)) for pair in parts):
            return False
        parts = [part for _, part in parts]
    return all(is_structure(part) for part in parts)


def leaves(structure):
    """How many values a structure has."""
    if structure is None:
        return 1
    (kind, parts), = structure.items()
    return sum(leaves(part[1] if kind == "dict" else part) for part in parts)


def build(structure, values):
    """A structure of values, which an iterator gives."""
    if structure is None:
        return next(values)
    (kind, parts), = structure.items()
    if kind == "dict":
        return {key: build(part, values) for key, part in parts}
    made = [build(part, values) for part in parts]
    return tuple(made) if kind == "tuple" else made


def flatten(structure, value, where="the arguments"):
    """The values of an argument that is nested so."""
    if structure is None:
        return [value]
    (kind, parts), = structure.items()
    if kind == "dict":
        keys = [key for key, _ in parts]
        if not isinstance(value, dict) or set(value) != set(keys):
            raise TypeError(f"{where}: expected a dictionary of {keys}, found "
                            f"{sorted(map(str, value)) if isinstance(value, dict) else type(value).__name__}")
        return [one for key, part in parts for one in flatten(part, value[key], f"{where}[{key!r}]")]
    if not isinstance(value, (tuple, list)) or len(value) != len(parts):
        found = f"{len(value)} values" if isinstance(value, (tuple, list)) else type(value).__name__
        raise TypeError(f"{where}: expected a {kind} of {len(parts)} values, found {found}")
    return [one for number, (part, inner) in enumerate(zip(parts, value))
            for one in flatten(part, inner, f"{where}[{number}]")]
