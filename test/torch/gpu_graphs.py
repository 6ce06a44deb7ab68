#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs with tensors on a GPU, traced and compiled without one; then gpu.py, where torch has a GPU."""
import itertools
import os
import subprocess
import sys
import types
import unittest.mock
import warnings

import torch
from functorch.compile import aot_function, make_boxed_func, min_cut_rematerialization_partition
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.checkpoint import checkpoint

from kiln.torch import attention, cache, devices, nested, saved
from kiln.torch.compiled import Compiled, _orders, lower
from kiln.torch.recorded import Recorder
from kiln.torch.report import Graph
from kiln.torch.text import Unsupported


def traced(function, *places):
    with FakeTensorMode(), torch.no_grad():
        return make_fx(function)(*(torch.empty(4, 4, device=place) for place in places))


graph = traced(lambda x, y: (x @ y).relu() + torch.arange(4, device=x.device), "cuda:1", "cuda:1")
assert devices.of(graph) == torch.device("cuda:1")
lowering, results = lower(graph)
lowering.returns(results)
assert cache.package(lowering, "nvidia:sm_90a")
# A tensor of the host is an argument, too.
assert devices.of(traced(lambda x, y: x[y.long()], "cuda:0", "cpu")) == torch.device("cuda:0")
assert devices.of(traced(lambda x: x + 1, "cpu")) == devices.CPU
try:
    devices.of(traced(lambda x, y: (x + 1, y + 1), "cuda:0", "cuda:1"))
    raise AssertionError("expected an error")
except Unsupported as error:
    assert str(error) == "tensors on cuda:0 and cuda:1"



def products(function, *shapes):
    """The products and convolutions of a program for tensors on a GPU: how they read factors of f32."""
    with FakeTensorMode(), torch.no_grad():
        lowering, results = lower(make_fx(function)(*(torch.empty(shape, device="cuda:0") for shape in shapes)))
    lowering.returns(results)
    return [" precision tf32" in line for line in lowering.text().splitlines() if "prim.dot_general" in line or "prim.conv " in line]


# As torch's settings say: products exactly and convolutions by tf32, unless told otherwise.
both = lambda x, y, w: (x @ y, torch.nn.functional.conv2d(x.view(1, 8, 8, 8), w))  # noqa: E731
shapes = (8, 64), (64, 8), (4, 8, 3, 3)
assert products(both, *shapes) == [False, True]
torch.set_float32_matmul_precision("high")
torch.backends.cudnn.allow_tf32 = False
assert products(both, *shapes) == [True, False]
torch.set_float32_matmul_precision("highest")
torch.backends.cudnn.allow_tf32 = True



def last_channels():
    """Images and filters with their channels last, as they lie in memory."""
    with FakeTensorMode(), torch.no_grad():
        given = [torch.empty(shape, device="cuda:0").to(memory_format=torch.channels_last) for shape in ((2, 8, 6, 6), (4, 8, 3, 3))]
        graph = make_fx(torch.nn.functional.conv2d)(*given)
    orders = _orders(graph.graph.find_nodes(op="placeholder"), least=0)
    lowering, results = lower(graph, orders=orders)
    lowering.returns(results)
    return list(orders.values()), lowering.text().splitlines()


orders, text = last_channels()
assert orders == [[0, 2, 3, 1]] * 2
assert any("func.func" in line and "tensor<2x6x6x8xf32>" in line and "tensor<4x3x3x8xf32>" in line for line in text), text



def scatters(function):
    """The scatters of a program for tensors on a GPU: whether any of several updates of one place may count."""
    with FakeTensorMode(), torch.no_grad():
        x, i = torch.empty(50, 8, device="cuda:0"), torch.empty(20, dtype=torch.int64, device="cuda:0")
        lowering, results = lower(make_fx(function)(x, i))
    lowering.returns(results)
    return [" unique " in line for line in lowering.text().splitlines() if "prim.scatter" in line]


# Whatever torch's own kernels may choose among, unless the same results are wanted in each call; the parts of a complex number do not part.
put = lambda x, i: torch.index_put(x, [i], x[:20] + 1)  # noqa: E731
assert scatters(put) == [True] and scatters(lambda x, i: torch.index_put(x, [i], x[:20], True)) == [False]
assert scatters(lambda x, i: torch.view_as_real(torch.index_put(torch.complex(x, x), [i], torch.complex(x, x)[:20]))) == [False] * 2
torch.use_deterministic_algorithms(True)
assert scatters(put) == [False]
torch.use_deterministic_algorithms(False)



class Whole(Compiled):
    """A compiled graph of a GPU, as a recorder sees it; `steps`: how many of its calls the host had to interpret."""

    def __init__(self, name, steps=0, placeholders=()):
        self.name, self.placeholders, self.drawn, self.checks, self.near, self.reads_numbers = name, placeholders, [], (), (), False
        self.device, self.calls = torch.device("cuda:0"), types.SimpleNamespace(is_sized=True, waits=False, interpreted=0)
        self.steps, self.seen = steps, []

    def boxed(self, arguments):
        self.calls.interpreted += self.steps
        self.seen.append(list(arguments))
        return [self.name]


def recorded(forward, backward, steps, sizes=()):
    """What happens to calls of a forward and a backward graph: `.` as they are, `r` by torch's trees; and the reasons in the report.
    `sizes`: of a graph of open sizes, the size in each step."""
    found, manager = [], unittest.mock.Mock()

    def cudagraphify(run, arguments, fixed, **about):
        def replay(arguments):
            found.append("r")
            made = run(arguments)
            assert not arguments
            return made
        return replay

    graph = traced(lambda x: (x + 1,), "cuda:0")
    entries = [Graph(kind, 1) for kind in ("forward", "backward")]
    recorder = Recorder()
    with unittest.mock.patch("torch._inductor.cudagraph_trees.cudagraphify_impl", cudagraphify), unittest.mock.patch(
            "torch._inductor.cudagraph_trees.get_manager", lambda *_, **__: manager):
        calls = [recorder.call_of(entry.kind, made, graph, entry) for made, entry in zip((forward, backward), entries)]
        for step in range(steps):
            for made, call in zip((forward, backward), calls):
                before = len(found)
                (call or made.boxed)([sizes[step], torch.empty(sizes[step], 4)] if sizes else [1, 2])
                if len(found) == before:
                    found.append(".")
    return "".join(found), [entry.not_recorded for entry in entries], manager.set_to_running_backward.call_count


# The first call shows whether the host has to read what the steps depend on; then torch records both graphs, or none.
assert recorded(Whole("f"), Whole("b"), 3) == ("..rrrr", [None, None], 0)
read, forward = "the host reads what its steps depend on", "the forward graph is not recorded"
assert recorded(Whole("f", 1), Whole("b"), 3) == ("......", [read, forward], 0)
# A backward graph that is not recorded, behind one that is: torch is told that it runs.
assert recorded(Whole("f"), Whole("b", 1), 3) == ("..r.r.", [None, read], 2)
assert recorded(Whole("f"), lambda arguments: [1], 3) == ("..r.r.", [None, "torch runs a part of it"], 2)

# A graph of open sizes is recorded at the third call of each, as torch's trees run what is new to them once; of so many as torch's setting says.
opened = make_fx(lambda x: (x + 1,), tracing_mode="symbolic")(torch.empty(5, 4)).graph.find_nodes(op="placeholder")
opened[0].meta["val"] = opened[0].meta["val"].to("meta")  # not on the host
both = lambda steps=0: (Whole("f", steps, opened), Whole("b", 0, opened))  # noqa: E731
assert recorded(*both(), 6, (5, 6, 5, 6, 5, 6)) == ("....rrrrrrrr", [None, None], 0)
assert recorded(*both(1), 3, (5, 6, 5)) == ("......", [read, forward], 0)
with torch._inductor.config.patch({"triton.cudagraph_dynamic_shape_warn_limit": 1}):
    assert recorded(*both(), 6, (7, 5, 5, 7, 7, 5)) == ("....rr....rr", [None, None], 0)
with torch._inductor.config.patch({"triton.cudagraph_skip_dynamic_graphs": True}):
    assert recorded(*both(), 2, (5, 5))[1][0].startswith("its sizes are open")

assert devices.numbered("nvidia:sm_90a", torch.device("cuda:1")) == "nvidia:sm_90a,ordinal=1"
assert devices.numbered("nvidia:sm_90a", torch.device("cuda:0")) == "nvidia:sm_90a"
assert devices.target_of(devices.CPU) == "cpu"
if not torch.version.hip:  # sums of scatters in one order only where torch asks for that
    with unittest.mock.patch("torch.cuda.get_device_capability", lambda device: (9, 0)):
        assert devices.target_of(torch.device("cuda:0")) == "nvidia:sm_90a"
        torch.use_deterministic_algorithms(True)
        assert devices.target_of(torch.device("cuda:0")) == "nvidia:sm_90a,scatter=ordered"
        assert devices.runs_on(devices.target_of(torch.device("cuda:0")), torch.device("cuda:0"))
        torch.use_deterministic_algorithms(False)
assert devices.runs_on("nvidia:sm_90a", torch.device("cuda:0")) and devices.runs_on("nvidia", devices.CPU)
assert not devices.runs_on("cpu", torch.device("cuda:0")) and not devices.runs_on("nvidia+cpu", torch.device("cuda:0"))
# Attention is Kiln's in what a checkpoint runs again, too, and of the type that autocast says.
seen = []


def chosen(graph_module, _):
    attention.chosen(graph_module)
    seen.extend(node.target for module in nested.graphs(graph_module) for node in module.graph.nodes)
    return graph_module


x = torch.randn(1, 2, 8, 16)
attend = torch.nn.functional.scaled_dot_product_attention
torch.compile(lambda x: checkpoint(lambda x: attend(x, x, x), x, use_reentrant=False), backend=chosen)(x.clone().requires_grad_())
assert attention.scaled_dot_product in seen and attend not in seen, seen
# Within a function of Python that Dynamo's graph calls whole, too, whose results stay the same.
seen.clear()
layer, given = torch.nn.MultiheadAttention(16, 2, batch_first=True), torch.randn(2, 5, 16)
for needs in (False, True):
    found = torch.compile(layer, backend=chosen)(given, given, given, need_weights=needs)
    torch.testing.assert_close(found, layer(given, given, given, need_weights=needs))
assert torch.nn.functional.multi_head_attention_forward not in seen and len(seen) > 2, seen


def check_heads(is_batch_first, kind, mask, padding):
    """Its own function for several heads against torch's. The projections go through rows as they lie in memory."""
    own = attention._calling_own(torch.nn.functional.multi_head_attention_forward)
    batch, length, count, size, number = 2, 5, 5 if kind == "self" else 7, 16, 4

    def rows(length):
        return torch.randn(batch, length, size).transpose(0, 1) if is_batch_first else torch.randn(length, batch, size)

    query = rows(length)
    key = query if kind == "self" else rows(count)
    value = rows(count) if kind == "each" else key
    masks = {None: None, "bool": torch.arange(count) > torch.arange(length)[:, None] + 2, "float": torch.randn(length, count),
             "heads": torch.randn(batch * number, length, count), "causal": torch.ones(length, count).triu(1).bool()}
    left_out = {None: None, "bool": torch.arange(count).expand(batch, count) > 4, "float": torch.randn(batch, count)}[padding]
    layer = torch.nn.MultiheadAttention(size, number)
    given = (query, key, value, size, number, layer.in_proj_weight, layer.in_proj_bias, None, None, False, 0.0, layer.out_proj.weight,
             layer.out_proj.bias)
    options = {"key_padding_mask": left_out, "need_weights": False, "attn_mask": masks[mask], "is_causal": mask == "causal"}
    rows_of = []
    linear = torch.nn.functional.linear
    with unittest.mock.patch("torch.nn.functional.linear", lambda x, *rest: (rows_of.append(x.is_contiguous()), linear(x, *rest))[1]):
        found = own(*given, **options)[0]
    assert all(rows_of) and len(rows_of) == {"self": 2, "cross": 3, "each": 4}[kind], rows_of
    torch.testing.assert_close(found, torch.nn.functional.multi_head_attention_forward(*given, **options)[0], check_stride=True)


warnings.simplefilter("ignore")  # torch's, of masks of two types
for case in itertools.product((False, True), ("self", "cross", "each"), (None, "bool", "float", "heads", "causal"), (None, "bool", "float")):
    check_heads(*case)

# A backward graph gets the tensor that several kept views are of, once.
shapes = []


def partition(module, inputs, **options):
    made = min_cut_rematerialization_partition(module, inputs, **options)
    before = len(made[0].graph.find_nodes(op="output")[0].args[0])
    saved.without_views(*made, options["num_fwd_outputs"])
    results = made[0].graph.find_nodes(op="output")[0].args[0]
    shapes.append((before - len(results), [tuple(one.meta["val"].shape) for one in results[options["num_fwd_outputs"]:]]))
    return made


def heads_of(rows, weight):
    one, two, three = (rows @ weight).unflatten(-1, (3, 8)).unbind(-2)
    return one.mm(two.t()) @ three


def first_rows(rows, weight):
    some = (rows @ weight)[:2]
    return some.mm(some.t())


for function, expected in ((heads_of, [2, (6, 24)]), (first_rows, [0, (2, 24)])):
    arguments = [torch.randn(6, 4, requires_grad=True), torch.randn(4, 24, requires_grad=True)]
    compiled = aot_function(function, lambda module, _: make_boxed_func(module), partition_fn=partition)
    wanted = torch.autograd.grad(function(*arguments).sum(), arguments)
    torch.testing.assert_close(torch.autograd.grad(compiled(*arguments).sum(), arguments), wanted)
    fewer, kept = shapes.pop()
    assert fewer == expected[0] and expected[1] in kept and kept.count((6, 8)) == 0, (function, fewer, kept)


# What a convolution gives is kept with its channels last, and what is computed from it, too, whatever order eager mode has.
def partition_in_order(module, inputs, **options):
    made = min_cut_rematerialization_partition(module, inputs, **options)
    saved.in_computed_order(*made, options["num_fwd_outputs"])
    shapes.append([(tuple(one.meta["val"].shape), one.meta["val"].is_contiguous()) for one in
                   made[0].graph.find_nodes(op="output")[0].args[0][options["num_fwd_outputs"]:] if one.op == "call_function"])
    return made


def lines_of(rows, weight, more):
    made = torch.nn.functional.conv1d(rows, weight, padding=1)
    return (made.sigmoid().transpose(1, 2) + more).tanh()


arguments = [torch.randn(2, 8, 512, requires_grad=True), torch.randn(64, 8, 3, requires_grad=True), torch.randn(512, 64, requires_grad=True)]
compiled = aot_function(lines_of, lambda module, _: make_boxed_func(module), partition_fn=partition_in_order)
wanted = torch.autograd.grad(lines_of(*arguments).square().sum(), arguments)
torch.testing.assert_close(torch.autograd.grad(compiled(*arguments).square().sum(), arguments), wanted)
kept = shapes.pop()
assert ((2, 512, 64), True) in kept and ((2, 64, 512), True) not in kept, kept
for dtype in (torch.bfloat16, torch.float16):
    for given in ((x, x, x), (x, x.to(dtype), x.to(dtype)), (x.double(),) * 3, (x, x, x, torch.randn(8, 8))):
        with torch.autocast("cpu", dtype=dtype):
            found, expected = attention.scaled_dot_product(*given), attend(*given)
        assert found.dtype == expected.dtype, (found.dtype, expected.dtype)
        torch.testing.assert_close(found, expected, rtol=1e-2, atol=1e-2)
if torch.cuda.is_available():
    sys.exit(subprocess.run([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpu.py")], check=False).returncode)
