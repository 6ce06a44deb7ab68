#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls with tensors on a GPU, without one: a driver takes memory by its address and has queues of others, as those of GPUs do. It runs
the kernels of the CPU, so that tensors of the host stand for those of a GPU. The functions of torch that ask for the current GPU and
its stream are replaced.
Usage: queued_calls.py RETARGET FOLDER"""
import contextlib
import gc
import os
import subprocess
import sys
import threading
import weakref

import torch
from torch import nn

import kiln
import kiln.torch
from kiln.torch import backend, compiled, devices

RETARGET, FOLDER = sys.argv[1:]
CASES = []
#: What the replaced functions say, and what was asked of them.
current = {"device": 0, "stream": 77, "recording": False}
allocated, interpreted, made_calls = [], [], []


class Gpu(str):
    """A name for the host that the graph's device can be, and torch takes."""
    type, index = "cuda", 0


def allocate(shape, strides, dtype):
    allocated.append((shape, strides, dtype))
    return torch.empty_strided(shape, strides, dtype=dtype)


def replace():
    torch.cuda.device = lambda device: contextlib.nullcontext()
    torch.cuda.current_device = lambda: 0
    torch.cuda.current_stream = lambda device=None: type("Stream", (), {"cuda_stream": current["stream"]})
    torch.cuda.is_current_stream_capturing = lambda: current["recording"]
    torch.Tensor.is_pinned = lambda self: False
    torch._C._cuda_getDevice = lambda: current["device"]
    torch._C._cuda_getCurrentRawStream = lambda number: current["stream"]
    backend.devices.of = lambda graph: Gpu("cpu")
    devices.target_of, devices.runs_on = (lambda device: "cpu"), (lambda target, device: True)
    devices._allocate = lambda: allocate
    devices.ON_DEVICE = 0  # torch takes no tensors of this driver's
    bind, initialise, load, run = devices.bind_queued, compiled.Compiled.__init__, kiln.load, devices.Calls._interpreted
    devices.bind_queued = lambda session, entry, api, place, *rest: bind(session, entry, api, (1, 0, 1), *rest)

    def loaded(package, target):
        paths = [os.path.join(FOLDER, name) for name in ("in.kpkg", "out.kpkg")]
        with open(paths[0], "wb") as file:
            file.write(package)
        subprocess.run([RETARGET, *paths, "fake"], check=True)
        return load(paths[1], "fake")

    def initialised(self, *arguments):
        initialise(self, *arguments)
        self.near, made_calls[:] = [], [*made_calls, self.calls]
        self.direct = self._is_direct()

    def counted(self, given):
        interpreted.append(len(given))
        return run(self, given)

    compiled.kiln.load, compiled.Compiled.__init__, devices.Calls._interpreted = loaded, initialised, counted


def case(function):
    CASES.append(function)
    return function


def fast(function, **options):
    torch._dynamo.reset()
    made_calls.clear()
    return torch.compile(function, backend="kiln", **{"fullgraph": True, **options})


def near(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape, (found.dtype, found.shape, expected.dtype, expected.shape)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def same(function, *given, is_interpreted=False, **options):
    """The same results three times, of the way that is expected."""
    run, expected = fast(function, **options), function(*given)
    for _ in range(3):
        interpreted.clear()
        found = run(*given)
        for one, other in zip(*([made] if isinstance(made, torch.Tensor) else made for made in (found, expected))):
            near(one, other)
        assert bool(interpreted) == is_interpreted, "interpreted" if interpreted else "not interpreted"
    return run


@case
def one_kernel():
    x, y, z = (torch.randn(8, 64) for _ in range(3))
    with torch.no_grad():
        run = same(lambda x, y, z: x * y + z, x, y, z)
        allocated.clear()
        first, second = run(x, y, z), run(y, x, z)
        assert allocated == [((8, 64), (64, 1), torch.float32)] * 2, allocated
        assert first.data_ptr() != second.data_ptr() and not first.requires_grad
    with torch.inference_mode():
        assert run(x, y, z).is_inference()


@case
def recorded():
    """A graph of CUDA replays kernels for as long as it lives: what they need stays, constants of the graph as well."""
    for is_recorded in (False, True):
        run, x = fast(lambda x: x * torch.tensor([float(n) for n in range(64)])), torch.randn(8, 64)
        with torch.no_grad():
            run(x)
            current["recording"] = is_recorded
            run(x)
            current["recording"] = False
        found = [weakref.ref(made_calls[0]), *map(weakref.ref, made_calls[0].added)]
        assert len(found) == 2, found
        made_calls.clear()
        del run
        torch._dynamo.reset()
        gc.collect()
        assert [one() is not None for one in found] == [is_recorded] * 2, (is_recorded, found)


@case
def failed_preparations():
    """Arguments that no call can be prepared for do not shut off those that it is prepared for."""
    x = torch.randn(8, 64)
    with torch.no_grad():
        run = fast(lambda x: x * 2)
        run(x)
        queued = made_calls[0].queued
        for _ in range(6):
            try:
                queued(torch.randn(3, 5))
                raise AssertionError("expected an error")
            except kiln.Error:
                pass
        interpreted.clear()
        queued(x)
        assert not interpreted


@case
def settings_of_precision():
    """The new names of torch's settings, which the old ones refuse to be mixed with."""
    before = torch.backends.cuda.matmul.fp32_precision
    torch.backends.cuda.matmul.fp32_precision = "tf32"
    try:
        x = torch.randn(8, 8)
        torch.testing.assert_close(fast(lambda x: x @ x)(x), x @ x, rtol=0, atol=0.05)  # of tf32
    finally:
        torch.backends.cuda.matmul.fp32_precision = before


@case
def scratch_and_constants():
    torch.manual_seed(1)
    table = torch.randn(64)
    model = nn.Sequential(nn.Linear(64, 96), nn.GELU(), nn.LayerNorm(96), nn.Linear(96, 32), nn.Softmax(-1))
    with torch.no_grad():
        run = same(lambda x: (model(x + table), x.cumsum(0)), torch.randn(7, 64))
        allocated.clear()
        run(torch.randn(7, 64))
    kinds = [dtype for _, _, dtype in allocated]
    assert kinds.count(torch.uint8) <= 1 and set(kinds[:2]) == {torch.float32}, kinds


@case
def training():
    models = [nn.Sequential(nn.Linear(12, 33), nn.Tanh(), nn.Linear(33, 5)) for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    run = fast(models[0])
    for seed in range(3):
        x = torch.randn(9, 12, generator=torch.Generator().manual_seed(seed))
        losses = [one(x).square().mean() for one in (run, models[1])]
        for loss in losses:
            loss.backward()
        near(*losses)
    for mine, theirs in zip(models[0].parameters(), models[1].parameters()):
        near(mine.grad, theirs.grad)
    assert not interpreted


@case
def places_of_arguments():
    """Strides, slices that begin anywhere, one tensor several times, no elements."""
    x = torch.randn(40, 40)
    with torch.no_grad():
        run = fast(lambda x, y: x.exp() + y)
        for one, other in ((x.t(), x), (x[1:, 1:], x[:-1, :-1]), (x, x), (x[0][None].expand(40, 40), x)):
            near(run(one, other), one.exp() + other)
        run, flat = fast(lambda x: x.exp() * 2), torch.randn(1000)
        for begin in [*range(20), *range(20)]:
            near(run(flat[begin:begin + 256]), flat[begin:begin + 256].exp() * 2)
        same(lambda x, y: (x * 2, x.sum(), y.flatten()), torch.zeros(0, 5), torch.zeros(3, 0))
    assert not interpreted


@case
def open_sizes():
    """Results whose sizes the call says, of more sizes than calls are kept for."""
    run = fast(lambda x, y: (torch.softmax(x @ x.transpose(-1, -2), -1) @ y, x.sum(0)), dynamic=True)
    with torch.no_grad():
        for size in [*range(2, 50), 2, 30]:
            x, y = torch.randn(3, size, 20), torch.randn(3, size, 4)
            allocated.clear()
            made = run(x, y)
            near(made[0], torch.softmax(x @ x.transpose(-1, -2), -1) @ y)
            near(made[1], x.sum(0))
            assert [shape for shape, _, dtype in allocated if dtype != torch.uint8] == [(3, size, 4), (size, 20)], allocated
    assert not interpreted


@case
def sizes_that_no_tensor_has():
    run = fast(lambda x, n: x * n + n, dynamic=True)
    with torch.no_grad():
        for n in (3, 5, 9):
            near(run(torch.ones(6), n), torch.ones(6) * n + n)


@case
def element_types():
    with torch.no_grad():
        for dtype in (torch.uint8, torch.int64, torch.bool, torch.float16, torch.bfloat16, torch.float64):
            x = torch.arange(48).view(6, 8).to(dtype)
            same(lambda x: (x.flip(0), x == x[0]), x)
        x = torch.randn(8, 16, dtype=torch.complex64)
        same(lambda x: (x * x, x.abs(), torch.view_as_real(x) * 2), x)
        same(lambda x, y: x * y, x.conj(), x.t().contiguous().t())
        one = torch.randn(1, dtype=torch.complex64).conj().imag
        assert one.is_neg()
        same(lambda x: x * 2, one)


@case
def written_arguments():
    def write(cache, new, x):
        cache[:, 2:4] = new
        x.mul_(2)
        return cache.sum(1), x[1:].t(), cache[:, 1]

    given = lambda: [torch.arange(24.).view(3, 8), torch.ones(3, 2), torch.ones(4, 5)]  # noqa: E731
    mine, theirs = given(), given()
    found, expected = fast(write)(*mine), write(*theirs)
    for one, other in zip([*found, *mine], [*expected, *theirs]):
        near(one, other)
    assert found[2].data_ptr() == mine[0][:, 1].data_ptr()


@case
def course_of_data():
    """A program that reads what it has computed is interpreted."""
    x = torch.tensor([1., 0, 2, 0, 3])
    with torch.no_grad(), torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        same(lambda x: x.nonzero() * 2, x, is_interpreted=True)


@case
def other_device_or_stream():
    x = torch.randn(5, 5)
    with torch.no_grad():
        run = same(lambda x: x @ x, x)
        for stream in (5, 9, 0, 5):
            current["stream"] = stream
            near(run(x), x @ x)
        current["device"] = 1  # the call makes its own the current one, which this test does not follow
        near(run(x), x @ x)
        assert interpreted
        current["device"] = 0
        interpreted.clear()
        near(run(x), x @ x)
        assert not interpreted


@case
def threads():
    x, failures = torch.randn(32, 32), []
    with torch.no_grad():
        run = same(lambda x: torch.softmax(x @ x, -1) @ x, x)

    def work(seed):
        with torch.no_grad():
            for i in range(100):
                y = torch.randn(32, 32, generator=torch.Generator().manual_seed(seed * 1000 + i))
                try:
                    near(run(y), torch.softmax(y @ y, -1) @ y)
                except Exception as error:
                    failures.append(error)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures, failures[0]


@case
def found_again():
    """A graph whose package is in the cache is not traced again, with element types that packages name otherwise than torch."""
    x, y = torch.randn(6, 10), torch.arange(60, dtype=torch.uint8).view(6, 10)
    call = lambda x, y: (x * 3 + y, y + y, x > 1, x.argmax(1))  # noqa: E731
    with torch.no_grad():
        same(call, x, y)
        run = fast(call)
        for _ in range(2):
            for one, other in zip(run(x, y), call(x, y)):
                near(one, other)
        assert not made_calls and not interpreted, "traced again"
        # For another type of autocast it is.
        with torch.autocast("cpu", dtype=torch.bfloat16):
            for one, other in zip(run(x, y), call(x, y)):
                near(one, other)


@case
def freed():
    """What a call has made goes with it, and a function with its graph."""
    x = torch.randn(16, 16)
    with torch.no_grad():
        run = same(lambda x: (x + 1, x.sum()), x)
    made = weakref.ref(run(x)[0])
    assert made() is None
    calls = weakref.ref(made_calls[-1])
    made_calls.clear()
    del run
    torch._dynamo.reset()
    gc.collect()
    assert calls() is None


def main():
    replace()
    for function in CASES:
        interpreted.clear()
        function()
        print(function.__name__, "ok", flush=True)
    print("all right")


if __name__ == "__main__":
    main()
