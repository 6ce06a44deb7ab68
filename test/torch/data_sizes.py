# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes and places that depend on data, compiled whole: compared with eager, for several data with one program."""
import os
import sys
import tempfile
import traceback
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402

import kiln  # noqa: E402
import kiln.torch  # noqa: E402

torch._dynamo.config.capture_dynamic_output_shape_ops = True
torch._dynamo.config.capture_scalar_outputs = True
SHAPE = (6, 4)


def table(seed):
    return torch.randint(-1, 2, SHAPE, generator=torch.Generator().manual_seed(seed)).float()


NONE, ALL = torch.zeros(SHAPE), torch.ones(SHAPE)
TABLES = [(table(1),), (table(2),), (NONE,), (ALL,)]
PLACES = [(table(1), torch.tensor(n)) for n in (1, 0, 3)]
ENDS = [*PLACES, *((table(1), torch.tensor(n)) for n in (6, 9, -1, -6, -9))]
CASES = {
    "nonzero": (torch.nonzero, TABLES),
    "nonzero in columns": (lambda x: torch.nonzero(x, as_tuple=True), TABLES),
    "rows that a mask says": (lambda x: x[x[:, 0] > 0], TABLES),
    "columns that a mask says": (lambda x: x[1, x[0] > 0], TABLES),
    "elements, and what is computed with each": (lambda x: (x[x > 0] * 2 + 1).to(torch.float64), TABLES),
    "masked_select": (lambda x: torch.masked_select(x, x[0] > 0), TABLES),
    "unique": (lambda x: torch.unique(x, return_inverse=True, return_counts=True), TABLES),
    "unique rows": (lambda x: torch.unique(x, return_inverse=True, return_counts=True, dim=0), TABLES),
    "rows by their runs": (lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True, dim=1), TABLES),
    "what is computed of all that count": (lambda x: (x[x > 0].exp() + 1).sum(), TABLES),
    "a product of rows": (lambda x: x[x[:, 0] > 0] @ x.T, TABLES),
    "rows to experts and back": (lambda x: torch.zeros_like(x).index_add(0, torch.nonzero(x[:, 0] > 0)[:, 0], x[x[:, 0] > 0] * 2), TABLES),
    "both together, and how many": (lambda x: (torch.cat([x[x > 0], x[x < 0]]), x[x > 0].shape[0]), TABLES),
    "rows repeated": (lambda x: torch.repeat_interleave(x, (x[:, 0] + 1).to(torch.int64), dim=0), TABLES),
    "how often": (lambda x: torch.bincount((x + 1).reshape(-1).to(torch.int64)), TABLES),
    "a size": (lambda x, n: torch.arange(n.item()) + torch.ones(n.item(), 2).sum(), PLACES),
    "a number": (lambda x, n: n.item() + 1, PLACES),
    "runs": (lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True), TABLES),
    "a part from a place": (lambda x, n: torch.narrow(x, 0, n, 2), PLACES),
    "a part from a place, computed with": (lambda x, n: torch.narrow(x, 0, n, 2) + 1, PLACES),
    "up to a place": (lambda x, n: x[:n.item()].sum(0), PLACES),
    "behind a place": (lambda x, n: x[n.item():] * 2, PLACES),
    "a part of an argument, to its end": (lambda x, n: x[n.item():], ENDS),
    "parts of an argument, cut anywhere": (lambda x, n: torch.tensor_split(x, n), [(table(1), torch.tensor(pair)) for pair in
                                                                             ([0, 9], [-9, 4], [2, 3], [7, 8], [-2, 9])]),
    "a row": (lambda x, n: x[n.item()], PLACES),
    "what is computed, behind a place": (lambda x, n: (x * 2)[n.item():], PLACES),
    "a part of what is computed": (lambda x, n: (x * 2).narrow(0, n.item(), 2), PLACES),
    "a row of what is computed": (lambda x, n: (x * 2)[n.item()], PLACES),
    "parts of as many as data say": (lambda x: (torch.nonzero(x)[1:], x[x > 0][:-1] * 2, x[x < 0][1:-2].exp(), x[x > 0][-3:], x[x > 0][:2]), TABLES),
    "every other one": (lambda x: (torch.nonzero(x)[::2], x[x > 0][1::3]), TABLES),
    "parts between places": (lambda x, n: torch.tensor_split(x, torch.stack([n, n + 2])), PLACES),
    "a row, computed with": (lambda x, n: x[n.item()] * n.item(), PLACES),
}


def twice(x, w):
    """Layers that ask for the same rows each, as those of graphs do."""
    for _ in range(2):
        rows, places = x[x[:, 0] > -9][:, :4], torch.nonzero(w[0].detach() > 0)[:, 0]
        x = torch.zeros_like(x).index_add(1, places, (rows @ w)[:, places] * w[0, places]).relu() + x
    return x


def check_gradients():
    """Where torch's joint graph of forward and backward pass has an operation that makes sizes twice."""
    fast = torch.compile(twice, backend="kiln", fullgraph=True)
    for seed in (1, 2, 3):
        x, w = (torch.randn(size, 4, generator=torch.Generator().manual_seed(seed)) for size in (6, 4))
        made = []
        for function in (twice, fast):
            given = w.clone().requires_grad_()
            made.append(torch.autograd.grad((function(x, given) ** 2).sum(), given)[0])
        torch.testing.assert_close(*made)


def few(x):
    rows = x.nonzero()
    torch._check(rows.shape[0] < 4)
    return rows.sum(), rows


def between(x):
    n = x.sum().to(torch.int64).item()
    torch._check(n >= 2)
    torch._check(n + 1 < 5)
    return torch.ones(n) + x.mean()


def positive(x):
    torch._assert_async((x > 0).all(), "x is positive")
    return x + 1


#: What a program asserts of its data, good inputs, and inputs of which it does not hold.
ASSERTED = {
    "how many": (few, [torch.tensor([1, 0, 1.0])], [torch.ones(3).repeat(4), torch.ones(4)]),
    "a number": (between, [torch.ones(2), torch.tensor([1.0, 2])], [torch.ones(2) / 2, torch.ones(2) * 2]),
    "a tensor": (positive, [torch.ones(3)], [-torch.ones(3), torch.tensor([1.0, 1, 0])]),
    "a factorisation": (lambda x: torch.linalg.cholesky(torch.diag(x)), [torch.ones(3)], [-torch.ones(3), torch.tensor([1.0, -1, 1])]),
    "an inverse": (lambda x: torch.linalg.inv(torch.diag(x)), [torch.ones(3)], [torch.zeros(3), torch.tensor([2.0, 0, 1])]),
    "an equation": (lambda x: torch.linalg.solve(torch.diag(x), x), [torch.ones(3)], [torch.zeros(3)]),
}


#: Functions of matrices that fail where torch says LinAlgError, or a RuntimeError of no kind, and the same that never fail.
FAILING = {
    "cholesky": (torch.linalg.cholesky, torch.linalg.cholesky_ex),
    "cholesky_ex": (lambda a: torch.linalg.cholesky_ex(a, check_errors=True), torch.linalg.cholesky_ex),
    "upper": (lambda a: torch.linalg.cholesky(a, upper=True), lambda a: torch.linalg.cholesky_ex(a, upper=True)),
    "the older cholesky": (torch.cholesky, torch.linalg.cholesky_ex),
    "inv": (torch.linalg.inv, torch.linalg.inv_ex),
    "inv_ex": (lambda a: torch.linalg.inv_ex(a, check_errors=True), torch.linalg.inv_ex),
    "solve": (lambda a: torch.linalg.solve(a, a), lambda a: torch.linalg.solve_ex(a, a)),
    "solve_ex": (lambda a: torch.linalg.solve_ex(a, a, check_errors=True), lambda a: torch.linalg.solve_ex(a, a)),
    "lu_factor": (torch.linalg.lu_factor, torch.linalg.lu_factor_ex),
    "lu_factor_ex": (lambda a: torch.linalg.lu_factor_ex(a, check_errors=True), torch.linalg.lu_factor_ex),
}


def matrices(dtype, size):
    """One that has all factors, and others that lack some."""
    whole = torch.eye(size, dtype=dtype) * 3
    made = [whole, torch.stack([whole] * 3)]
    places = [((0, 0), 0), ((-1, -1), 0), ((-1, -1), -1), ((0, 0), torch.nan), ((-1, -1), torch.nan), ((size // 2, 0), torch.nan)]
    if not dtype.is_complex:  # of quotients of infinities LAPACK and annex G of the C standard make different ones
        places.append(((-1, 0), torch.inf))
    for place, value in places:
        broken = whole.clone()
        broken[place] = value
        made += [broken, torch.stack([whole, broken, broken])]
    return made


def error_of(function, a):
    try:
        function(a)
    except RuntimeError as error:
        return torch.linalg.LinAlgError if isinstance(error, torch.linalg.LinAlgError) else RuntimeError
    return None


def check_failing(function, free, dtype, size):
    """Errors of the same kind as in eager mode, for the same matrices; and none, but the same numbers of steps, where none are asked for."""
    fast, never = (torch.compile(one, backend="kiln", fullgraph=True, dynamic=False) for one in (function, lambda a: free(a)[-1]))
    for a in matrices(dtype, size):
        assert error_of(fast, a) == error_of(function, a), (a, error_of(fast, a), error_of(function, a))
        assert torch.equal(never(a), free(a)[-1]), (a, never(a), free(a)[-1])


class Of(torch.nn.Module):
    """A function as a module, for torch.export."""

    def __init__(self, function):
        super().__init__()
        self.forward = lambda x: function(x)


def check_asserted(function, good, bad):
    fast = torch.compile(function, backend="kiln", fullgraph=True, dynamic=True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.kiln")
        shapes = ({0: torch.export.Dim.AUTO},)
        kiln.export(torch.export.export(Of(function), (good[0],), dynamic_shapes=shapes), path)
        package = kiln.load(path)
        for x in good:
            torch.testing.assert_close(fast(x), function(x))
            made = package(x)
            torch.testing.assert_close(torch.from_dlpack(made[0] if isinstance(made, tuple) else made),
                                       function(x)[0] if isinstance(function(x), tuple) else function(x))
        for x in bad:
            for call in (fast, package):
                try:
                    call(x)
                except RuntimeError:
                    continue
                raise AssertionError(f"{x} was taken")


def main():
    failures = 0
    try:
        check_gradients()
    except Exception:
        traceback.print_exc(limit=4)
        print("failed: gradients")
        failures += 1
    for name, case in ASSERTED.items():
        torch._dynamo.reset()
        try:
            check_asserted(*case)
        except Exception:
            traceback.print_exc(limit=4)
            print(f"failed: asserted: {name}")
            failures += 1
    for name, functions in FAILING.items():
        for dtype, size in ((torch.float32, 2), (torch.float64, 40), (torch.complex64, 3)):
            torch._dynamo.reset()
            try:
                check_failing(*functions, dtype, size)
            except Exception:
                traceback.print_exc(limit=4)
                print(f"failed: a factorisation that fails: {name}, {dtype}, {size}")
                failures += 1
    for name, (function, inputs) in CASES.items():
        torch._dynamo.reset()
        try:
            fast = torch.compile(function, backend="kiln", fullgraph=True)
            for given in inputs:
                torch.testing.assert_close(fast(*given), function(*given))
        except Exception:
            traceback.print_exc(limit=4)
            print(f"failed: {name}")
            failures += 1
    print("all right" if not failures else f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
