# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that are views of arguments, or of what is computed, have eager's sizes, strides and places, whatever sizes and numbers
change from call to call, and hand on gradients."""
import sys
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402

import kiln.torch  # noqa: E402

X = torch.arange(24.).view(12, 2)
Z = torch.complex(X, X + 0.5)
NUMBERS = [(X, k) for k in (1, 2, 3, 5)]
LENGTHS = [(X[:n].clone(),) for n in (4, 6, 8)]
PLACES = [(X[k:k + 6],) for k in (0, 2, 3)]
CASES = {
    "row": (lambda x, k: x[k], NUMBERS), "rows": (lambda x, k: x[k:k + 2], NUMBERS), "rest": (lambda x, k: x[k:], NUMBERS),
    "column": (lambda x, k: x[:, k % 2], NUMBERS), "narrow": (lambda x, k: x.narrow(0, k, 2), NUMBERS),
    "every kth": (lambda x, k: x[::k], NUMBERS), "transposed": (lambda x, k: x[:k].t(), NUMBERS),
    "expanded": (lambda x, k: x[:1].expand(k, 2), NUMBERS), "column expanded": (lambda x, k: x[:, :1].expand(12, k), NUMBERS),
    "unfolded": (lambda x, k: x.unfold(0, k, 1), NUMBERS), "strided": (lambda x, k: x.as_strided((2, 2), (k, 1), k), NUMBERS),
    "diagonal": (lambda x, k: torch.diagonal(x, -k), NUMBERS), "reshaped": (lambda x, k: x.view(-1)[2 * k:].view(-1, 2), NUMBERS),
    "permuted": (lambda x, k: x[None, k:].permute(2, 0, 1), NUMBERS), "beside a sum": (lambda x, k: (x[k:], x[k:].sum()), NUMBERS),
    "two": (lambda x, k: (x[:k], x[k:], x * 2), NUMBERS), "other type": (lambda x, k: x.view(torch.int32)[k:], NUMBERS),
    "real parts": (lambda x, k: torch.view_as_real(x)[k], [(Z, k) for k in (1, 2, 3)]),
    "second half": (lambda x: x[x.shape[0] // 2:], LENGTHS), "last row": (lambda x: x[x.shape[0] - 1], LENGTHS),
    "tensor_split": (lambda x: x.tensor_split(2), LENGTHS), "chunks": (lambda x: x.chunk(2, 1), LENGTHS),
    "split": (lambda x: x.split(3), LENGTHS), "unbound": (lambda x: x.unbind(1), LENGTHS),
    "expanded by a size": (lambda x: x[:1].expand(x.shape[0], 2), LENGTHS),
    "of a part": (lambda x: x[x.shape[0] // 2:], PLACES), "transposed part": (lambda x: x.t()[:, 1:], PLACES),
}


#: Of what a program computes; views of one tensor share its memory.
MADE = {
    "part": lambda x: (x * 2)[1:, 1], "every other": lambda x: (x * 2)[::2], "last": lambda x: (x @ x.t())[:, -1],
    "unbound": lambda x: (x * 2).unbind(1), "chunks": lambda x: (x * 2).chunk(2), "beside the whole": lambda x: ((y := x * 2), y[1:], y.t(), y[0]),
    "transposed parts": lambda x: (x * 2).t()[:, 1:], "expanded": lambda x: (x + 1)[:, :1].expand(-1, 3), "sum expanded": lambda x: x.sum(0).expand(4, 2),
    "diagonal": lambda x: torch.diagonal(x @ x.t(), 1), "unfolded": lambda x: (x * 2).unfold(0, 2, 1),
    "heads": lambda x: (x @ x.t()).reshape(len(x), 2, -1).transpose(0, 1).unbind(0),
    "real parts": lambda x: (torch.complex(x, x + 1) * 2).real[1:], "conjugated": lambda x: (torch.complex(x, x + 1) * 2).conj(),
    "written": lambda x: ((y := x * 2)[1:].add_(1), y[0]), "of columns": lambda x: torch.linalg.lstsq(x, x + 1, driver="gels").solution,
    "of columns beside the whole": lambda x: ((y := x.t().contiguous().t() * 2), y[1:], y[:, 0]), "size of 1": lambda x: (x * 2)[:, None].transpose(1, 2),
    "integers beside the whole": lambda x: ((y := x * 2), y.view(torch.int32), y.view(torch.uint8)[1:]),
    "wider beside the whole": lambda x: ((y := x * 2).view(torch.float64), y), "parts as integers": lambda x: (x * 2)[1:].view(torch.int32),
    "two of integers": lambda x: ((y := x * 2).view(torch.int32)[1:], y.view(torch.int16)[:, 3]),
    "transposed integers": lambda x: ((y := (x * 2).t()), y.view(torch.int32)), "narrow floats": lambda x: ((y := x.bfloat16()), y.view(torch.int16), y.view(torch.int32)),
    "truth as bytes": lambda x: ((y := x > 0), y.view(torch.uint8)), "floats of integers": lambda x: ((y := x.view(torch.int32) + 1), y.view(torch.float32)),
    "complex beside the whole": lambda x: ((y := x * 2), torch.view_as_complex(y), y.view(torch.complex64)[1:]),
    "real parts beside the whole": lambda x: ((y := torch.complex(x, x + 1) * 2), torch.view_as_real(y), y.real, y.imag[1:]),
    "conjugated beside the whole": lambda x: ((y := torch.complex(x, x + 1) * 2), y.conj(), y.conj()[1:].imag), "adjoint of a part": lambda x: (torch.complex(x, x + 1) * 2)[1:].mH,
    "two conjugated": lambda x: ((y := (torch.complex(x, x + 1) * 2).conj())[1:], y[:, 0].real),
    "two real parts": lambda x: ((y := torch.complex(x, x + 1) * 2).imag, y.real), "integers written": lambda x: ((y := x * 2), y.view(torch.int32).add_(1)),
}


def listed(made):
    return list(made) if isinstance(made, (tuple, list)) else [made]


def alike(got, want, base):
    """Values, and where they lie; views are of the same memory."""
    assert torch.equal(got, want), (got, want)
    assert (got.shape, got.stride(), got.storage_offset()) == (want.shape, want.stride(), want.storage_offset()), \
        f"{got.stride()} from {got.storage_offset()} for {want.stride()} from {want.storage_offset()}"
    assert (got.untyped_storage().data_ptr() == base.untyped_storage().data_ptr()) == \
        (want.untyped_storage().data_ptr() == base.untyped_storage().data_ptr())


def check(function, calls, **options):
    torch._dynamo.reset()
    compiled = torch.compile(function, backend="kiln", fullgraph=True, **options)
    for arguments in calls:
        for got, want in zip(listed(compiled(*arguments)), listed(function(*arguments)), strict=True):
            alike(got, want, arguments[0])


def check_made(function, **options):
    torch._dynamo.reset()
    compiled = torch.compile(function, backend="kiln", fullgraph=True, **options)
    for arguments in LENGTHS:
        x = (arguments[0] / 7).sin()
        got, want = listed(compiled(x)), listed(function(x))
        memories = [[one.untyped_storage().data_ptr() for one in made] for made in (got, want)]
        for a, b in zip(got, want, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)
            assert (a.stride(), a.storage_offset()) == (b.stride(), b.storage_offset()), (a.stride(), b.stride())
            assert (a.is_conj(), a.is_neg()) == (b.is_conj(), b.is_neg())
        assert [[one == other for other in memories[0]] for one in memories[0]] == [[one == other for other in memories[1]] for one in memories[1]]


def check_gradients(function, calls):
    torch._dynamo.reset()
    compiled = torch.compile(function, backend="kiln", fullgraph=True)
    for base, *rest in calls:
        ours, theirs = (base.detach().clone().requires_grad_() for _ in range(2))
        for x, run in ((ours, compiled), (theirs, function)):
            made = [one for one in listed(run(x, *rest)) if one.requires_grad]
            sum(((one * torch.arange(1., one.numel() + 1).view(one.shape)).abs() ** 2).sum() for one in made).backward()
        torch.testing.assert_close(ours.grad, theirs.grad)


#: Results with gradients that eager mode lays out in columns, and that the backward graph reads.
COLUMNS = {
    "inverse": torch.linalg.inv, "solution": lambda x: torch.linalg.solve(x, x[:, :2]), "root": lambda x: torch.linalg.cholesky(x @ x.t()),
    "rotation": lambda x: torch.linalg.qr(x), "triangle": lambda x: torch.linalg.solve_triangular(x.triu(), x, upper=True),
    "exponential": lambda x: (x.exp().t().contiguous().t(), x.sin()), "transposed inverse": lambda x: torch.linalg.inv(x).t(),
    "beside the transposed": lambda x: ((y := torch.linalg.inv(x)), y.t()), "beside a row": lambda x: ((y := torch.linalg.inv(x)), y[1], y[2:, 1:]),
    "beside itself": lambda x: ((y := torch.linalg.inv(x)), y.detach()), "rotation beside the transposed": lambda x: ((q := torch.linalg.qr(x)[0]), q.t()),
    "row of an inverse": lambda x: torch.linalg.inv(x)[1], "beside the diagonal": lambda x: ((y := torch.linalg.inv(x)), torch.diagonal(y, 1)),
}


def check_columns(function, **options):
    torch._dynamo.reset()
    compiled = torch.compile(function, backend="kiln", fullgraph=True, **options)
    for n in (5, 7):
        ours, theirs = ((X.new_ones(n, n).cumsum(0).cumsum(1).sin() + 9 * torch.eye(n)).requires_grad_() for _ in range(2))
        got, want = listed(compiled(ours)), listed(function(theirs))
        for a, b in zip(got, want, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)
            assert a.stride() == b.stride(), (a.stride(), b.stride())
        for made in (got, want):
            assert len({one.untyped_storage().data_ptr() for one in made}) == len({one.untyped_storage().data_ptr() for one in want})
            made = [one for one in made if one.requires_grad]
            sum((one ** 2).sum() for one in made).backward()
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-3, atol=1e-3)


def written():
    """A view that is written through is the argument's memory."""
    torch._dynamo.reset()
    compiled = torch.compile(lambda x, k: x[k:], backend="kiln", fullgraph=True)
    for k in (1, 2, 3):
        x = X.clone()
        compiled(x, k).zero_()
        assert x[:k].sum() == X[:k].sum() and not x[k:].any()


def written_as():
    """What is written through a result of another element type is in the result that it is a view of."""
    for make, of in ((lambda x: ((y := x * 2), y.view(torch.int32)), 0), (lambda x: (torch.view_as_real(y := torch.complex(x, x)), y), 1)):
        torch._dynamo.reset()
        made = torch.compile(make, backend="kiln", fullgraph=True)(X + 1)
        assert made[of].all()
        made[1 - of].zero_()
        assert not made[of].any()


def strided():
    """An offset of as_strided counts from the storage's beginning, which a part of a storage does not know. Such calls, and
    those that reach beyond their tensor, are refused rather than computed wrong."""
    whole = torch.arange(20.0)
    for x, size, offset in ((whole[4:8], (2, 2), 1), (whole[:4], (3,), 6)):
        torch._dynamo.reset()
        compiled = torch.compile(lambda x: x.as_strided(size, (1,) * len(size), offset) + 0, backend="kiln", fullgraph=True)
        try:
            compiled(x)
        except Exception as error:
            assert "as_strided" in str(error), error
        else:
            raise AssertionError("as_strided outside of its tensor is compiled")
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: x.as_strided((2,), (1,), 1) + 0, backend="kiln", fullgraph=True)
    assert torch.equal(compiled(whole[:4]), whole[1:3])
    try:
        compiled(whole[4:8])
    except Exception as error:
        assert "as_strided" in str(error), error
    else:
        raise AssertionError("as_strided of a part of a storage is computed")


def main():
    bad = []
    for name, (function, calls) in CASES.items():
        for kind, run in (("default", check), ("dynamic", lambda *given: check(*given, dynamic=True)),
                          ("static", lambda *given: check(*given, dynamic=False)), ("gradients", check_gradients)):
            if kind == "gradients" and name in ("other type", "of a part", "transposed part"):  # integers; clones of what is no part
                continue
            try:
                run(function, calls)
            except Exception as error:
                bad.append(f"{name} ({kind})")
                print(f"not right: {bad[-1]}: {type(error).__name__} {error}")
    for name, function in MADE.items():
        for options in ({}, {"dynamic": True}, {"dynamic": False}):
            try:
                check_made(function, **options)
            except Exception as error:
                bad.append(f"made: {name} {options}")
                print(f"not right: {bad[-1]}: {type(error).__name__} {error}")
    for name, function in COLUMNS.items():
        # Where a view begins and ends is compared in known sizes; else tensors with such views stay in rows.
        for options in ({"dynamic": False}, {"dynamic": True})[:1 if name in ("beside a row", "beside the diagonal") else 2]:
            try:
                check_columns(function, **options)
            except Exception as error:
                bad.append(f"in columns: {name} {options}")
                print(f"not right: {bad[-1]}: {type(error).__name__} {error}")
    written()
    written_as()
    strided()
    print(f"{len(CASES) + len(MADE) + len(COLUMNS)} cases, " + (f"not right: {', '.join(bad)}" if bad else "all right"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
