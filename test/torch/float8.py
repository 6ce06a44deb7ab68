# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats of 8 bits in torch.compile and torch.export, bit for bit as eager has them."""
import os
import sys
import tempfile
import traceback
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402

import kiln  # noqa: E402
import kiln.torch  # noqa: E402

KINDS = [getattr(torch, name) for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
         if hasattr(torch, name)]
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def fast(function, *arguments):
    torch._dynamo.reset()
    return torch.compile(function, backend="kiln", fullgraph=True)(*arguments)


def codes(kind):
    return torch.arange(256, dtype=torch.int32).to(torch.uint8).view(kind)


def same(got, want, what=""):
    """Equal in every bit but those of NaN."""
    assert got.dtype == want.dtype and got.shape == want.shape, f"{what}: {got.dtype} {tuple(got.shape)}"
    if got.element_size() == 1 and got.is_floating_point():
        wide = want.float()
        differ = torch.where(wide.isnan(), ~got.float().isnan(), got.view(torch.uint8) != want.view(torch.uint8))
        assert not differ.any(), f"{what}: {int(differ.sum())} differ, {got[differ][:3]} for {want[differ][:3]}"
    else:
        assert torch.equal(got.nan_to_num(7.25), want.nan_to_num(7.25)), what


def numbers(kind):
    """Numbers around every number of the type and every tie, and their neighbours."""
    values = codes(kind).double()
    values = values[values.isfinite()].unique()
    ties = (values[1:] + values[:-1]) / 2
    top = values.max()
    edges = torch.tensor([0.0, -0.0, 1e-30, 1e30, float("inf"), float("nan"), *(top * k for k in (1.01, 1.0625, 1.1, 1.125, 1.25, 2))])
    near = torch.cat([values, ties, edges, -edges]).float()
    return torch.cat([near, near.nextafter(torch.tensor(torch.inf)), near.nextafter(torch.tensor(-torch.inf))])


@test
def every_code_is_decoded(kind):
    x = codes(kind)
    for wide in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
        same(fast(lambda x: x.to(wide), x), x.to(wide), wide)


@test
def numbers_are_encoded(kind):
    x = numbers(kind)
    if "e8m0" in str(kind):
        x = x[(x.abs() >= 2.0 ** -126) | (x == 0)]
    same(fast(lambda x: x.to(kind), x), x.to(kind), "f32")
    for narrow in (torch.float16, torch.bfloat16):
        y = x.to(narrow)
        same(fast(lambda y: y.to(kind), y), y.to(kind), narrow)


@test
def elements_are_moved(kind):
    x, i = codes(kind).reshape(16, 16), torch.tensor([3, 0, 11])

    def program(x, i):
        return x.t().contiguous(), x[2:9:2, 1:7].clone(), x.view(torch.uint8) + 1, x.reshape(4, 64), x.unsqueeze(0).expand(2, 16, 16).clone()
    for got, want in zip(fast(program, x, i), program(x, i)):
        same(got, want)


@test
def values_go_round(kind):
    if "e8m0" in str(kind):
        return
    x = torch.randn(32, 64)
    top = torch.finfo(kind).max

    def program(x):
        scale = x.abs().amax(1, keepdim=True) / top
        q = (x / scale).clamp(-top, top).to(kind)
        return q, q.to(torch.float32) * scale
    got, want = fast(program, x), program(x)
    same(got[0], want[0])
    torch.testing.assert_close(got[1], want[1])


@test
def products_are_scaled(kind):
    if "fnuz" in str(kind) or "e8m0" in str(kind):
        return
    a, b = torch.randn(32, 64).to(torch.float8_e4m3fn), torch.randn(48, 64).to(kind).t()
    one, two = torch.tensor(0.5), torch.tensor(2.5)
    rows, columns = torch.rand(32, 1), torch.rand(1, 48)

    def program(a, b, s, t):
        return torch._scaled_mm(a, b, scale_a=s, scale_b=t, out_dtype=torch.float32)
    for s, t in ((one, two), (rows, columns)):
        got = fast(program, a, b, s, t)
        torch.testing.assert_close(got, (a.float() @ b.float()) * s * t, rtol=1e-5, atol=1e-5)
    bias = torch.randn(48).bfloat16()
    got = fast(lambda a, b, s, t, bias: torch._scaled_mm(a, b, scale_a=s, scale_b=t, bias=bias, out_dtype=torch.bfloat16), a, b, one, two, bias)
    torch.testing.assert_close(got.float(), (a.float() @ b.float()) * one * two + bias.float(), rtol=1e-2, atol=1e-2)


class Quantised(torch.nn.Module):
    """A layer whose weight is kept in 8 bits."""

    def __init__(self, kind):
        super().__init__()
        weight = torch.randn(24, 16)
        self.register_buffer("scale", weight.abs().amax() / 200)
        self.register_buffer("weight", (weight / self.scale).to(kind))

    def forward(self, x):
        return x @ (self.weight.to(torch.float32) * self.scale).t()


@test
def weights_of_a_package(kind):
    if "e8m0" in str(kind):
        return
    model, x = Quantised(kind), torch.randn(4, 16)
    program = torch.export.export(model, (x,))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.kiln")
        kiln.export(program, path)
        made = torch.from_dlpack(kiln.load(path)(x))
    torch.testing.assert_close(made, model(x))


def main():
    wrong = 0
    for function in TESTS:
        for kind in KINDS:
            label = f"{function.__name__} {kind}"
            if sys.argv[1:] and not any(one in label for one in sys.argv[1:]):
                continue
            try:
                function(kind)
                print(f"right  {label}", flush=True)
            except Exception as error:  # whatever it is, the others go on
                wrong += 1
                print(f"WRONG  {label}: {type(error).__name__}: {str(error).strip()[:400]}", flush=True)
                if "-v" in sys.argv:
                    traceback.print_exc()
    print(f"{wrong} wrong" if wrong else "all right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
