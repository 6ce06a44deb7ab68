# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages, the cache, and calls that go straight to them."""
import os
import sys
import tempfile
from unittest import mock

import numpy
import torch

import kiln
import kiln.torch
from kiln.torch import cache

from behaviours import fast, main, same, test


@test
def small_calls_go_straight_to_the_package():
    def function(x, y):
        return x + y, x * 2
    plain = fast(function, fullgraph=True, dynamic=True)
    weight = torch.nn.Parameter(torch.randn(3, 4))
    with torch.no_grad():
        for x, y in ((torch.randn(3, 4), torch.randn(3, 4)), (torch.randn(8, 5)[::2, ::3].t(), torch.randn(4, 2).t()),
                     (torch.randn(4, 3).t(), torch.randn(3, 4)), (torch.randn(0, 4), torch.randn(1, 4)), (weight, weight)):
            same(plain(x, y), function(x, y))
            assert not plain(x, y)[0].requires_grad
    x = torch.randn(3, 4)
    made = plain(weight, x)  # with a gradient now
    made[0].sum().backward()
    same(weight.grad, torch.ones(3, 4))
    # Nothing may be left out where more than new results is wanted.
    with torch.no_grad():
        for more in (lambda x, y: (y, x + y), lambda x, y: (x + y, (x * 2)[1:]), lambda x, y: [x.mul_(2), y + 1][1],
                     lambda x, y: ((z := x + y), z), lambda x, y: (x + y, 3),
                     lambda x, y: (x + y).to_sparse().to_dense()):
            a, b = torch.randn(3, 4), torch.randn(3, 4)
            c, d = a.clone(), b.clone()
            want, got = more(a, b), fast(more)(c, d)
            same((got, c, d), (want, a, b))
            if isinstance(want, tuple) and isinstance(want[1], torch.Tensor):
                assert (want[0].data_ptr() == want[1].data_ptr()) == (got[0].data_ptr() == got[1].data_ptr())


@test
def the_cache_is_used():
    with tempfile.TemporaryDirectory() as folder:
        with mock.patch.dict(os.environ, KILN_CACHE_DIR=folder):
            x = torch.randn(5)
            for _ in range(2):
                torch._dynamo.reset()
                cache.statistics.update(compiled=0, found=0)
                fast(lambda x: x * 3 + 1, fullgraph=True)(x)
            assert cache.statistics == {"compiled": 0, "found": 1}, cache.statistics


@test
def graphs_that_were_seen_before_are_not_traced():
    import subprocess
    program = """
import sys
import numpy
import torch
import kiln.torch
from kiln.torch import cache

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 4)
    def forward(self, x):
        return torch.nn.functional.hardswish(self.layer(x), inplace=True) * SCALE, x.sum(1)

torch.manual_seed(0)
model = Model().eval()
fast = torch.compile(model, backend="kiln", fullgraph=True)
with torch.no_grad():
    x = torch.randn(5, 6)
    torch.testing.assert_close(fast(x), model(x))
print("kiln.torch.aot" in sys.modules, cache.statistics, len(kiln.torch.report), kiln.torch.report[0].nodes)
"""
    with tempfile.TemporaryDirectory() as folder:
        def run(scale, **environment):
            return subprocess.run([sys.executable, "-W", "ignore", "-c", program.replace("SCALE", scale)], text=True, check=True,
                                  env=dict(os.environ, KILN_CACHE_DIR=folder, **environment),
                                  stdout=subprocess.PIPE).stdout.strip()
        first, second = run("1.5"), run("1.5")
        assert first.startswith("True {'compiled': 1, 'found': 0} 1 "), first
        assert second.startswith("False {'compiled': 0, 'found': 1} 1 "), second
        assert first.rpartition(" ")[2] == second.rpartition(" ")[2], (first, second)
        assert run("2.5").startswith("True {'compiled': 1, 'found': 0}")  # another graph
        assert run("1.5", KILN_TARGET="cpu:x86-64-v2").startswith("True {'compiled': 1, 'found': 0}")  # another target
        for name in os.listdir(folder):  # what cannot be read is made again
            if name.endswith(".graph"):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write("{")
        assert run("1.5").startswith("True {'compiled': 0, 'found': 1}")


@test
def what_decides_about_a_graph_is_in_its_key():
    from kiln.torch import host, recall  # noqa: F401
    keys = []

    def backend(module, inputs):
        keys.append(recall.key(module, "cpu"))
        return module.forward

    def key_of(function, *arguments, **options):
        torch._dynamo.reset()
        torch.compile(function, backend=backend, **options)(*arguments)
        return keys[-1]

    x, double = torch.randn(4, 4), lambda x: x * 2
    with mock.patch.dict(os.environ, KILN_CACHE_DIR=tempfile.gettempdir()):
        same_again = lambda y: y * 2  # noqa: E731
        assert key_of(double, x) == key_of(same_again, x.clone()) is not None
        others = [key_of(double, x), key_of(lambda x: x * 2.0, x), key_of(lambda x: x * True, x), key_of(lambda x: 2 - x, x),
                  key_of(double, x.t()), key_of(double, x[:2]), key_of(double, x.double()), key_of(double, x.int()),
                  key_of(double, torch.randn(4, 5)[:, :4]), key_of(double, torch.nn.Parameter(x)),
                  key_of(lambda x: x * 0.0, x), key_of(lambda x: x * -0.0, x), key_of(lambda x: x.add_(2), x),
                  key_of(lambda x: x.add(2), x), key_of(lambda x: x[1:3], x),
                  key_of(lambda x: x[1:], x), key_of(lambda x: x.sum(dtype=torch.float64), x), key_of(lambda x: x.sum(), x)]
        with torch.no_grad():
            others.append(key_of(double, x))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            others.append(key_of(double, x))
        assert None not in others and len(set(others)) == len(others), others
        # Sizes that change, tensors that the graph holds, operations and functions of others.
        assert key_of(double, x, dynamic=True) is None
        assert key_of(lambda x: torch.ops.kiln.lu(x)[0], x) is None
        assert key_of(lambda x: torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,)), x) is None
        allowed = torch.compiler.allow_in_graph(lambda x: x * 2)
        assert key_of(lambda x: allowed(x) + 1, x) is None


@test
def a_package_without_torch():
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    x = torch.randn(3, 4)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.kiln")
        kiln.export(torch.export.export(model, (x,)), path)
        loaded = kiln.load(path)
        assert set(loaded.weights) == set(model.state_dict()) and len(loaded.inputs) == 1, loaded
        with torch.no_grad():
            same(torch.from_dlpack(loaded(x)), model(x))
        for cut in (0, 7, 40):  # a file that is damaged is refused
            with open(path.replace(".kiln", ".safetensors"), "rb") as file:
                content = file.read()
            broken = os.path.join(folder, "broken.safetensors")
            with open(broken, "wb") as file:
                file.write(content[:cut])
            try:
                kiln.load(path, weights=broken)
            except kiln.Error:
                continue
            raise AssertionError(f"{cut} bytes were taken")


class Nested(torch.nn.Module):
    """Writes an argument, and gives all that a program may give."""

    def forward(self, x, parts, *, scale, cache):
        cache.add_(x)
        return {"sum": x + parts["a"] + parts["b"][0], "more": [None, cache * scale]}, x.shape[0], "name"


@test
def a_package_is_called_as_the_model():
    def given():
        torch.manual_seed(0)
        return (torch.randn(4), {"a": torch.randn(4), "b": (torch.randn(4),)}), {"scale": torch.randn(4), "cache": torch.zeros(4)}

    for shapes in (None, {"x": {0: torch.export.Dim("n")}, "parts": {"a": {0: torch.export.Dim("n")}, "b": ({0: torch.export.Dim("n")},)},
                          "scale": {0: torch.export.Dim("n")}, "cache": {0: torch.export.Dim("n")}}):
        args, named = given()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.kiln")
            kiln.export(torch.export.export(Nested(), args, named, dynamic_shapes=shapes, strict=False), path)
            loaded = kiln.load(path)
            args, named = given()
            ours = loaded(*args, **named)
            (args, wanted) = given()
            theirs = Nested()(*args, **wanted)
            same(named["cache"], wanted["cache"])
            assert list(ours[0]) == ["sum", "more"] and ours[0]["more"][0] is None and ours[1:] == theirs[1:], ours
            same(torch.from_dlpack(ours[0]["sum"]), theirs[0]["sum"])
            same(torch.from_dlpack(ours[0]["more"][1]), theirs[0]["more"][1])
            for bad, message in (((args, {}), "scale"), (((args[0], {"a": args[0]}), named), "expected a dictionary of"),
                                 (((args[0], {"a": args[0], "b": args[0]}), named), "expected a tuple of 1 values")):
                try:
                    loaded(*bad[0], **bad[1])
                except TypeError as error:
                    assert message in str(error), error
                    continue
                raise AssertionError(bad)


class Counted(torch.nn.Module):
    """Takes integers of Python: one that may change, and one that may not."""

    def forward(self, x, k: int, times: int = 2):
        return x[:, :k] * k * times, x.unflatten(0, (-1, 2)).sum(1), torch.nn.functional.pad(x, (0, k))


@test
def a_package_takes_integers_and_multiples_of_sizes():
    half, width = torch.export.Dim("half", min=1), torch.export.Dim("width", min=5)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.kiln")
        kiln.export(torch.export.export(Counted(), (torch.randn(6, 9), 4, 3), strict=False, dynamic_shapes=(
            {0: 2 * half, 1: width}, torch.export.Dim.DYNAMIC, None)), path)
        loaded = kiln.load(path)
        for rows, columns, k in ((6, 9, 4), (2, 5, 1), (14, 7, 7)):
            x = torch.randn(rows, columns)
            same([torch.from_dlpack(one) for one in loaded(x, k, 3)], list(Counted()(x, k, 3)))
        for bad, kind, message in (((x, 4, 5), ValueError, "expected 3, with which the program was exported, found 5"),
                                   ((x, 4.0, 3), TypeError, "expected an integer, found float")):
            try:
                loaded(*bad)
            except kind as error:
                assert message in str(error), error
                continue
            raise AssertionError(bad)


class Ranges(torch.nn.Module):
    def forward(self, x, i, j, k):
        return x.narrow(0, 0, i) + 1, x[j] * 2, x.narrow(0, k, 2) - 1


@test
def a_package_refuses_integers_out_of_range():
    x = torch.arange(6.0)
    for size in (None, {0: torch.export.Dim.DYNAMIC}):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.kiln")
            dynamic = (size, *[torch.export.Dim.DYNAMIC] * 3)
            kiln.export(torch.export.export(Ranges(), (x, 3, 4, 2), strict=False, dynamic_shapes=dynamic), path)
            loaded = kiln.load(path)
            for given in ((6, 5, 4), (0, 0, 0), (1, 2, 3)):
                same([torch.from_dlpack(one) for one in loaded(x, *given)], list(Ranges()(x, *given)))
            for bad in ((7, 4, 2), (-1, 4, 2), (10**6, 4, 2), (3, 6, 2), (3, 2**62, 2), (3, 4, 5), (3, 4, -1)):
                try:
                    loaded(x, *bad)
                except RuntimeError as error:
                    assert "out of the range" in str(error) or bad[0] < 0, error  # no tensor has a negative size
                    continue
                raise AssertionError(bad)


class Cached(torch.nn.Module):
    """Writes a row of a buffer and of an argument at an integer position, and reads those before it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.zeros(8, 4))

    def forward(self, x, given, position: int):
        self.rows.select(0, position).copy_(x)
        given.narrow(1, position, 1).copy_(x[:2, None])
        return self.rows.narrow(0, 0, position + 1).sum(0), given[:, :position + 1].sum(1)


@test
def a_write_at_an_integer_position_copies_no_buffer():
    for size in (None, {1: torch.export.Dim("columns", max=64)}):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.kiln")
            exported = torch.export.export(Cached(), (torch.ones(4), torch.zeros(2, 9), 3), strict=False,
                                           dynamic_shapes=(None, size, torch.export.Dim.DYNAMIC))
            kiln.export(exported, path)
            loaded, eager = kiln.load(path), Cached()
            assert {name for _, name in loaded._written} == {"given", "rows"}, loaded._written
            ours, theirs = torch.zeros(2, 9), torch.zeros(2, 9)
            address = loaded.weights["rows"].__array_interface__["data"][0]
            for position in (0, 5, 7):
                x = torch.randn(4)
                same([torch.from_dlpack(one) for one in loaded(x, ours, position)], list(eager(x, theirs, position)))
                same(ours, theirs)
            for bad in (8, -9, 2**62):
                try:
                    loaded(torch.ones(4), ours, bad)
                except RuntimeError as error:
                    assert "out of the range" in str(error), error
                    same(ours, theirs)
                    same(torch.from_dlpack(loaded.weights["rows"]), eager.rows)
                    continue
                raise AssertionError(bad)
            assert loaded.weights["rows"].__array_interface__["data"][0] == address


@test
def ranges_that_are_none_are_refused():
    from kiln import ranges
    names = {"x", "k"}
    for good in (1, ["number", "k"], ["size", "x", 0], ["le", ["add", 1, ["number", "k"]], ["floordiv", ["size", "x", 1], 2]]):
        assert ranges.is_range(good, names), good
    for bad in (True, 1.0, None, "k", [], ["number"], ["number", "y"], ["size", "x"], ["size", "x", -1], ["size", "x", True], ["lt", 1],
                ["add"], ["eval", 1, 2], ["lt", 1, ["pow", 2, 3]], [["lt"], 1, 2]):
        assert not ranges.is_range(bad, names), bad
    given = {"x": torch.zeros(3, 4), "k": 2}
    assert ranges.holds(["eq", ["mod", ["mul", ["size", "x", 1], -1], 3], 2], given)
    assert not ranges.holds(["or", ["gt", ["max", 1, ["number", "k"]], 2], ["lt", ["floordiv", -1, 2], -1]], given)
    assert not ranges.holds(["eq", ["mod", 1, 0], 0], given) and ranges.holds(["lt", ["size", "x", 2], 0], given)


class Waves(torch.nn.Module):
    """Complex weights, state, arguments and results."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4, 4, dtype=torch.complex64))
        self.register_buffer("sum", torch.zeros(2, dtype=torch.complex64))

    def forward(self, x, z, written):
        self.sum.add_(z[:2, 0])
        written.mul_(2j)
        return {"spectrum": torch.fft.rfft(x), "rest": (z @ self.weight, self.sum.clone(), x + 1)}


@test
def packages_take_and_return_complex_numbers():
    model = Waves()
    x, z, written = torch.randn(3, 8), torch.randn(3, 4, dtype=torch.complex64), torch.randn(2, 6, dtype=torch.complex128)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "waves.kiln")
        kiln.export(torch.export.export(model, (x, z, written.clone())), path)
        loaded = kiln.load(path)
        # The last two are tensors whose memory holds the conjugates, and the negatives.
        for form in (lambda one: one.clone(), lambda one: one.numpy().copy(), lambda one: one.mT.contiguous().mT,
                     lambda one: one.numpy().T.copy().T, lambda one: one.conj().resolve_conj().conj(),
                     lambda one: torch._neg_view(-one)):
            given, again = form(written), written.clone()
            got, want = loaded(x, form(z), given), model(x, z, again)
            assert got["spectrum"].dtype == "complex64" and torch.as_tensor(got["rest"][2]).dtype == torch.float32
            same(torch.from_numpy(got["spectrum"]), want["spectrum"])
            same([torch.as_tensor(one) for one in got["rest"]], list(want["rest"]))
            same(torch.as_tensor(given), again)
        loaded = kiln.load(path, weights={"weight": torch.eye(4, dtype=torch.complex64)})
        same(torch.from_numpy(loaded(x, z, written)["rest"][0]), z)


class Shift(torch.nn.Module):
    def forward(self, x, y):
        return x + 1, x + y


@test
def packages_take_scalars_of_numpy_and_negated_memory():
    x = torch.tensor([1 + 1j, 2 + 2j, 3j], dtype=torch.complex64)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "shift.kiln")
        kiln.export(torch.export.export(Shift(), (x, x[0])), path)
        made = kiln.load(path)(x, numpy.complex64(2 + 5j))
        same(torch.from_numpy(made[1]), x + (2 + 5j))
        kiln.export(torch.export.export(Shift(), (x.real.clone(), x.real.clone())), path)
        negated = x.conj().imag
        same(torch.as_tensor(kiln.load(path)(negated, negated)[0]), negated + 1)


@test
def packages_of_recurrent_layers():
    layer, x = torch.nn.LSTM(4, 5, 2, bidirectional=True).eval(), torch.randn(3, 2, 4)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.kiln")
        kiln.export(torch.export.export(layer, (x,)), path)
        made, last = kiln.load(path)(x)
        wanted, wanted_last = layer(x)
        for got, want in zip((made, *last), (wanted, *wanted_last)):
            same(torch.from_dlpack(got), want)


if __name__ == "__main__":
    sys.exit(main())
