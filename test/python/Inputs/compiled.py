# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilations, reports and timings as objects."""
import sys
import types

import numpy

import kiln
import kiln.compiler

EXAMPLES, SCRIPTS = sys.argv[1:]
KERNEL = f"{EXAMPLES}/matmul_leaky_relu.mlir"
SCRIPT = f"{SCRIPTS}/Inputs/product.script"
SPEC = "cpu:x86-64-v3"
done = 0


def test(function):
    global done
    function()
    done += 1


def operands():
    numbers = numpy.random.default_rng(1)
    # bf16 as bits: numbers from 1 to 2.
    made = [numpy.asarray(numbers.integers(0x3F80, 0x4000, size), dtype="u2") for size in ((64, 128), (128, 128))]
    return [kiln.Tensor("bf16", one.shape, one.tobytes()) for one in made] + [kiln.Tensor("bf16", (64, 128), bytes(64 * 128 * 2))]


@test
def compiles_and_calls():
    made = kiln.compile(KERNEL, SPEC)
    assert isinstance(made, kiln.Compiled) and made.package and not made.rows("script")
    assert made.rows(kernel="matmul_leaky_relu")
    text = kiln.compile("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %r = prim.neg %x : tensor<4xf32>\n"
                        "  return %r : tensor<4xf32>\n}\n")
    assert numpy.array_equal(numpy.asarray(text(numpy.ones(4, "f4"))), -numpy.ones(4, "f4"))
    text.save("negate.kiln")
    assert kiln.load("negate.kiln").entries == ("f",)


@test
def follows_a_script():
    results = []
    for schedule in (None, SCRIPT, open(SCRIPT).read()):
        made = kiln.compile(KERNEL, SPEC, schedule=schedule)
        given = operands()
        made(*given, grid=(1, 1))
        results.append((numpy.asarray(given[2]).astype("u4") << 16).view("f4"))
    rows = made.rows("script")
    assert [row.chosen for row in rows] == ["blocks", "instruction", "storage"], rows
    assert "schedule.mlir:8:5" in rows[1].detail
    assert numpy.array_equal(results[1], results[2]) and (results[0] > 100).all()
    assert numpy.allclose(results[0], results[1], rtol=0.01)


@test
def reports_errors():
    wrong = open(SCRIPT).read().replace("fma.f32", "wgmma")
    try:
        kiln.compile(KERNEL, SPEC, schedule=wrong)
    except kiln.CompileError as error:
        assert "schedule.mlir:8:5: error: unsupported: " in error.diagnostics[0], error.diagnostics
    else:
        raise AssertionError("expected an error")


@test
def runs_passes():
    text = kiln.opt(KERNEL, "cpu-select-matrix-instructions", target=SPEC, schedule=SCRIPT)
    assert '#cpu.product<row = "fma.f32", rows = 4, columns = 16' in text
    assert "tile.kernel" in kiln.opt(open(KERNEL).read(), "canonicalize")


@test
def notices_other_scripts():
    marks = set()
    for text in ("one", "two", "one"):
        with open("some.script", "w") as file:
            file.write(text)
        marks.add(kiln.compiler.contents_of("cpu,schedule_file=some.script,threads=1"))
    assert len(marks) == 2 and kiln.compiler.contents_of("cpu") not in marks


@test
def measures_by_turns():
    one, two = kiln.measure([lambda x: x, lambda x: x], 1, calls=4, warmup=1)
    assert len(one) == len(two) == 4 and 0 <= one.least <= one.median <= max(one.seconds)
    assert isinstance(kiln.measure(len, "x", calls=1), kiln.Timing)


@test
def exports_what_it_says():
    for name in kiln.__all__:
        assert hasattr(kiln, name), name
    modules = {name for name, value in vars(kiln).items() if isinstance(value, types.ModuleType) and not name.startswith("_")}
    assert modules <= {"compiled", "compiler", "near", "progress", "specs", "tools"}, modules
    names = {}
    exec("from kiln import *", names)  # pylint: disable=exec-used
    assert not {"os", "struct", "tempfile", "collections"} & set(names)


@test
def needs_no_terminal():
    made = kiln.compile(KERNEL, SPEC, quiet=True)
    assert not any(line.startswith("progress:") for line in made.diagnostics)


print(f"{done} tests")
