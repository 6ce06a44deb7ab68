# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unsigned integers of 8 to 64 bits, and truth values, as eager has them: compiled, and in packages. What eager lacks for a type
is passed over."""
import os
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402
from torch.nn import functional as F  # noqa: E402

import kiln  # noqa: E402
import kiln.torch  # noqa: E402

TYPES = [torch.uint8, torch.uint16, torch.uint32, torch.uint64]
BYTES = [200, 250, 3, 255, 0, 128, 127, 1, 77, 129], [100, 7, 5, 254, 1, 2, 128, 9, 200, 130]


def spread(x, y, kind):
    return torch.zeros(4, dtype=x.dtype).scatter_reduce(0, x.to(torch.int64) & 3, y, kind)


CASES = {
    "quotients": lambda x, y: (x // y, x // 3, 200 // y, torch.div(x, y, rounding_mode="trunc"), x / y),
    "remainders": lambda x, y: (x % y, x % 7, torch.fmod(x, y), torch.remainder(x, y)),
    "signs": lambda x, y: (x.abs(), x.sign(), torch.signbit(x)), "opposite": lambda x, y: -x,
    "relu": lambda x, y: F.relu(x), "sums": lambda x, y: (x + y, x - y, x * y, x * 3),
    "extremes": lambda x, y: (torch.maximum(x, y), torch.minimum(x, y), x.max(), x.min(), x.amax(0), x.amin(0)),
    "clamped": lambda x, y: x.clamp(5, 130), "clamped between": lambda x, y: torch.clamp(x, y, y + 3),
    "places of extremes": lambda x, y: (x.argmax(), x.argmin(), x.max(0), x.min(0)), "aminmax": lambda x, y: torch.aminmax(x),
    "sorted": lambda x, y: (torch.sort(x), torch.sort(x, descending=True, stable=True)), "topk": lambda x, y: x.topk(3)[0],
    "smallest": lambda x, y: x.topk(3, largest=False)[0], "median": lambda x, y: x.median(),
    "running extremes": lambda x, y: (x.cummax(0), x.cummin(0)), "running sums": lambda x, y: (x.cumsum(0), x.cumprod(0)),
    "reductions": lambda x, y: (x.sum(), x.prod(), x.sum(dtype=x.dtype)), "mean": lambda x, y: x.float().mean(),
    "comparisons": lambda x, y: (x > y, x >= y, x < y, x <= y, x == y, x != y, x < 100),
    "right": lambda x, y: (x >> 1, x >> (y & 7)), "left": lambda x, y: (x << 1, x << (y & 3)),
    "bits": lambda x, y: (x & y, x | y, x ^ y, ~x), "truth": lambda x, y: (torch.logical_and(x, y), x.any(), x.bool()),
    "to floats": lambda x, y: (x.float(), x.double(), x.to(torch.bfloat16), x + 0.5, x.sqrt()),
    "from floats": lambda x, y: ((x.double() * 0.5).to(x.dtype), (x.double() * 0.9).to(x.dtype)),
    "to integers": lambda x, y: [x.to(t) for t in (torch.int8, torch.int16, torch.int32, torch.int64, *TYPES)],
    "powers": lambda x, y: (x ** 2, x ** 3), "powers of each": lambda x, y: x ** (y & 7), "large powers": lambda x, y: x ** y,
    "gcd": torch.gcd, "lcm": torch.lcm, "largest at": lambda x, y: spread(x, y, "amax"),
    "smallest at": lambda x, y: spread(x, y, "amin"), "product at": lambda x, y: spread(x, y, "prod"),
    "mean at": lambda x, y: spread(x, y, "mean"), "chosen": lambda x, y: torch.where(x > y, x, y),
    "found": lambda x, y: torch.searchsorted(torch.sort(y)[0], x), "isin": lambda x, y: torch.isin(x, y),
    "products": lambda x, y: x[None] @ y[:, None], "pooled": lambda x, y: F.max_pool1d(x[None].float(), 2),
    "unique": lambda x, y: torch.unique_consecutive(x), "differences": lambda x, y: torch.diff(x),
    "index": lambda x, y: torch.arange(300)[(x & 63).to(torch.int64)], "moved": lambda x, y: (x.flip(0), x.roll(1), x.view(2, 5).t()),
    "mixed": lambda x, y: x + torch.tensor([-1], dtype=torch.int16),
}


def listed(made):
    return [two for one in made for two in listed(one)] if isinstance(made, (tuple, list)) else [made]


def differs(got, want):
    for a, b in zip(listed(got), listed(want), strict=True):
        if a.dtype != b.dtype or a.shape != b.shape or not torch.allclose(a, b, equal_nan=True):
            return f"{a.tolist()} of {a.dtype} for {b.tolist()} of {b.dtype}"
    return ""


def numbers(dtype):
    """Of all sizes, half of them with the highest bit."""
    scale = 2 ** (8 * dtype.itemsize - 8)
    made = [[v * scale + 5 * (scale > 1) for v in BYTES[0]], [v * scale // (3 if scale > 1 else 1) + (scale > 1) for v in BYTES[1]]]
    signed = lambda v: v - 2 ** 64 if v >= 2 ** 63 else v  # noqa: E731
    return [torch.tensor([signed(v) for v in values], dtype=torch.int64).to(dtype) for values in made]


def compiled(bad):
    counts = {}
    for dtype in TYPES:
        x, y = numbers(dtype)
        for name, function in CASES.items():
            try:
                want = function(x, y)
            except RuntimeError:  # eager has none of it
                continue
            torch._dynamo.reset()
            try:
                why = differs(torch.compile(function, backend="kiln", fullgraph=True)(x, y), want)
            except Exception as error:
                why = str(error).split("unsupported:")[-1].strip().partition("\n")[0]
            counts[dtype] = counts.get(dtype, 0) + 1
            if why:
                bad.append(f"{name} of {dtype}: {why}")
    return counts


def truth_values(bad):
    x, y = torch.tensor([True, False, True, True, False]), torch.tensor([False, False, True, False, True])
    for name in ("cummax", "cummin", "sort", "amax", "amin", "sum", "cumsum", "sign"):
        function = lambda x, y: getattr(torch, name)(x, 0) if name != "sign" else x.sign()  # noqa: E731
        torch._dynamo.reset()
        why = differs(torch.compile(function, backend="kiln", fullgraph=True)(x, y), function(x, y))
        if why:
            bad.append(f"{name} of truth values: {why}")


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("limits", torch.tensor([250, 2, 128], dtype=torch.uint8))

    def forward(self, x):
        return x.float() * 2, x, torch.maximum(x, self.limits), x // 2


def packages(bad):
    x = torch.tensor([200, 3, 255], dtype=torch.uint8)
    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.kiln")
        kiln.export(torch.export.export(model, (x,)), path)
        loaded = kiln.load(path)
        for given in (x, x.numpy()):
            why = differs([torch.from_dlpack(one) for one in loaded(given)], model(x))
            if why:
                bad.append(f"package: {why}")
        assert [one.dtype for one in loaded.program.default.arguments] == ["u8", "u8"]


def main():
    bad = []
    counts = compiled(bad)
    truth_values(bad)
    packages(bad)
    assert counts[torch.uint8] >= len(CASES) - 6, counts
    for one in bad:
        print("not right:", one)
    print(f"{sum(counts.values())} cases, " + (f"{len(bad)} not right" if bad else "all right"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
