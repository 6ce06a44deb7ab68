# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex arguments and results of compiled graphs, in all the ways that they lie in memory."""
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402

import kiln.torch  # noqa: E402
from kiln._runtime import exchange  # noqa: E402
from kiln.torch import compiled  # noqa: E402
from kiln.torch.calls import EXCHANGE  # noqa: E402

MADE = []


def remembered(self, *arguments, init=compiled.Compiled.__init__, **named):
    init(self, *arguments, **named)
    MADE.append(self)


compiled.Compiled.__init__ = remembered

CASES = {
    "sum": lambda x, y: x + y,
    "several": lambda x, y: (x * y, x.real + 1, torch.view_as_real(x - y), y.abs()),
    "transform": lambda x, y: torch.fft.fft(x) * y,
    "real transform": lambda x, y: torch.fft.rfft(x.real),
    "a number": lambda x, y: (x * y).sum(),
    "columns": lambda x, y: (x * y)[:, ::2].t().contiguous(),
}


def arguments(dtype):
    """Pairs of equal shape by how they lie in memory."""
    def drawn(*shape):
        return torch.randn(*shape, dtype=dtype)

    yield "rows", drawn(6, 8), drawn(6, 8)
    yield "conjugate", drawn(6, 8).conj(), drawn(6, 8)
    yield "both conjugate", drawn(6, 8).conj(), drawn(6, 8).conj()
    yield "columns", drawn(8, 6).t(), drawn(6, 8)
    yield "columns, conjugate", drawn(8, 6).t().conj(), drawn(8, 6).mH
    yield "behind others", drawn(9, 8)[3:], drawn(49)[1:].view(6, 8)
    yield "every second", drawn(6, 16)[:, ::2], drawn(12, 8)[::2]
    yield "expanded", drawn(1, 8).expand(6, 8), drawn(6, 8)
    yield "one row", drawn(1, 8), drawn(1, 8)


def check(name, function, given, where):
    torch._dynamo.reset()
    MADE.clear()
    call = torch.compile(function, backend=kiln.torch.kiln, fullgraph=True, options={"target": "cpu"})
    for _ in range(2):
        torch.testing.assert_close(call(*given), function(*given), rtol=1e-5, atol=1e-5, msg=lambda text: f"{name}, {where}: {text}")
    # The compiled graph takes tensors that lie otherwise, too.
    others = [torch.randn_like(one.resolve_conj()).contiguous() for one in given]
    torch.testing.assert_close(call(*others), function(*others), rtol=1e-5, atol=1e-5)


def raises(call):
    try:
        call()
    except (TypeError, kiln.Error):
        return True
    return False


def main():
    torch.manual_seed(0)
    for dtype in (torch.complex64, torch.complex128):
        for where, *given in arguments(dtype):
            for name, function in CASES.items():
                check(name, function, given, where)
    check("no dimension", lambda x, y: x * y, [torch.tensor(1 + 2j), torch.tensor(3 - 1j)], "numbers")
    check("nothing", lambda x, y: x * y, [torch.empty(0, 3, dtype=torch.complex64)] * 2, "no elements")

    one = torch.randn(1, dtype=torch.complex64).conj().imag
    assert one.is_neg() and one.is_contiguous()
    check("a negative number", lambda x: x * 2, [one], "a part of a conjugate")

    # The call of the package is all that there is, and results of real numbers are not put together.
    x = torch.randn(4, 2, dtype=torch.complex64)
    torch._dynamo.reset()
    MADE.clear()
    torch.compile(lambda x: x * 2, backend=kiln.torch.kiln, fullgraph=True, options={"target": "cpu"})(x)
    graph = MADE[-1]
    assert graph.direct and graph.complexes == b"\1", (graph.direct, graph.complexes)
    found, = exchange(graph.session, graph.entry, EXCHANGE, [x], b"")
    assert found.shape == (4, 2, 2) and found.dtype == torch.float32, (found.shape, found.dtype)
    assert exchange(graph.session, graph.entry, EXCHANGE, [x.conj()], b"\1") is None
    assert raises(lambda: exchange(graph.session, graph.entry, EXCHANGE, [x.to(torch.complex32)], b"\1"))
    # Real numbers of another shape are no parts.
    torch.compile(lambda x: x.abs(), backend=kiln.torch.kiln, fullgraph=True, options={"target": "cpu"})(torch.randn(4, 3) + 0j)
    graph = MADE[-1]
    assert raises(lambda: exchange(graph.session, graph.entry, EXCHANGE, [torch.randn(4, 3) + 0j], b"\1"))
    print("all right")


if __name__ == "__main__":
    main()
