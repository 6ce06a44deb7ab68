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
import ast
import collections
import ctypes
import io
import json
import mmap
import os
import pickle
import zipfile

from . import _runtime

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


class _File:
    """A file in memory. Changes stay in the process."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.size = os.fstat(file.fileno()).st_size
            if not self.size:
                raise _runtime.Error(f"{path}: the file is empty")
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))

    def tensor(self, name, dtype, shape, start, end):
        """The elements from byte `start` on, of which there have to be as many as end at `end`, if that is given."""
        if dtype is None:
            raise _runtime.Error(f"{self.path}: unsupported: the element type of '{name}'")
        count = 1
        for size in shape:
            if not isinstance(size, int) or isinstance(size, bool) or size < 0:
                raise ValueError(f"the shape of '{name}'")
            count *= size
        bytes_ = count * _BYTES.get(dtype, 1)
        if not 0 <= start <= self.size - bytes_ or (end is not None and end - start != bytes_):
            raise _runtime.Error(f"{self.path}: '{name}' lies outside of the file")
        return _runtime.at_address(dtype, shape, self.base + start, self.memory)


def map_file(path):
    """({name: Tensor}, metadata) of a file of any of the kinds above."""
    path = os.fspath(path)
    if os.path.isdir(path):
        return _map_folder(path)
    try:
        if path.endswith(".index.json"):
            return _map_index(path)
        file = _File(path)
        head = file.memory[:8]
        if head[:4] == b"PK\x03\x04":
            return _map_archive(file)
        if head[:6] == b"\x93NUMPY":
            return {os.path.splitext(os.path.basename(path))[0]: _npy(file, "it", 0, file.size)}, {}
        return _map_safetensors(file)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, EOFError, OverflowError,
            NotImplementedError, SyntaxError, MemoryError, pickle.UnpicklingError, zipfile.BadZipFile) as error:
        raise _runtime.Error(f"{path}: no file of weights that can be read: {error}") from None


def _map_folder(path):
    tensors = {}
    kinds = (".safetensors", ".npy", ".npz", ".pt", ".pth", ".bin")
    for name in sorted(os.listdir(path)):
        if name.endswith(kinds):
            tensors.update(map_file(os.path.join(path, name))[0])
    if not tensors:
        raise _runtime.Error(f"{path}: the folder has no files of weights")
    return tensors, {}


def _map_index(path):
    with open(path, encoding="utf-8") as file:
        files = json.load(file)["weight_map"]
    tensors = {}
    for name in sorted(set(files.values())):
        if os.path.basename(name) != name:
            raise ValueError(f"the file '{name}' is not beside it")
        tensors.update(map_file(os.path.join(os.path.dirname(path), name))[0])
    return tensors, {}


def _map_safetensors(file):
    size = int.from_bytes(file.memory[:8], "little")
    if size > file.size - 8:
        raise ValueError("not one of safetensors")
    header = json.loads(file.memory[8:8 + size])
    metadata = header.pop("__metadata__", {})
    data = 8 + size
    return {name: file.tensor(name, _SAFE.get(about["dtype"]), about["shape"], data + about["data_offsets"][0],
                              data + about["data_offsets"][1]) for name, about in header.items()}, metadata


def _npy(file, name, start, end):
    """A tensor of numpy's format between two bytes of a file."""
    version = file.memory[start + 6]
    wide = 2 if version == 1 else 4
    size = int.from_bytes(file.memory[start + 8:start + 8 + wide], "little")
    data = start + 8 + wide + size
    if data > end:
        raise ValueError(f"the header of '{name}'")
    header = ast.literal_eval(file.memory[start + 8 + wide:data].decode("latin-1"))
    kind = header["descr"]
    if not isinstance(kind, str) or kind[0] == ">" or header["fortran_order"] and len(header["shape"]) > 1:
        raise _runtime.Error(f"{file.path}: unsupported: '{name}' is not row-major and little-endian")
    return file.tensor(name, _NUMPY.get(kind[1:]), list(header["shape"]), data, end)


def _entries(file):
    """{name: (start, size)} of what an archive holds, in bytes of the file; nothing is compressed."""
    entries = {}
    with zipfile.ZipFile(file.path) as archive:
        for info in archive.infolist():
            if info.compress_type != zipfile.ZIP_STORED:
                raise _runtime.Error(f"{file.path}: unsupported: '{info.filename}' is compressed, and cannot be mapped")
            head = file.memory[info.header_offset:info.header_offset + 30]
            start = info.header_offset + 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
            if len(head) < 30 or start + info.file_size > file.size:
                raise ValueError(f"'{info.filename}' lies outside of the file")
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


def _strided(file, name, dtype, shape, strides, start, bytes_):
    if len(shape) != len(strides) or 0 not in shape and not _row_major(shape, strides):
        raise _runtime.Error(f"{file.path}: unsupported: '{name}' is not row-major")
    tensor = file.tensor(name, dtype, shape, start, None)
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
        about = json.loads(file.memory[config[0]:config[0] + config[1]])["config"]
        for name, one in about.items():
            if one.get("use_pickle") or not one.get("tensor_meta"):
                raise _runtime.Error(f"{file.path}: unsupported: '{name}' is pickled")
            meta = one["tensor_meta"]
            dtype = _ARCHIVE.get(meta["dtype"])
            start, size = entries[f"{root}/data/{kind}/{one['path_name']}"]
            offset = meta["storage_offset"]["as_int"] * _BYTES.get(dtype, 1)
            tensors[name] = _strided(file, name, dtype, [n["as_int"] for n in meta["sizes"]],
                                     [n["as_int"] for n in meta["strides"]], start + offset, size - offset)
    return tensors, {}


class _Storage:
    def __init__(self, name):
        self.dtype = _STORAGE.get(name)


class _Unpickler(pickle.Unpickler):
    """Tensors in dictionaries; other classes and functions are refused."""

    def __init__(self, stream, file, entries, root):
        super().__init__(stream)
        self.file, self.entries, self.root = file, entries, root

    def find_class(self, module, name):
        if module == "collections" and name == "OrderedDict":
            return collections.OrderedDict
        if module == "torch._utils" and name == "_rebuild_tensor_v2":
            return lambda storage, offset, sizes, strides, *rest: (storage, offset, list(sizes), list(strides))
        if module == "torch._utils" and name == "_rebuild_parameter":
            return lambda data, *rest: data
        if module == "torch" and name.endswith("Storage"):
            return _Storage(name)
        raise pickle.UnpicklingError(f"it names {module}.{name}, which is no tensor")

    def persistent_load(self, pid):
        kind, storage, key, _, _ = pid
        if kind != "storage":
            raise pickle.UnpicklingError("it refers to what is no storage")
        return (storage.dtype, *self.entries[f"{self.root}/data/{key}"])


def _map_pickle(file, entries, root):
    start, size = entries[f"{root}/data.pkl"]
    loaded = _Unpickler(io.BytesIO(file.memory[start:start + size]), file, entries, root).load()
    tensors = {}

    def walk(prefix, value):
        if isinstance(value, dict):
            for key, inner in value.items():
                walk(f"{prefix}.{key}" if prefix else str(key), inner)
        elif isinstance(value, tuple) and len(value) == 4 and isinstance(value[0], tuple):
            (dtype, first, bytes_), offset, sizes, strides = value
            offset *= _BYTES.get(dtype, 1)
            tensors[prefix] = _strided(file, prefix, dtype, sizes, strides, first + offset, bytes_ - offset)

    walk("", loaded)
    if not tensors:
        raise ValueError("it holds no tensors")
    return tensors, {}
