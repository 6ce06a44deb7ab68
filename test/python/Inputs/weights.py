# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of weights of every kind, as they are written and with bytes changed. Usage: weights.py FOLDER"""
import io
import json
import os
import pickle
import random
import sys
import types
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
        except OSError as error:  # an index that names a file which is not there
            assert name.endswith(".json"), error
            errors += 1
assert taken and errors
print(f"{len(kinds)} kinds, {errors} damaged files refused")
