# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linear-algebra.py write | check TARGET | dynamic: a program with all functions of the host, and what has to hold of their
results, in units of the rounding times the size."""
import subprocess
import sys

import numpy as np

CASES = {"f32": np.float32, "f64": np.float64}
BATCH, M, N = 3, 40, 23


def tensor(shape, dtype):
    return f"tensor<{''.join(f'{n}x' for n in shape)}{dtype}>"


def function(name, dtype, operation, operands, results):
    arguments = ", ".join(f"%a{i}: {tensor(s, dtype)}" for i, s in enumerate(operands))
    types = [tensor(s, kind or dtype) for s, kind in results]
    made = f"%r:{len(types)}" if len(types) > 1 else "%r"
    names = ", ".join(f"%r#{i}" if len(types) > 1 else "%r" for i in range(len(types)))
    given = ", ".join(tensor(s, dtype) for s in operands)
    return (f"func.func @{name}_{dtype}({arguments}) -> ({', '.join(types)}) {{\n"
            f"  {made} = prim.{operation.format(*(f'%a{i}' for i in range(len(operands))))} : {given}\n"
            f"  return {names} : {', '.join(types)}\n}}\n")


def square(n=M):
    return (BATCH, n, n)


def write():
    rng = np.random.default_rng(1)
    text = ""
    for dtype, kind in CASES.items():
        one, both = ((BATCH,), "i32"), (BATCH, M, N)
        text += function("cholesky", dtype, "cholesky {}", [square()], [(square(), None), one])
        for m, n in ((M, N), (N, M), (1, 5), (0, 3)):
            shape, k, tag = (BATCH, m, n), min(m, n), f"_{m}x{n}"
            text += function("lu" + tag, dtype, "lu {}", [shape],
                             [(shape, None), ((BATCH, k), "i32"), ((BATCH, m), "i32"), one])
            text += function("qr" + tag, dtype, "householder_qr {}", [shape], [(shape, None), ((BATCH, k), None)])
            for full in ("", " full"):
                left, right = (m, n) if full else (k, k)
                text += function("svd" + tag + full.strip(), dtype, "svd {}" + full, [shape],
                                 [((BATCH, m, left), None), ((BATCH, k), None), ((BATCH, right, n), None), one])
        for flags in ("", " lower", " transpose", " lower transpose unit"):
            text += function("solve" + flags.replace(" ", "_"), dtype, "triangular_solve {}, {}" + flags, [square(), both],
                             [(both, None)])
        text += function("product", dtype, "householder_product {}, {}", [both, (BATCH, N)], [(both, None)])
        text += function("eigh", dtype, "eigh {}", [square()], [((BATCH, M), None), (square(), None), one])
        text += function("eig", dtype, "eig {}", [square()],
                         [((BATCH, M), None)] * 2 + [(square(), None)] * 2 + [one])
    text += """
func.func @same(%a: tensor<6x6xf64>, %s: tensor<6x4xf64>) -> (tensor<6x6xf64>, tensor<i32>, tensor<6x4xf64>, tensor<4xi32>,
    tensor<6xi32>, tensor<6x4xf64>, tensor<6x4xf64>, tensor<6xf64>, tensor<6x6xf64>, tensor<4xf64>, tensor<4x4xf64>) {
  %l, %i = prim.cholesky %a : tensor<6x6xf64>
  %x = prim.triangular_solve %l, %s lower : tensor<6x6xf64>, tensor<6x4xf64>
  %f, %p, %rows, %j = prim.lu %s : tensor<6x4xf64>
  %rows2 = prim.pivots_to_permutation %p rows 6 : tensor<4xi32>
  %h, %t = prim.householder_qr %s : tensor<6x4xf64>
  %q = prim.householder_product %h, %t : tensor<6x4xf64>, tensor<4xf64>
  %w, %v, %k = prim.eigh %a : tensor<6x6xf64>
  %u, %z, %vt, %n = prim.svd %s : tensor<6x4xf64>
  return %l, %i, %x, %p, %rows2, %f, %q, %w, %v, %z, %vt : tensor<6x6xf64>, tensor<i32>, tensor<6x4xf64>, tensor<4xi32>,
    tensor<6xi32>, tensor<6x4xf64>, tensor<6x4xf64>, tensor<6xf64>, tensor<6x6xf64>, tensor<4xf64>, tensor<4x4xf64>
}
func.func @dynamic(%a: tensor<?x?xf64>) -> tensor<?xf64> {
  %u, %s, %vt, %i = prim.svd %a : tensor<?x?xf64>
  return %s : tensor<?xf64>
}
"""
    with open("all.mlir", "w", encoding="utf-8") as file:
        file.write(text)
    a = rng.standard_normal((6, 6))
    np.save("a.npy", a @ a.T + 6 * np.eye(6))
    np.save("s.npy", rng.standard_normal((6, 4)))
    np.save("d.npy", rng.standard_normal((7, 5)))


def run(target, entry, dtype, *operands, results):
    command = ["kiln-run", "all.kiln", f"--target={target}", f"--entry={entry}_{dtype}"]
    for i, operand in enumerate(operands):
        np.save(f"arg{i}.npy", np.ascontiguousarray(operand))
        command.append(f"--arg=arg{i}.npy")
    command += [f"--result={i}:result{i}.npy" for i in range(results)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert not done.returncode, f"{entry}_{dtype}: {done.stderr}"
    made = [np.load(f"result{i}.npy") for i in range(results)]
    return made if results > 1 else made[0]


def near(what, a, b, kind, scale=1.0):
    far = float(np.max(np.abs(a.astype(np.complex256) - b), initial=0))
    bound = 40 * M * np.finfo(kind).eps * scale
    assert far <= bound, f"{what}: {far} is more than {bound}"


def turned(v, axis):
    """The first element of at least half the largest magnitude is positive."""
    v = np.moveaxis(v, axis, -1)
    size = np.abs(v)
    first = np.argmax(size >= size.max(-1, keepdims=True) / 2, -1)
    return bool(np.all(np.take_along_axis(v, first[..., None], -1) > 0))


def check(target):
    rng = np.random.default_rng(2)
    for dtype, kind in CASES.items():
        def random(*shape):
            return rng.standard_normal(shape).astype(kind)
        a, eye = random(*square()), np.eye(M)
        good = (a @ a.swapaxes(1, 2) + M * np.eye(M)).astype(kind)
        bad = good.copy()
        bad[1, 5, 5] = -1
        lower, info = run(target, "cholesky", dtype, np.tril(bad) + 7 * np.triu(np.ones_like(bad), 1), results=2)
        assert list(info) == [0, 6, 0], info
        for i in (0, 2):
            near("cholesky", lower[i] @ lower[i].T, good[i], kind, np.abs(good).max())
            assert not np.triu(lower[i], 1).any() and (np.diag(lower[i]) > 0).all()
        for place, step in (((0, 0), 1), ((M - 1, 0), M), ((M // 2, M // 2), M // 2 + 1)):  # NaN is not positive
            poor = good.copy()
            poor[(2, *place)] = np.nan
            _, info = run(target, "cholesky", dtype, poor, results=2)
            assert list(info) == [0, 0, step], (place, info)
        assert np.isnan(lower[1][np.tril_indices(M)]).all() and not np.triu(lower[1], 1).any()
        for m, n in ((M, N), (N, M), (1, 5), (0, 3)):
            x, k, tag = random(BATCH, m, n), min(m, n), f"_{m}x{n}"
            if m > 1:
                x[2, :, 1] = 0
            f, pivots, rows, info = run(target, "lu" + tag, dtype, x, results=4)
            assert list(info) == [0, 0, 2 if m > 1 else 0], info
            made = (np.tril(f[:, :, :k], -1) + np.eye(m, k)) @ np.triu(f[:, :k])
            near("lu", made, np.take_along_axis(x, rows[..., None].astype(int), 1), kind, 10)
            assert not m or np.abs(np.tril(f[:, :, :k], -1)).max() <= 1
            for i in range(BATCH):
                order = list(range(m))
                for j, other in enumerate(pivots[i]):
                    order[j], order[other] = order[other], order[j]
                assert order == list(rows[i])
            f, scales = run(target, "qr" + tag, dtype, x, results=2)
            if m >= n:
                q = run(target, "product", dtype, f, scales, results=1)
                near("Q", q.swapaxes(1, 2) @ q, np.eye(n), kind)
                near("Q R", q @ np.triu(f[:, :n]), x, kind, 10)
            for full in ("", "full"):
                u, s, vt, info = run(target, "svd" + tag + full, dtype, x, results=4)
                assert not info.any() and (s >= 0).all() and (np.diff(s) <= 0).all()
                near("svd", (u[:, :, :k] * s[:, None]) @ vt[:, :k], x, kind, 10)
                near("U", u.swapaxes(1, 2) @ u, np.eye(u.shape[2]), kind)
                near("V", vt @ vt.swapaxes(1, 2), np.eye(vt.shape[1]), kind)
                assert not k or turned(vt[:, :k], 2)
        b = random(BATCH, M, N)
        for flags in ("", "_lower", "_transpose", "_lower_transpose_unit"):
            t = np.tril(a) if "lower" in flags else np.triu(a)
            t = t / M + (0 if "unit" in flags else 2 * eye)
            given = (t + 9 * (np.triu(np.ones_like(a), 1) if "lower" in flags else np.tril(np.ones_like(a), -1))).astype(kind)
            if "unit" in flags:
                t = t - t * eye + eye
            x = run(target, "solve" + flags, dtype, given, b, results=1)
            near("solve", (t.swapaxes(1, 2) if "transpose" in flags else t) @ x, b, kind, 10)
        symmetric = (a + a.swapaxes(1, 2)) / 2
        given = np.tril(symmetric) + 7 * np.triu(np.ones_like(a), 1)
        given[1, 3, 3] = np.nan
        w, v, info = run(target, "eigh", dtype, given.astype(kind), results=3)
        assert info[1] and not info[0] and np.isnan(w[1]).all() and np.isnan(v[1]).all()
        for i in (0, 2):
            near("eigh", symmetric[i] @ v[i], v[i] * w[i], kind, 10)
            near("V", v[i].T @ v[i], eye, kind)
            assert (np.diff(w[i]) >= 0).all() and turned(v[i], 0)
        wr, wi, vr, vi, info = run(target, "eig", dtype, a, results=5)
        w, v = wr + 1j * wi, vr + 1j * vi
        assert not info.any()
        near("eig", a @ v, v * w[:, None], kind, 100)
        near("lengths", np.linalg.norm(v, axis=1), np.ones((BATCH, M)), kind)
        near("sum", w.sum(-1), np.trace(a, axis1=1, axis2=2), kind, 100)
        for values, vectors in zip(w, v):
            first = np.flatnonzero(values.imag > 0)
            assert not vectors[:, values.imag == 0].imag.any()
            near("pairs", values[first].conj(), values[first + 1], kind, 10)
            near("pairs of vectors", vectors[:, first].conj(), vectors[:, first + 1], kind, 10)


def dynamic():
    near("dynamic", np.load("r.npy"), np.linalg.svd(np.load("d.npy"))[1], np.float64, 10)


if sys.argv[1] == "check":
    check(sys.argv[2])
else:
    {"write": write, "dynamic": dynamic}[sys.argv[1]]()
