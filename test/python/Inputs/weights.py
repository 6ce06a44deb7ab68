# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of weights of every kind, as they are written and with bytes changed. Usage: weights.py FOLDER"""
import io
import json
import os
import pickle
import random
import sys
import types
import warnings
import zipfile

import kiln
import numpy as np
from kiln import weights

folder = sys.argv[1]
a = np.arange(12, dtype=np.float32).reshape(3, 4)
b = np.array([1, -2, 3], np.int64)
expected = {"a": a, "b": b}


def path(name):
    return os.path.join(folder, name)


def safetensors(name, tensors):
    header, data = {}, b""
    for key, value in tensors.items():
        kind = {"f4": "F32", "i8": "I64"}[value.dtype.str[1:]]
        header[key] = {"dtype": kind, "shape": list(value.shape), "data_offsets": [len(data), len(data) + value.nbytes]}
        data += value.tobytes()
    text = json.dumps(header).encode()
    with open(path(name), "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)


# What torch.save writes names these.
torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
torch.FloatStorage = type("FloatStorage", (), {"__module__": "torch"})
torch.LongStorage = type("LongStorage", (), {"__module__": "torch"})


def _rebuild_tensor_v2(*arguments):
    raise AssertionError("only its name is used")


_rebuild_tensor_v2.__module__ = "torch._utils"
utils._rebuild_tensor_v2 = _rebuild_tensor_v2
sys.modules["torch"], sys.modules["torch._utils"] = torch, utils


class Tensor:
    def __init__(self, storage, key, array, strides):
        self.parts = (storage, key, array, strides)

    def __reduce__(self):
        storage, key, array, strides = self.parts
        return _rebuild_tensor_v2, (Stored(storage, key, array.size), 0, array.shape, strides, False, {})


class Stored:
    def __init__(self, *parts):
        self.parts = parts


class Pickler(pickle.Pickler):
    def persistent_id(self, value):
        if isinstance(value, Stored):
            storage, key, count = value.parts
            return "storage", storage, key, "cpu", count
        return None


def saved(name, value):
    stream = io.BytesIO()
    Pickler(stream, 2).dump(value)
    with zipfile.ZipFile(path(name), "w") as archive:
        archive.writestr("m/data.pkl", stream.getvalue())
        archive.writestr("m/data/0", a.tobytes())
        archive.writestr("m/data/1", b.tobytes())


def exported(name):
    def about(key, dtype, value):
        strides = [n // value.itemsize for n in value.strides]
        return {"path_name": key, "use_pickle": False, "tensor_meta": {
            "dtype": dtype, "sizes": [{"as_int": n} for n in value.shape], "strides": [{"as_int": n} for n in strides],
            "storage_offset": {"as_int": 0}}}

    with zipfile.ZipFile(path(name), "w") as archive:
        config = {"config": {"a": about("weight_0", 7, a), "b": about("weight_1", 5, b)}}
        archive.writestr("m/data/weights/model_weights_config.json", json.dumps(config))
        archive.writestr("m/data/weights/weight_0", a.tobytes())
        archive.writestr("m/data/weights/weight_1", b.tobytes())


def check(name):
    found, _ = weights.map_file(path(name))
    assert set(found) == set(expected), (name, set(found))
    for key, value in expected.items():
        got = np.asarray(found[key])
        assert got.dtype == value.dtype and np.array_equal(got, value), (name, key, got)


def refused(name, why):
    try:
        weights.map_file(path(name))
    except kiln.Error as error:
        assert why in str(error), error
    else:
        raise AssertionError(f"{name} was taken")


safetensors("w.safetensors", expected)
safetensors("one.safetensors", {"a": a})
safetensors("two.safetensors", {"b": b})
with open(path("w.safetensors.index.json"), "w") as file:
    json.dump({"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}, file)
np.savez(path("w.npz"), **expected)
state = {"a": Tensor(torch.FloatStorage, "0", a, (4, 1)), "b": Tensor(torch.LongStorage, "1", b, (1,))}
saved("w.pt", state)
exported("w.pt2")
os.mkdir(path("folder"))
for key, value in expected.items():
    np.save(path(f"folder/{key}.npy"), value)
kinds = ["w.safetensors", "w.safetensors.index.json", "w.npz", "w.pt", "w.pt2", "folder"]
for name in kinds:
    check(name)

np.savez_compressed(path("small.npz"), **expected)
refused("small.npz", "compressed")
saved("transposed.pt", {"a": Tensor(torch.FloatStorage, "0", a.T, (1, 4))})
refused("transposed.pt", "not row-major")
saved("code.pt", {"a": os.getcwd})
refused("code.pt", "which is no tensor")
saved("outside.pt", {"a": Tensor(torch.FloatStorage, "0", np.zeros((9, 9)), (9, 1))})
refused("outside.pt", "outside")
np.save(path("fortran.npy"), np.asfortranarray(a))
refused("fortran.npy", "not row-major")
with open(path("empty.pt"), "wb"):
    pass
refused("empty.pt", "empty")
with open(path("away.safetensors.index.json"), "w") as file:
    json.dump({"weight_map": {"a": "../one.safetensors"}}, file)
refused("away.safetensors.index.json", "not beside")


def written(name, header, data=bytes(64)):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    with open(path(name), "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)


def about(begin, end, dtype="U8", shape=None):
    return {"dtype": dtype, "shape": [end - begin] if shape is None else shape, "data_offsets": [begin, end]}


# What safetensors have to be.
for header, why in [
        ({"a": about(-8, 56)}, "two offsets of 'a'"), ({"a": about(0, 64, shape=[-64])}, "up to 32 sizes for 'a'"),
        ({"a": about(0, 40), "b": about(32, 64)}, "expected 'b' at offset 40, found it from 32 to 64"),
        ({"a": about(0, 24), "b": about(32, 64)}, "expected 'b' at offset 24"), ({"a": about(8, 64)}, "at offset 0"),
        ({"a": about(0, 48)}, "expected 48 bytes of data, found 64"), ({"a": about(0, 128)}, "expected 128 bytes of data"),
        ({"a": about(0, 64, "F32", [8])}, "outside"), ({"a": about(0, 64, "F4", [128])}, "unsupported: elements of type 'F4'"),
        ({"a": about(0, 64, "F32", [3] * 40)}, "up to 32 sizes"), ({"a": {**about(0, 64), "dtype": 4}}, "the type of 'a'"),
        ({"a": about(0, 64), "__metadata__": {"n": 1}}, "text in '__metadata__'"), (b"[1]", "not one of safetensors"),
        (b' {"a": 1}', "not one of safetensors"), (b'{"a": 1', "no file of weights"), (b'{"\xff": 1}', "utf-8"),
        (b'{"a": {}, "a": {}}', "two members 'a'"), (b'{"\\ud800": {"dtype": "U8", "shape": [64], "data_offsets": [0, 64]}}',
                                                   "surrogates"),
        (b'{"a": ' + b"[" * 100000, "nests too deep"), (b'{"a": ' + b"9" * 100000 + b"}", "64 bits"), (b'{"a": NaN}', "NaN")]:
    written("spec.safetensors", header)
    refused("spec.safetensors", why)
written("spec.safetensors", {"b": about(60, 64), "a": about(0, 60), "none": about(60, 60, "F32")})
assert set(weights.map_file(path("spec.safetensors"))[0]) == {"a", "b", "none"}
# Kiln 0.1 put each tensor at a multiple of 64 bytes.
written("spec.safetensors", {"a": about(0, 60), "b": about(64, 100), "__metadata__": {"kiln": "{}"}}, bytes(128))
assert set(weights.map_file(path("spec.safetensors"))[0]) == {"a", "b"}

# Pickles that announce, repeat or contain themselves.
for text, why in [(b"\x80\x02Nr\x00\xc2\xeb\x0b.", "no tensors"), (b"\x80\x02}q\x00U\x01ah\x00s.", "hold themselves"),
                  (b"\x80\x02" + b"".join(b"}q%c(U\x01a%sU\x01b%su" % (n, last, last) for n, last in (
                      (n, b"h%c" % (n - 1) if n else b"K\x01") for n in range(200))) + b".", "each other many times"),
                  (b"\x80\x02})" + b"\x85" * 500000 + b"K\x01s.", "a key that is text"),
                  (b"\x80\x02B\xff\xff\xff\x7f.", "ends early"), (b"\x80\x02h\x00.", "has not made"),
                  (b"\x80\x02\x8b\xff\xff\xff\x7f.", "operation b'\\x8b'"), (b"\x80\x02cos\nsystem\n.", "no tensor")]:
    with zipfile.ZipFile(path("odd.pt"), "w") as archive:
        archive.writestr("m/data.pkl", text)
    refused("odd.pt", why)

# Folders and indices that contain themselves; names that are there twice; headers that are programs.
os.mkdir(path("loop"))
os.symlink(path("loop"), path("loop/again.bin"))
refused("loop", "found 'again.bin', which is none")
os.unlink(path("loop/again.bin"))
os.symlink("again.bin", path("loop/again.bin"))
refused("loop", "symbolic links")
for name, why in [("self.safetensors.index.json", "which is none"), ("..", "which is none"), ("", "which is none"),
                  ("missing.safetensors", "No such file")]:
    with open(path("self.safetensors.index.json"), "w") as file:
        json.dump({"weight_map": {"a": name}}, file)
    refused("self.safetensors.index.json", why)
os.mkfifo(path("pipe.npy"))
refused("pipe.npy", "expected a file")
with warnings.catch_warnings(), zipfile.ZipFile(path("twice.npz"), "w") as archive:
    warnings.simplefilter("ignore")
    for _ in range(2):
        archive.write(path("folder/a.npy"), "a.npy")
refused("twice.npz", "two entries 'a.npy'")
for text in ["-" * 60000 + "1", "(" * 60000, "{'descr': '<f4', 'fortran_order': False, 'shape': (" + "1+" * 9000 + "1,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (" + "9" * 60000 + ",)}"]:
    with open(path("header.npy"), "wb") as file:
        file.write(b"\x93NUMPY\x02\x00" + len(text).to_bytes(4, "little") + text.encode() + bytes(64))
    refused("header.npy", "header.npy")

# Damaged files give tensors or an error, and nothing else.
chance, taken, errors = random.Random(1), 0, 0
for name in ["w.safetensors", "w.safetensors.index.json", "w.npz", "w.pt", "w.pt2", "folder/a.npy"]:
    with open(path(name), "rb") as file:
        whole = file.read()
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.2:
            del data[chance.randrange(len(data)):]
        damaged = path("damaged" + name[name.index("."):])
        with open(damaged, "wb") as file:
            file.write(data)
        try:
            for value in weights.map_file(damaged)[0].values():
                np.asarray(value).tobytes()
            taken += 1
        except kiln.Error as error:
            assert damaged in str(error) or "one.safetensors" in str(error) or "two.safetensors" in str(error), error
            errors += 1
assert taken and errors
print(f"{len(kinds)} kinds, {errors} damaged files refused")
