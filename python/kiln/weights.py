# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of tensors, mapped into memory: the tensors lie in the file, which is not read before it is used.

| file | what it is |
|---|---|
| `*.safetensors` | safetensors |
| `*.safetensors.index.json` | several of these |
| `*.npy`, `*.npz` | numpy's, of which archives must not be compressed |
| `*.pt`, `*.pth`, `*.bin` | a state dict as torch.save writes it; its pickle may name tensors and nothing else |
| `*.pt2` | a program as torch.export.save writes it |
| a folder | all files of these kinds in it |
"""
import ctypes
import json
import mmap
import os
import re
import stat
import zipfile

from . import _runtime
from .unpickle import MAX_RANK, read_state_dict

#: safetensors' and numpy's names of element types, torch's storages and the numbers of its archives. Packages have
#: no sign of integers.
_SAFE = {"BOOL": "i1", "I8": "i8", "U8": "i8", "I16": "i16", "U16": "i16", "I32": "i32", "U32": "i32", "I64": "i64",
         "U64": "i64", "F16": "f16", "BF16": "bf16", "F32": "f32", "F64": "f64", "F8_E4M3": "f8E4M3FN", "F8_E5M2": "f8E5M2",
         "F8_E4M3FNUZ": "f8E4M3FNUZ", "F8_E5M2FNUZ": "f8E5M2FNUZ", "F8_E8M0": "f8E8M0FNU"}
_NUMPY = {"b1": "i1", "i1": "i8", "u1": "i8", "i2": "i16", "u2": "i16", "i4": "i32", "u4": "i32", "i8": "i64", "u8": "i64",
          "f2": "f16", "f4": "f32", "f8": "f64"}
_STORAGE = {"BoolStorage": "i1", "CharStorage": "i8", "ByteStorage": "i8", "ShortStorage": "i16", "IntStorage": "i32",
            "LongStorage": "i64", "HalfStorage": "f16", "BFloat16Storage": "bf16", "FloatStorage": "f32", "DoubleStorage": "f64"}
_ARCHIVE = {1: "i8", 2: "i8", 3: "i16", 4: "i32", 5: "i64", 6: "f16", 7: "f32", 8: "f64", 12: "i1", 13: "bf16", 28: "i16",
            29: "f8E4M3FN", 30: "f8E5M2", 31: "f8E4M3FNUZ", 32: "f8E5M2FNUZ"}
_BYTES = {"i16": 2, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}

#: The longest header that safetensors allow, and of numpy's those that are read.
_MAX_SAFE_HEADER, _MAX_NUMPY_HEADER = 100_000_000, 1 << 16

#: The dictionary in front of numpy's data.
_ITEM = r"""(?:'(?:descr|fortran_order|shape)'\s*:\s*(?:'[^']*'|True|False|\((?:\s*[0-9]+L?\s*,)*(?:\s*[0-9]+L?)?\s*\)))"""
_HEADER = re.compile(r"\s*\{\s*" + _ITEM + r"(?:\s*,\s*" + _ITEM + r")*\s*,?\s*\}\s*")
_FIELD = re.compile(r"'(\w+)'\s*:\s*('[^']*'|True|False|\([^)]*\))")


class _File:
    """A file in memory. Changes stay in the process."""

    def __init__(self, path):
        self.path = path
        # Whoever opens a pipe waits for its other end.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise _runtime.Error(f"{path}: expected a file, found something else")
        with open(path, "rb") as file:
            self.size = os.fstat(file.fileno()).st_size
            if not self.size:
                raise _runtime.Error(f"{path}: the file is empty")
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))

    def tensor(self, name, dtype, shape, start, end, kind):
        """The elements from byte `start` on, of which there have to be as many as end at `end`, if that is given.
        `kind` is what the file calls their type."""
        if dtype is None:
            raise _runtime.Error(f"{self.path}: unsupported: elements of type {_shown(kind)} in '{name}'")
        if not isinstance(shape, list) or len(shape) > MAX_RANK or not all(_is_size(size) for size in shape):
            raise ValueError(f"expected a shape of up to {MAX_RANK} sizes for '{name}', found {_shown(shape)}")
        count = 1
        for size in shape:
            count *= size
        bytes_ = count * _BYTES.get(dtype, 1)
        if not 0 <= start <= self.size - bytes_ or (end is not None and end - start != bytes_):
            raise _runtime.Error(f"{self.path}: '{name}' lies outside of the file")
        return _runtime.at_address(dtype, shape, self.base + start, self.memory)


def _is_size(value):
    return type(value) is int and 0 <= value < 1 << 63


def _shown(value):
    """A part of a file in a message."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _json(data):
    """What UTF-8 says as JSON; equal names in one object, and numbers of any length, are no JSON here."""
    def members(pairs):
        found = {}
        for name, value in pairs:
            if name in found:
                raise ValueError(f"there are two members '{name[:80]}'")
            found[name] = value
        return found

    def integer(text):
        if len(text) > 20:
            raise ValueError("expected a number of 64 bits, found a longer one")
        return int(text)

    def constant(text):
        raise ValueError(f"expected JSON, found {text}")

    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=members, parse_int=integer, parse_constant=constant)
    except RecursionError:
        raise ValueError("the JSON nests too deep") from None


def map_file(path):
    """({name: Tensor}, metadata) of a file of any of the kinds above."""
    path = os.fspath(path)
    if os.path.isdir(path):
        return _map_folder(path)
    try:
        file = _File(path)
        if path.endswith(".index.json"):
            return _map_index(file)
        head = file.memory[:8]
        if head[:4] == b"PK\x03\x04":
            return _map_archive(file)
        if head[:6] == b"\x93NUMPY":
            return {os.path.splitext(os.path.basename(path))[0]: _npy(file, "it", 0, file.size)}, {}
        return _map_safetensors(file)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, EOFError, OverflowError,
            NotImplementedError, MemoryError, zipfile.BadZipFile) as error:
        raise _runtime.Error(f"{path}: no file of weights that can be read: {error}") from None


def _map_part(path, name):
    """The tensors of the file `name` that the folder or the index `path` has."""
    part = os.path.join(path if os.path.isdir(path) else os.path.dirname(path), name)
    # Folders in folders, and indices of indices, could contain themselves.
    if os.path.isdir(part) or name.endswith(".index.json"):
        raise _runtime.Error(f"{path}: expected files of weights, found '{name}', which is none")
    try:
        return map_file(part)[0]
    except OSError as error:
        raise _runtime.Error(f"{path}: '{name}': {error.strerror}") from None


def _map_folder(path):
    tensors = {}
    kinds = (".safetensors", ".npy", ".npz", ".pt", ".pth", ".bin")
    for name in sorted(os.listdir(path)):
        if name.endswith(kinds):
            tensors.update(_map_part(path, name))
    if not tensors:
        raise _runtime.Error(f"{path}: the folder has no files of weights")
    return tensors, {}


def _map_index(file):
    files = _json(file.memory[:])["weight_map"]
    if not isinstance(files, dict) or not all(isinstance(name, str) for name in files.values()):
        raise ValueError(f"expected names of files in 'weight_map', found {_shown(files)}")
    tensors = {}
    for name in sorted(set(files.values())):
        if os.path.basename(name) != name:
            raise ValueError(f"the file '{name}' is not beside it")
        tensors.update(_map_part(file.path, name))
    return tensors, {}


def _map_safetensors(file):
    size = int.from_bytes(file.memory[:8], "little")
    if not 2 <= size <= file.size - 8 or file.memory[8:9] != b"{":
        raise ValueError("not one of safetensors")
    if size > _MAX_SAFE_HEADER:
        raise ValueError(f"expected a header of up to {_MAX_SAFE_HEADER} bytes, found {size}")
    header = _json(file.memory[8:8 + size])
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError(f"expected text in '__metadata__', found {_shown(metadata)}")
    places = []
    for name, about in header.items():
        offsets = about.get("data_offsets") if isinstance(about, dict) else None
        if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_size, offsets)):
            raise ValueError(f"expected the two offsets of '{name}', found {_shown(about)}")
        if not isinstance(about.get("dtype"), str):
            raise ValueError(f"expected the type of '{name}', found {_shown(about)}")
        name.encode("utf-8")
        places.append((*offsets, name))
    # Each byte belongs to one tensor; in files of older versions of Kiln each tensor begins at a multiple of 64.
    data, end, align = 8 + size, 0, 64 if "kiln" in metadata else 1
    for first, behind, name in sorted(places):
        if not end <= first < end + align or behind < first:
            raise ValueError(f"expected '{name}' at offset {end}, found it from {first} to {behind}")
        end = behind
    if not 0 <= file.size - data - end < align:
        raise ValueError(f"expected {end} bytes of data, found {file.size - data}")
    return {name: file.tensor(name, _SAFE.get(about["dtype"]), about.get("shape"), data + about["data_offsets"][0],
                              data + about["data_offsets"][1], about["dtype"]) for name, about in header.items()}, metadata


def _npy(file, name, start, end):
    """A tensor of numpy's format between two bytes of a file."""
    if file.memory[start:start + 6] != b"\x93NUMPY" or end - start < 12:
        raise ValueError(f"'{name}' is none of numpy's")
    version = file.memory[start + 6]
    wide = 2 if version == 1 else 4
    size = int.from_bytes(file.memory[start + 8:start + 8 + wide], "little")
    data = start + 8 + wide + size
    if version not in (1, 2, 3) or data > end or size > _MAX_NUMPY_HEADER:
        raise ValueError(f"the header of '{name}'")
    text = file.memory[start + 8 + wide:data].decode("latin-1").replace('"', "'")
    if re.search(r"'descr'\s*:\s*\[", text):
        raise _runtime.Error(f"{file.path}: unsupported: '{name}' has a structured type")
    header = {field: value for field, value in _FIELD.findall(text)} if _HEADER.fullmatch(text) else {}
    kind, order, shape = (header.get(field, "") for field in ("descr", "fortran_order", "shape"))
    if kind[:1] != "'" or order not in ("True", "False") or shape[:1] != "(":
        raise ValueError(f"the header of '{name}'")
    digits = re.findall("[0-9]+", shape)
    if any(len(size) > 19 for size in digits):
        raise ValueError(f"the shape of '{name}' is too large")
    sizes = list(map(int, digits))
    if kind[1:2] == ">" or order == "True" and len(sizes) > 1:
        raise _runtime.Error(f"{file.path}: unsupported: '{name}' is not row-major and little-endian")
    return file.tensor(name, _NUMPY.get(kind[2:-1]), sizes, data, end, kind)


def _entries(file):
    """{name: (start, size)} of what an archive holds, in bytes of the file; nothing is compressed."""
    entries = {}
    with zipfile.ZipFile(file.memory) as archive:
        for info in archive.infolist():
            if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
                raise _runtime.Error(f"{file.path}: unsupported: '{info.filename}' is compressed or encrypted, and cannot "
                                     "be mapped")
            head = file.memory[info.header_offset:info.header_offset + 30]
            start = info.header_offset + 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
            if len(head) < 30 or head[:4] != b"PK\x03\x04" or start + info.file_size > file.size:
                raise ValueError(f"'{info.filename}' lies outside of the file")
            if info.filename in entries:
                raise ValueError(f"there are two entries '{info.filename}'")
            entries[info.filename] = (start, info.file_size)
    return entries


def _map_archive(file):
    entries = _entries(file)
    if all(name.endswith(".npy") for name in entries):
        return {name[:-4]: _npy(file, name, start, start + size) for name, (start, size) in entries.items()}, {}
    for name in entries:
        for suffix, mapper in (("/data/weights/model_weights_config.json", _map_pt2), ("/data.pkl", _map_pickle)):
            if name.endswith(suffix) and name.count("/") == suffix.count("/"):
                return mapper(file, entries, name[:-len(suffix)])
    raise ValueError("an archive of neither numpy nor torch")


def _row_major(shape, strides):
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def _strided(file, name, dtype, shape, strides, start, bytes_, kind):
    if len(shape) != len(strides) or 0 not in shape and not _row_major(shape, strides):
        raise _runtime.Error(f"{file.path}: unsupported: '{name}' is not row-major")
    tensor = file.tensor(name, dtype, shape, start, None, kind)
    count = _BYTES.get(dtype, 1)
    for size in shape:
        count *= size
    if count > bytes_:
        raise _runtime.Error(f"{file.path}: '{name}' lies outside of its storage")
    return tensor


def _map_pt2(file, entries, root):
    tensors = {}
    for kind in ("weights", "constants"):
        config = entries.get(f"{root}/data/{kind}/model_{kind}_config.json")
        if not config:
            continue
        about = _json(file.memory[config[0]:config[0] + config[1]])["config"]
        for name, one in about.items():
            if one.get("use_pickle") or not one.get("tensor_meta"):
                raise _runtime.Error(f"{file.path}: unsupported: '{name}' is pickled")
            meta = one["tensor_meta"]
            dtype = _ARCHIVE.get(meta["dtype"])
            start, size = entries[f"{root}/data/{kind}/{one['path_name']}"]
            offset, *numbers = (n["as_int"] for n in (meta["storage_offset"], *meta["sizes"], *meta["strides"]))
            if len(numbers) > 2 * MAX_RANK or not all(map(_is_size, (offset, *numbers))):
                raise ValueError(f"expected the sizes and strides of '{name}', found {_shown(meta)}")
            rank = len(meta["sizes"])
            offset *= _BYTES.get(dtype, 1)
            tensors[name] = _strided(file, name, dtype, numbers[:rank], numbers[rank:], start + offset, size - offset,
                                     meta["dtype"])
    return tensors, {}


def _map_pickle(file, entries, root):
    start, size = entries[f"{root}/data.pkl"]
    tensors = {}
    for name, tensor in read_state_dict(file.memory[start:start + size]).items():
        dtype = _STORAGE.get(tensor.storage.kind)
        first, bytes_ = entries[f"{root}/data/{tensor.storage.key}"]
        offset = tensor.offset * _BYTES.get(dtype, 1)
        tensors[name] = _strided(file, name, dtype, list(tensor.sizes), list(tensor.strides), first + offset,
                                 bytes_ - offset, tensor.storage.kind)
    return tensors, {}
