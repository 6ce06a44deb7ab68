# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A package together with its weights, which lie beside it in a file of safetensors."""
import ctypes
import json
import mmap

from . import _runtime

_TYPES = {"BOOL": "i1", "I8": "i8", "U8": "i8", "I16": "i16", "U16": "i16", "I32": "i32", "U32": "i32", "I64": "i64",
          "U64": "i64", "F16": "f16", "BF16": "bf16", "F32": "f32", "F64": "f64"}


def map_safetensors(path):
    """({name: Tensor}, metadata): the tensors lie in the file, which is mapped once and not read."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        file.seek(0, 2)
        if size > file.tell() - 8:
            raise _runtime.Error(f"{path}: no file of safetensors")
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    try:
        header = json.loads(memory[8:8 + size])
        metadata = header.pop("__metadata__", {})
        base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        tensors = {}
        for name, about in header.items():
            start, end = about["data_offsets"]
            count = 1
            for n in about["shape"]:
                count *= n
            width = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "BF16": 2, "I16": 2, "U16": 2}
            if not 0 <= start <= end <= len(memory) - 8 - size or end - start != count * width.get(about["dtype"], 1):
                raise _runtime.Error(f"{path}: {name} lies outside of the file")
            tensors[name] = _runtime.at_address(_TYPES[about["dtype"]], about["shape"], base + 8 + size + start, memory)
    except (ValueError, KeyError, TypeError) as error:
        raise _runtime.Error(f"{path}: no file of safetensors: {error}") from None
    return tensors, metadata


class Model:
    """Calls a program with its weights. What the program writes into its state is kept for the next call."""

    def __init__(self, program, path):
        self.program = program
        self.weights, metadata = map_safetensors(path)
        about = json.loads(metadata.get("kiln", "null"))
        if about is None:
            raise _runtime.Error(f"{path}: weights of no package of Kiln")
        self.arguments, self.results = about["arguments"], about["results"]
        self.inputs = [name for kind, name in self.arguments if kind != "weight"]

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
        results = []
        for (kind, name), value in zip(self.results, made):
            if kind == "state":
                self.weights[name] = value
            else:
                results.append(value)
        return tuple(results) if len(results) > 1 else results[0] if results else None
