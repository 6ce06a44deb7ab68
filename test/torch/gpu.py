#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="kiln") with tensors on a GPU, beside eager there. Needs a GPU that torch has.
Usage: gpu.py [--only=NAME,...]"""
import argparse
import gc
import sys
import traceback

import torch
from torch import nn

import kiln.torch

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def near(found, expected, bound=1e-5):
    assert found.device == expected.device and found.dtype == expected.dtype and found.shape == expected.shape, (
        found.device, found.dtype, found.shape, expected.device, expected.dtype, expected.shape)
    found, expected = (one.detach().to("cpu", torch.complex128 if one.is_complex() else torch.float64) for one in (found, expected))
    error = ((found - expected).abs().max() / expected.abs().max().clamp_min(1e-30)).item() if found.numel() else 0
    assert error <= bound, f"error {error:.2g}"


def compiled(function, **options):
    torch._dynamo.reset()
    return torch.compile(function, backend="kiln", **{"fullgraph": True, **options})


def same(function, *arguments, bound=1e-5, **options):
    found, expected = compiled(function, **options)(*arguments), function(*arguments)
    for one, other in zip(*([made] if isinstance(made, torch.Tensor) else made for made in (found, expected))):
        near(one, other, bound)


def layers(device="cuda"):
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, 16)).to(device)


@case
def forward():
    model, x = layers(), torch.randn(32, 64, device="cuda")
    with torch.no_grad():
        same(model, x)
    last = kiln.torch.report[-1]
    assert last.packages == 1 and not last.fallbacks


@case
def training():
    model, other = layers(), layers()
    step, plain = compiled(model), other
    optimisers = [torch.optim.AdamW(one.parameters(), lr=1e-3) for one in (model, other)]
    for number in range(5):
        x = torch.randn(32, 64, device="cuda", generator=torch.Generator("cuda").manual_seed(number))
        losses = []
        for run, optimiser in zip((step, plain), optimisers):
            optimiser.zero_grad()
            losses.append(run(x).square().mean())
            losses[-1].backward()
            optimiser.step()
        near(losses[0], losses[1])
    for mine, theirs in zip(model.parameters(), other.parameters()):
        near(mine, theirs, 1e-3)


@case
def open_sizes():
    run = compiled(lambda x: torch.softmax(x @ x.transpose(-1, -2), -1).sum(0), dynamic=True)
    for size in (2, 7, 33, 1, 130):
        x = torch.randn(3, size, 20, device="cuda")
        near(run(x), torch.softmax(x @ x.transpose(-1, -2), -1).sum(0))


@case
def complex_numbers():
    x = torch.randn(8, 32, device="cuda", dtype=torch.complex64)
    same(lambda x: (x.conj() * torch.fft.fft(x), x.abs(), torch.view_as_real(x) * 2), x)


@case
def element_types():
    for dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool):
        x = torch.randint(0, 2 if dtype == torch.bool else 100, (17, 9), device="cuda").to(dtype)
        same(lambda x: (x.flip(0), x.sum(0), x == x.amax(), torch.sort(x, 0)[0]), x)
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        x = torch.randn(33, 65, device="cuda").to(dtype)
        same(lambda x: (torch.tanh(x), x @ x.T, x.cumsum(1)), x, bound=1e-5 if dtype == torch.float64 else 2e-2)


@case
def views_and_writes():
    def write(cache, new, x):
        cache[:, 2:4] = new
        x.mul_(2)
        return cache.sum(1), x[1:].t(), cache[:, 1]

    given = lambda: [torch.arange(24., device="cuda").view(3, 8), torch.ones(3, 2, device="cuda"), torch.ones(4, 5, device="cuda")]  # noqa: E731
    mine, theirs = given(), given()
    found, expected = compiled(write)(*mine), write(*theirs)
    for one, other in zip([*found, *mine], [*expected, *theirs]):
        near(one, other)
        assert one.stride() == other.stride()
    assert found[2]._base is not None or found[2].data_ptr() == mine[0][:, 1].data_ptr()


@case
def strided_arguments():
    x = torch.randn(6, 8, 10, device="cuda")
    same(lambda x, y: x + y.exp(), x.transpose(0, 2)[1:], torch.randn(8, 6, device="cuda"))
    image = torch.randn(2, 8, 9, 9, device="cuda").to(memory_format=torch.channels_last)
    weight = torch.randn(4, 8, 3, 3, device="cuda") / 8
    with torch.backends.cudnn.flags(allow_tf32=False):
        same(lambda x, w: nn.functional.conv2d(x, w, padding=1), image, weight)


@case
def host_tensors():
    x, number, rows = torch.randn(8, 4, device="cuda"), torch.tensor(3.0), torch.tensor([1, 3, 5])
    same(lambda x, number: x * number, x, number)
    same(lambda x, rows: x[rows], x, rows)
    same(lambda x: (x.sum().cpu(), x + 1), x)


@case
def streams():
    run, stream = compiled(lambda x: (x @ x).relu().sum(0)), torch.cuda.Stream()
    x = torch.randn(2048, 2048, device="cuda")
    expected = (x @ x).relu().sum(0)
    for _ in range(5):
        near(run(x), expected)
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            y = x * 1
            found = run(y) + 0
        torch.cuda.current_stream().wait_stream(stream)
        near(found, expected)


@case
def second_gpu():
    if torch.cuda.device_count() < 2:
        return "skipped: one GPU"
    model, x = layers("cuda:1"), torch.randn(32, 64, device="cuda:1")
    with torch.no_grad():
        same(model, x)
    return None


@case
def random_numbers():
    """torch draws them; its own dropout on a GPU draws otherwise than its uniform numbers."""
    run, x = compiled(lambda x: nn.functional.dropout(x, 0.3) * 2), torch.ones(300, 300, device="cuda")
    kept = run(x)
    assert set(kept.unique().tolist()) == {0.0, 2 * torch.tensor(1 / (1 - 0.3)).item()}, kept.unique()
    assert abs((kept != 0).double().mean().item() - 0.7) < 0.01
    run, made = compiled(lambda: torch.rand(100, device="cuda") + torch.randn(100, device="cuda")), []
    for call in (run, lambda: torch.rand(100, device="cuda") + torch.randn(100, device="cuda")):
        torch.manual_seed(5)
        made.append(call())
    near(*made)


@case
def attention():
    torch.manual_seed(2)
    q, k, v = (torch.randn(2, 8, 256, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True) for _ in range(3))
    run = lambda q, k, v: nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)  # noqa: E731
    found, expected = compiled(run)(q, k, v), run(q, k, v)
    near(found, expected, 2e-2)
    for one, other in zip(torch.autograd.grad(found.float().sum(), (q, k, v)), torch.autograd.grad(expected.float().sum(), (q, k, v))):
        near(one, other, 5e-2)


@case
def attention_forms():
    torch.manual_seed(3)
    q, k, v = (torch.randn(2, heads, 100, 32, device="cuda") for heads in (8, 2, 2))
    mask = torch.rand(2, 1, 100, 100, device="cuda") > 0.3
    mask[..., 0] = True
    attend = nn.functional.scaled_dot_product_attention
    same(lambda q, k, v: attend(q, k, v, enable_gqa=True), q, k, v)
    same(lambda q, k, v: attend(q, k, v, attn_mask=mask, enable_gqa=True, scale=0.3), q, k, v)
    bias, q = torch.randn(8, 128, 128, device="cuda", requires_grad=True), torch.randn(2, 8, 128, 32, device="cuda")
    run = lambda q, bias: attend(q, q, q, attn_mask=bias)  # noqa: E731
    found = torch.autograd.grad(compiled(run)(q, bias).sum(), bias)[0]
    with nn.attention.sdpa_kernel(nn.attention.SDPBackend.MATH):  # others of torch do not take this mask
        expected = torch.autograd.grad(run(q, bias).sum(), bias)[0]
    near(found, expected, 1e-4)
    encoder = nn.TransformerEncoderLayer(64, 4, batch_first=True).cuda().eval()
    with torch.no_grad():
        same(encoder, torch.randn(3, 20, 64, device="cuda"), bound=1e-4)


@case
def decomposed_operations():
    """Operations that Kiln writes in others, with numbers of their own."""
    x = torch.randn(6, 9, device="cuda")
    same(lambda x: (x.median(1)[0], torch.kthvalue(x, 2)[0], torch.histc(x, 5), torch.tril_indices(3, 3, device=x.device),
                    nn.functional.adaptive_max_pool1d(x[None], 4)), x)
    same(lambda x: torch.linalg.svdvals(x.sin()).cos() + 1, torch.randn(4, 4, device="cuda"), bound=1e-4)


@case
def parts_left_to_torch():
    x = torch.randn(16, 16, device="cuda")
    same(lambda x: x.sin().chalf().real.float().cos() + 1, x, fullgraph=False, bound=1e-3)
    assert kiln.torch.report[-1].fallbacks


@case
def other_target():
    try:
        compiled(lambda x: x + 1, options={"target": "cpu"})(torch.ones(2, device="cuda"))
    except Exception as error:
        assert "the tensors are on cuda:0, where target 'cpu' does not compute" in str(error), error
    else:
        raise AssertionError("expected an error")


@case
def memory():
    """Arguments and results of calls are freed."""
    run = compiled(lambda x: (x * 2, x.sum()))
    run(torch.randn(1 << 24, device="cuda"))
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    for _ in range(20):
        run(torch.randn(1 << 24, device="cuda"))
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() <= before, (torch.cuda.memory_allocated(), before)


@case
def other_threads():
    """Each in a stream of its own."""
    import threading
    run, x = compiled(lambda x: (x @ x).sum(0)), torch.randn(512, 512, device="cuda")
    expected, failures = (x @ x).sum(0), []

    def calls():
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.default_stream())
        with torch.cuda.stream(stream):
            for _ in range(50):
                try:
                    near(run(x * 1), expected, 1e-4)
                except Exception as error:
                    failures.append(error)

    run(x)
    torch.cuda.synchronize()
    threads = [threading.Thread(target=calls) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


@case
def drawn_by_operations():
    torch.manual_seed(4)
    p = torch.full((200, 200), 0.25, device="cuda")
    made = compiled(lambda p: (torch.bernoulli(p), torch.normal(p, p), torch.multinomial(p, 5, True), torch.rand_like(p)))(p)
    assert all(one.device == p.device for one in made) and abs(made[0].mean().item() - 0.25) < 0.02
    kept = compiled(lambda x: nn.functional.dropout(x, 0.3) + torch.rand(200, 200, device="cuda"), options={"random": "philox"})(p)
    assert kept.device == p.device and 0.6 < kept.mean().item() < 0.9


@case
def graphs():
    """Calls that torch.cuda.graph has recorded, with other contents of the same tensors."""
    run, x, stream = compiled(lambda x: torch.softmax(x @ x, -1)), torch.randn(256, 256, device="cuda"), torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            run(x)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # in a stream of torch's own
        made = run(x) * 2
    del run  # what it has recorded stays
    torch._dynamo.reset()
    gc.collect()
    for seed in range(3):
        x.copy_(torch.randn(256, 256, device="cuda", generator=torch.Generator("cuda").manual_seed(seed)))
        graph.replay()
        near(made, torch.softmax(x @ x, -1) * 2, 1e-4)


@case
def graphs_of_other_streams():
    """In a stream in which no call was before, with temporaries, whose memory is the graph's."""
    torch.manual_seed(6)
    model = nn.TransformerEncoderLayer(64, 4, batch_first=True, dropout=0).cuda().train()
    with torch.no_grad():
        run, x = compiled(model), torch.randn(3, 20, 64, device="cuda")
        run(x)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            made = run(run(x))
        for seed in range(3):
            x.copy_(torch.randn(3, 20, 64, device="cuda", generator=torch.Generator("cuda").manual_seed(seed)))
            others = [run(torch.randn_like(x)) for _ in range(4)]
            graph.replay()
            near(made, model(model(x)), 1e-3)
            del others


def recordings(*expected):
    """Looks at why the calls of each graph since the last look are not recorded."""
    found = [one.not_recorded for one in kiln.torch.report]
    kiln.torch.report.clear()
    assert found == list(expected), found


@case
def recorded_inference():
    """Arguments in other places at each call, weights changed in place, and a clone of a result that is read after the next call."""
    model = layers()
    with torch.no_grad():
        kiln.torch.report.clear()
        run = compiled(model, mode="reduce-overhead")
        for seed in range(5):
            x = torch.randn(32, 64, device="cuda")
            near(run(x), model(x))
            model[0].weight.mul_(1.5)
        recordings(None)
        kept = run(x).clone()
        run(x + 1)
        near(kept, model(x))


@case
def recorded_training():
    model, other = layers(), layers()
    run = compiled(model, mode="reduce-overhead")
    kiln.torch.report.clear()
    optimisers = [torch.optim.AdamW(one.parameters(), lr=1e-3) for one in (model, other)]
    for seed in range(8):
        x = torch.randn(32, 64, device="cuda")
        losses = []
        for step, optimiser in zip((run, other), optimisers):
            optimiser.zero_grad()
            loss = step(x).square().mean()
            loss.backward()
            optimiser.step()
            losses.append(loss.detach().clone())
        near(*losses, 1e-4)
    recordings(None, None)
    for one, two in zip(model.parameters(), other.parameters()):
        near(one, two, 1e-3)


@case
def recorded_batch_norm():
    """Statistics that each step writes, and images with their channels last."""
    torch.manual_seed(2)
    torch.backends.cudnn.allow_tf32 = False
    models = [nn.Sequential(nn.Conv2d(8, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 8, 3)).cuda() for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    models = [one.to(memory_format=torch.channels_last) for one in models]
    run = compiled(models[0], mode="max-autotune")
    for seed in range(5):
        x = torch.randn(4, 8, 20, 20, device="cuda").to(memory_format=torch.channels_last)
        for one in models:
            one.zero_grad()
        made = [step(x) for step in (run, models[1])]
        for one in made:
            one.square().mean().backward()
        near(*made, 1e-4)
    for one, two in zip(models[0].parameters(), models[1].parameters()):
        near(one.grad, two.grad, 1e-3)
    for one, two in zip(models[0].buffers(), models[1].buffers()):
        near(one, two, 1e-4)
    torch.backends.cudnn.allow_tf32 = True


@case
def recorded_random_numbers():
    """Each replay draws other numbers, the same again from the same seed."""
    x = torch.ones(1000, device="cuda")
    run = compiled(lambda x: nn.functional.dropout(x, 0.5) * 2, mode="reduce-overhead")
    kiln.torch.report.clear()
    made = []
    for _ in range(5):
        made.append(run(x).clone())
    recordings(None)
    assert all(0.3 < (one == 0).float().mean().item() < 0.7 for one in made)
    assert not any(torch.equal(one, two) for i, one in enumerate(made) for two in made[:i])
    torch.cuda.manual_seed(3)
    first = run(x).clone()
    torch.cuda.manual_seed(3)
    assert torch.equal(first, run(x))


@case
def recorded_or_not():
    """Graphs whose calls cannot be recorded run as others do, and the report says why."""
    x = torch.randn(50, device="cuda")
    kiln.torch.report.clear()
    run = compiled(lambda x: x[x > 0] * 2, mode="reduce-overhead", dynamic=True)
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        for _ in range(3):
            near(run(x), x[x > 0] * 2)
    recordings("data say the sizes of its results")
    run = compiled(lambda x, y: x + y, mode="reduce-overhead")
    for _ in range(3):
        near(run(x, torch.tensor(2.0)), x + 2)
    recordings("a tensor of it is on the host")


@case
def recorded_open_sizes():
    """A graph of CUDA for each of the sizes, and calls as they are of more sizes than torch's setting allows."""
    kiln.torch.report.clear()
    run = compiled(lambda x, n: torch.softmax(x, -1) * n, mode="reduce-overhead", dynamic=True)
    with torch._inductor.config.patch({"triton.cudagraph_dynamic_shape_warn_limit": 2}):
        for length in (50, 60, 50, 60, 70, 50, 60, 70, 70, 70, 50, 50):
            x = torch.randn(3, length, device="cuda")
            near(run(x, length + 1), torch.softmax(x, -1) * (length + 1))
    recordings(None)
    model, other = layers(), layers()
    run = compiled(model, mode="reduce-overhead", dynamic=True)
    for rows in (32, 48, 32, 48, 20, 32, 48, 20, 32, 20, 20):
        x = torch.randn(rows, 64, device="cuda")
        for step, one in ((run, model), (other, other)):
            one.zero_grad()
            step(x).square().mean().backward()
        for one, two in zip(model.parameters(), other.parameters()):
            near(one.grad, two.grad, 1e-3)
    recordings(None, None)


@case
def temporaries_in_threads():
    """Each thread in a stream of its own, and nothing waits for another."""
    import threading
    torch.manual_seed(7)
    model = nn.TransformerEncoderLayer(64, 4, batch_first=True, dropout=0).cuda().train()
    inputs, failures = [torch.randn(3, 50, 64, device="cuda") for _ in range(4)], []
    with torch.no_grad():
        run, expected = compiled(model), [model(x) for x in inputs]
        run(inputs[0])
    torch.cuda.synchronize()

    def calls(number):
        with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(50):
                try:
                    near(run(inputs[number]), expected[number], 1e-3)
                except Exception as error:
                    failures.append(error)

    threads = [threading.Thread(target=calls, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


@case
def checkpoints():
    """Attention that a checkpoint runs again, under autocast."""
    from torch.utils.checkpoint import checkpoint
    torch.manual_seed(8)
    layer, x = nn.Linear(64, 64).cuda(), torch.randn(2, 4, 30, 64, device="cuda")

    def body(x):
        return nn.functional.scaled_dot_product_attention(layer(x), x, x, is_causal=True)

    def call(x):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return checkpoint(body, x, use_reentrant=False) * 2

    found, expected = compiled(call)(x), call(x)
    near(found, expected, 3e-2)
    near(torch.autograd.grad(found.float().square().sum(), layer.weight)[0],
         torch.autograd.grad(expected.float().square().sum(), layer.weight)[0], 5e-2)


@case
def many_calls():
    """Results that are dropped, and memory that is used again."""
    run = compiled(lambda x, y: (x @ y, x.sum(1)))
    x, y = torch.randn(300, 200, device="cuda"), torch.randn(200, 100, device="cuda")
    kept = []
    for number in range(200):
        made = run(x + number, y)
        if number % 50 == 0:
            kept.append((number, made))
    for number, made in kept:
        near(made[0], (x + number) @ y)
        near(made[1], (x + number).sum(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    wanted = [one for one in parser.parse_args().only.split(",") if one] or list(CASES)
    torch.backends.cuda.matmul.allow_tf32 = False
    failed = 0
    for name in wanted:
        try:
            print(f"{name}: {CASES[name]() or 'ok'}", flush=True)
        except Exception as error:
            failed += 1
            place = traceback.extract_tb(error.__traceback__)[-1]
            print(f"{name}: FAILED: {type(error).__name__}: {str(error).strip()[:600]} ({place.filename}:{place.lineno})", flush=True)
    print(f"{len(wanted)} cases, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
