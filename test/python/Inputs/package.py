# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the package `kiln` promises, with numpy as the other library."""
import gc
import os
import resource
import sys
import threading

import numpy

import kiln
import kiln.compiler

EXAMPLES = sys.argv[1]
kiln.compiler.compile(f"{EXAMPLES}/norm_tosa.mlir", "cpu", "norm.kiln")
kiln.compiler.compile(f"{EXAMPLES}/vector_add.mlir", "cpu", "add.kiln")
done = 0


def test(function):
    global done
    function()
    done += 1


def fails(kind, part, function, *args, **options):
    try:
        function(*args, **options)
    except kind as error:
        assert part in str(error), str(error)
        return
    raise AssertionError(f"expected {kind.__name__} with '{part}'")


def invent(entry):
    numbers = numpy.random.default_rng(1)
    return [numbers.random([size or 8 for size in one.shape], dtype="float32") for one in entry.arguments]


@test
def calls_a_function():
    program = kiln.load("norm.kiln")
    entry = program.default
    args = invent(entry)
    result = program(*args)
    assert result.dtype == "f32" and result.shape == entry.results[0].shape
    assert numpy.isfinite(numpy.asarray(result)).all()
    assert repr(entry).startswith("<kiln entry ")
    again = program[program.entries[0]](*args)
    assert numpy.array_equal(numpy.asarray(again), numpy.asarray(result))


@test
def writes_where_it_is_told():
    program = kiln.load("norm.kiln")
    args = invent(program.default)
    expected = numpy.asarray(program(*args))
    out = numpy.zeros_like(expected)
    assert program(*args, out=out) is out
    assert numpy.array_equal(out, expected)


@test
def launches_a_kernel():
    program = kiln.load("add.kiln")
    a, b, c = (numpy.random.default_rng(n).random(3000, dtype="float32") for n in range(3))
    assert program.default(a, b, c, grid=(3,)) is None
    assert numpy.array_equal(c, a + b)


@test
def takes_bytes_and_paths():
    with open("norm.kiln", "rb") as file:
        text = file.read()
    assert kiln.load(text).entries == kiln.load("norm.kiln", "cpu,threads=1").entries
    assert kiln.load("norm.kiln").package.targets == ["cpu"]
    assert kiln.load("norm.kiln").package.signer is None


@test
def does_not_write_to_what_forbids_it():
    program = kiln.load("norm.kiln")
    args = invent(program.default)
    expected = numpy.asarray(program(*args))
    for one in args:
        one.setflags(write=False)
    assert numpy.array_equal(numpy.asarray(program(*args)), expected)


@test
def shares_memory():
    tensor = kiln.Tensor("f32", (2, 3), numpy.arange(6, dtype="float32").tobytes())
    view, other = numpy.asarray(tensor), numpy.from_dlpack(tensor)
    view[1, 2] = 7
    assert other[1, 2] == 7 and tensor.strides == (3, 1) and not tensor.on_device
    del tensor
    gc.collect()
    assert view[1, 2] == 7 and other[0, 1] == 1


@test
def knows_types_that_numpy_lacks():
    assert numpy.asarray(kiln.Tensor("bf16", (3,), b"abcdef")).tolist() == [25185, 25699, 26213]
    assert numpy.asarray(kiln.Tensor("i1", (2,), b"\1\0")).tolist() == [True, False]
    assert numpy.asarray(kiln.as_tensor(2.5, "f32")).shape == ()
    assert numpy.asarray(kiln.as_tensor(numpy.int64(-3), "i32")) == -3


@test
def saves_and_loads_npy():
    tensor = kiln.Tensor("i32", (4,), numpy.arange(4, dtype="int32").tobytes())
    tensor.save_npy("four.npy")
    assert numpy.load("four.npy").tolist() == [0, 1, 2, 3]
    assert numpy.asarray(kiln.load_npy("four.npy")).tolist() == [0, 1, 2, 3]


@test
def says_what_is_wrong():
    program = kiln.load("norm.kiln")
    count = len(program.default.arguments)
    fails(TypeError, f"takes {count} arguments, found 0", program)
    fails(TypeError, "expected a tensor with DLPack or a number, found str", program, *["x"] * count)
    fails(kiln.Error, "expected", program, *[numpy.zeros(3, "float32")] * count)
    fails(kiln.Error, "nowhere", kiln.load, "nowhere")
    fails(kiln.Error, "not a Kiln package", kiln.load, b"nonsense")
    fails(kiln.Error, "it has 'cpu'", kiln.load, "norm.kiln", "gpu")
    fails(kiln.Error, "there is no entry 'no'", lambda: program["no"])
    fails(kiln.Error, "expected a PEM file", kiln.load, "norm.kiln", keys=[os.devnull])
    fails(ValueError, "unknown type of elements 'f33'", kiln.Tensor, "f33", (1,))
    fails(ValueError, "expected 8 bytes, found 3", kiln.Tensor, "f32", (2,), b"abc")
    fails(kiln.Error, "too large", kiln.Tensor, "f32", (1 << 40, 1 << 40))
    fails(kiln.Error, "-1", kiln.Tensor, "f32", (-1,))
    fails(TypeError, "", kiln.Tensor, "f32", 3)
    fails(ValueError, "one to three", program.default, *invent(program.default), grid=(1, 2, 3, 4))
    fails(TypeError, "cannot become a tensor of type bf16", kiln.as_tensor, 1.0, "bf16")
    fails(RuntimeError, "nowhere.mlir", kiln.compiler.compile, "nowhere.mlir", "cpu", "no.kiln")


@test
def works_in_threads():
    program = kiln.load("norm.kiln")
    args = invent(program.default)
    expected = numpy.asarray(program(*args))
    wrong = []

    def work():
        for _ in range(20):
            if not numpy.array_equal(numpy.asarray(program(*args)), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@test
def gives_memory_back():
    program = kiln.load("norm.kiln")
    args = invent(program.default)
    big = numpy.zeros(1 << 20, "float32")

    def cycle(count):
        for _ in range(count):
            kiln.as_tensor(big)
            kiln.Tensor("f32", (1 << 20,))
            numpy.from_dlpack(kiln.Tensor("f32", (1 << 18,)))
            program(*args)

    cycle(20)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cycle(200)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 65536
    program.trim()


print(f"{done} tests")
