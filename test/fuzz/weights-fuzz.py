#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""weights-fuzz.py BUILD|- COUNT [SEED [READER...]]: changes files of weights of every kind, COUNT of a kind, and maps
them. Each gives tensors or kiln.Error, within 5 seconds and 1 GiB. Stops at the first that does not, and keeps it.
The same seed makes the same files. `-` takes the package `kiln` from where Python finds it."""
import copy
import io
import json
import os
import pickletools
import random
import resource
import signal
import struct
import sys
import tempfile
import warnings
import zipfile

import numpy

SECONDS, PEAK = 5, 1 << 30
NUMBERS = [0, 1, -1, 2, 3, 7, 8, 64, 255, 256, 65535, 65537, 1 << 20, (1 << 31) - 1, 1 << 31, 200_000_000, (1 << 32) - 1,
           1 << 32, (1 << 61) - 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 70]
VALUES = [None, True, False, 0.5, "", "F32", "F64", "F4", "BOOL", "\ud800", "a", "b", "../a", ".", "..", "/dev/zero",
          [], {}, [0], [[]], [1] * 40, {"as_int": 1}, "x" * 5000, float("nan"), *NUMBERS]


def blob(rng, size):
    return bytes(rng.randrange(256) for _ in range(size))


def flip(rng, data):
    """Bytes changed, inserted, removed, repeated, cut off."""
    data = bytearray(data)
    for _ in range(rng.randrange(1, 6)):
        at, kind = rng.randrange(len(data) + 1), rng.randrange(6)
        if kind < 2 and data:
            data[at % len(data)] = rng.randrange(256)
        elif kind == 2:
            data[at:at] = blob(rng, rng.randrange(1, 9))
        elif kind == 3:
            del data[at:at + rng.randrange(1, 9)]
        elif kind == 4:
            data[at:at + 8] = struct.pack("<Q", rng.choice(NUMBERS) & (1 << 64) - 1)
        elif rng.randrange(8) == 0:
            data = data[:at] * rng.randrange(1, 4)
    return bytes(data)


def places(value, found):
    """(container, key) of every value in a tree of JSON."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], (dict, list)):
            places(value[key], found)
    return found


def change_tree(rng, tree):
    """The text of a tree in which values are others, members are gone or there twice, or lists nest deep."""
    tree = json.loads(json.dumps(tree))
    for _ in range(rng.randrange(0, 4)):
        spots = places(tree, [])
        if not spots:
            break
        (inside, key), (source, other) = rng.choice(spots), rng.choice(spots)
        kind = rng.randrange(4)
        if kind == 0 and isinstance(inside, dict):
            inside[rng.choice(["dtype", "shape", "data_offsets", "__metadata__", "c", other if isinstance(other, str)
                               else "a"])] = json.loads(json.dumps(source[other]))
        elif kind == 1:
            del inside[key]
        elif kind == 2:
            inside[key] = json.loads(json.dumps(source[other]))
        else:
            inside[key] = copy.deepcopy(rng.choice(VALUES))  # changed in this tree alone
    text = json.dumps(tree)
    if rng.randrange(10) == 0:
        deep = rng.choice([10, 500, 5000])
        text = text.replace("[", "[" * deep, 1).replace("]", "]" * deep, 1)
    if rng.randrange(10) == 0:
        text = text.replace(", ", ", " + text[1:-1] + ", ", 1)
    if rng.randrange(10) == 0:
        text = text.replace("1", "9" * rng.choice([19, 30, 5000]), 1)
    data = text.encode(rng.choice(["utf-8", "utf-8", "utf-8", "utf-16"]), "surrogatepass")
    return flip(rng, data) if rng.randrange(4) == 0 else data


SAFE = {"__metadata__": {"kind": "x"}, "a": {"dtype": "F32", "shape": [3, 4], "data_offsets": [0, 48]},
        "b": {"dtype": "I64", "shape": [3], "data_offsets": [48, 72]}, "c": {"dtype": "U8", "shape": [0],
                                                                            "data_offsets": [72, 72]}}


def safetensors(rng):
    text = change_tree(rng, SAFE) if rng else json.dumps(SAFE).encode()
    if rng and rng.randrange(4) == 0:
        text += b" " * rng.randrange(9)
    size = rng.choice(NUMBERS) & (1 << 64) - 1 if rng and rng.randrange(12) == 0 else len(text)
    return struct.pack("<Q", size) + text + bytes(rng.choice([72, 72, 72, 0, 71, 80]) if rng else 72)


HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"
TOKENS = ["'descr'", "'shape'", "'fortran_order'", "'<f4'", "'>f4'", "'|O'", "'<V4'", "[('a', '<f4')]", "False", "True",
          "None", "(", ")", "[", "]", "{", "}", ",", ":", "-", "+", "1+", "3", "4L", "9" * 30, "9" * 5000, "(" * 3000,
          "-" * 3000, "3," * 3000, " " * 3000, "'", '"', "\\x00", "lambda: 0", "0x10", "1e9", "\xb2"]


def npy(rng, header=HEADER, data=bytes(48)):
    words = header.replace("(", "( ").replace(")", " )").split(" ")
    for _ in range(rng.randrange(0, 4) if rng else 0):
        at = rng.randrange(len(words))
        kind = rng.randrange(3)
        words[at:at + (kind != 0)] = [rng.choice(TOKENS)] if kind != 2 else []
        words = words or [""]
    text = (" ".join(words) + "\n").encode("latin-1")
    version = rng.choice([1, 1, 2, 3, 0, 4, 255]) if rng else 1
    size = rng.choice(NUMBERS) if rng and rng.randrange(12) == 0 else len(text)
    size = struct.pack("<H", size & 0xffff) if version == 1 else struct.pack("<I", size & 0xffffffff)
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def archive(rng, entries):
    """A zip file whose fields are changed, and some of whose entries are there twice, compressed, or bombs."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, data in entries:
            packed = rng and rng.randrange(20) == 0
            if packed and rng.randrange(2) == 0:
                data = bytes(1 << 20)
            file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED)
            if rng and rng.randrange(40) == 0:
                file.fp.write(b"PK\x03\x04")
    data = bytearray(stream.getvalue())
    for _ in range(rng.randrange(0, 3) if rng else 0):
        # Fields of the headers: sizes, offsets, methods, lengths of names.
        magic = rng.choice([b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"])
        starts = [at for at in range(len(data) - 4) if data[at:at + 4] == magic]
        if starts:
            at = rng.choice(starts) + rng.randrange(4, 46)
            value = struct.pack("<Q", rng.choice(NUMBERS) & (1 << 64) - 1)[:rng.choice([1, 2, 4])]
            data[at:at + len(value)] = value
    return bytes(data)


def npz(rng):
    entries = [("a.npy", npy(None)), ("b.npy", npy(None, HEADER.replace("f4", "i8").replace("3, 4", "6,")))]
    if rng:
        entries = [(name, npy(rng) if rng.randrange(3) == 0 else data) for name, data in entries]
        if rng.randrange(10) == 0:
            entries.append(rng.choice([entries[0], ("m/data.pkl", b"N."), ("c", b"")]))
    return archive(rng, entries)


def tensor_pickle(key, kind, sizes, strides):
    pid = b"(U\x07storagectorch\n" + kind + b"\nU\x01" + key + b"U\x03cpuK\x0ctQ"
    numbers = b"".join(b"(" + b"".join(b"K" + bytes([n]) for n in list_) + b"t" for list_ in (sizes, strides))
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + pid + b"K\x00" + numbers + b"\x89ccollections\nOrderedDict\n)RtRq\x05"


STATE = (b"\x80\x02ccollections\nOrderedDict\n)Rq\x00(X\x01\x00\x00\x00aq\x01" + tensor_pickle(b"0", b"FloatStorage", (3, 4), (4, 1)) +
         b"X\x03\x00\x00\x00netq\x02}q\x03(X\x01\x00\x00\x00b" + tensor_pickle(b"1", b"LongStorage", (3,), (1,)) +
         b"U\x01nK\x03U\x01lG?\xe0\x00\x00\x00\x00\x00\x00uu}U\x09_metadata}sb.")
#: Every operation of pickles, with arguments that announce much or little.
OPERATIONS = [op.code.encode("latin-1") for op in pickletools.opcodes]


def operation(rng):
    code = rng.choice(OPERATIONS)
    kind = rng.randrange(4)
    number = struct.pack("<Q", rng.choice(NUMBERS) & (1 << 64) - 1)
    if kind == 0:
        return code
    if kind == 1:
        return code + number[:rng.choice([1, 4, 8])]
    if kind == 2:
        return code + rng.choice([b"os\nsystem\n", b"torch\nFloatStorage\n", b"1\n", b"\x01a"])
    return rng.choice([b"}", b"]", b"(", b")", b"h\x00", b"h\x03", b"t", b"u", b"s", b"\x85", b"R", b"0", b"q\x00"])


def splice(rng, data):
    """Operations removed, repeated, moved and put in."""
    try:
        starts = [at for _, _, at in pickletools.genops(data)] + [len(data)]
    except Exception:  # what was changed before is no pickle any more
        return flip(rng, data)
    parts = [data[a:b] for a, b in zip(starts, starts[1:])]
    for _ in range(rng.randrange(1, 6)):
        at, kind = rng.randrange(len(parts)), rng.randrange(5)
        if kind == 0:
            del parts[at]
        elif kind == 1:
            parts.insert(at, parts[rng.randrange(len(parts))])
        elif kind == 2:
            parts[at:at] = [operation(rng)] * rng.choice([1, 1, 1, 2, 1000, 20000])
        elif kind == 3:
            parts[at] = operation(rng)
        else:
            end = rng.randrange(at, len(parts))
            parts[at:at] = parts[at:end] * rng.choice([1, 2, 20])
        parts = parts or [b"."]
    return b"".join(parts)


def laughs(rng):
    """Dictionaries that hold others twice, or themselves."""
    body, depth = b"\x80\x02", rng.randrange(2, 200)
    for n in range(depth):
        again = b"h" + bytes([n - 1]) if n else b"K\x01"
        body += b"}q" + bytes([n]) + b"(U\x01a" + again + b"U\x01b" + again + b"u"
    if rng.randrange(3) == 0:
        body += b"U\x01ch" + bytes([rng.randrange(depth)]) + b"s"
    return body + b"."


def pt(rng):
    data = STATE
    if rng:
        kind = rng.randrange(8)
        data = laughs(rng) if kind == 0 else flip(rng, data) if kind == 1 else data
        data = splice(rng, data) if kind > 2 or rng.randrange(4) == 0 else data
    return archive(rng if rng and rng.randrange(6) == 0 else None,
                   [("m/data.pkl", data), ("m/data/0", bytes(48)), ("m/data/1", bytes(24))])


def about(path, dtype, sizes, strides):
    return {"path_name": path, "use_pickle": False, "tensor_meta": {
        "dtype": dtype, "sizes": [{"as_int": n} for n in sizes], "strides": [{"as_int": n} for n in strides],
        "storage_offset": {"as_int": 0}}}


CONFIG = {"config": {"a": about("w0", 7, (3, 4), (4, 1)), "b": about("w1", 5, (3,), (1,))}}


def pt2(rng):
    text = change_tree(rng, CONFIG) if rng else json.dumps(CONFIG).encode()
    return archive(rng if rng and rng.randrange(6) == 0 else None, [
        ("m/data/weights/model_weights_config.json", text), ("m/data/weights/w0", bytes(48)), ("m/data/weights/w1", bytes(24))])


def index(rng):
    tree = {"metadata": {"total_size": 72}, "weight_map": {"a": "one.safetensors", "b": "one.safetensors"}}
    return change_tree(rng, tree) if rng else json.dumps(tree).encode()


READERS = {"safetensors": (safetensors, ".safetensors"), "npy": (npy, ".npy"), "npz": (npz, ".npz"), "pt": (pt, ".pt"),
           "pt2": (pt2, ".pt2"), "index": (index, ".safetensors.index.json")}


def run(name, count, seed, folder):
    """What a child does; its peak of memory and its death are the parent's to judge."""
    from kiln import Error, weights
    warnings.simplefilter("ignore")  # entries of equal names are meant
    make, suffix = READERS[name]
    path = os.path.join(folder, "input" + suffix)
    with open(os.path.join(folder, "one.safetensors"), "wb") as file:
        file.write(safetensors(None))
    rng, taken = random.Random(f"{name} {seed}"), 0
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for n in range(-1, count):
        data = make(rng if n >= 0 else None)
        if n >= 0 and rng.randrange(8) == 0:
            data = flip(rng, data)
        with open(path, "wb") as file:
            file.write(data)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            for tensor in weights.map_file(path)[0].values():
                numpy.asarray(tensor).tobytes()
            taken += 1
        except Error as error:
            if n < 0:
                raise AssertionError("the file as it was made is refused") from error
            assert str(error).startswith(folder), error
        signal.setitimer(signal.ITIMER_REAL, 0)
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10 > PEAK:
            raise AssertionError("more than 1 GiB of memory")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{name}: {count} files, {taken - 1} taken, {count - taken + 1} refused, peak of {peak} MiB", flush=True)


def main():
    build, count = sys.argv[1], int(sys.argv[2])
    seed = sys.argv[3] if len(sys.argv) > 3 else "1"
    if build != "-":
        sys.path.insert(0, os.path.join(build, "python"))
    status = 0
    for name in sys.argv[4:] or READERS:
        folder = tempfile.mkdtemp(prefix=f"weights-{name}-")
        child = os.fork()
        if child == 0:
            # What announces more than there is must not take it.
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
            try:
                run(name, count, seed, folder)
            except BaseException as error:
                print(f"{name}: {type(error).__name__}: {str(error)[:500]}", flush=True)
                os._exit(1)
            os._exit(0)
        _, ended = os.waitpid(child, 0)
        if ended:
            print(f"{name}: FAILED ({'signal' if ended & 127 else 'status'} {ended & 127 or ended >> 8}), the file is in {folder}")
            status = 1
            continue
        for path in os.listdir(folder):
            os.unlink(os.path.join(folder, path))
        os.rmdir(folder)
    return status


if __name__ == "__main__":
    sys.exit(main())
