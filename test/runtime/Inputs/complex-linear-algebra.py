# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""complex-linear-algebra.py write | check TARGET: a program with the host's functions of complex matrices, and what has to hold of
their results, in units of the rounding times the size."""
import subprocess
import sys

import numpy as np

CASES = {"f32": np.complex64, "f64": np.complex128}
BATCH, M, N = 3, 17, 9
SHAPES = (M, N), (N, M), (1, 5), (0, 3)
FLAGS = ("", " lower", " transpose", " lower transpose unit")


def tensor(shape, dtype):
    return f"tensor<{''.join(f'{n}x' for n in shape)}{dtype}>"


def pairs(*shape):
    return (BATCH, *shape[:-1], 2 * shape[-1])


def function(name, dtype, operation, operands, results):
    given = [tensor(shape, dtype) for shape in operands]
    types = ", ".join(tensor(shape, kind or dtype) for shape, kind in results)
    names = ", ".join(f"%r#{i}" if len(results) > 1 else "%r" for i in range(len(results)))
    made = f"%r:{len(results)}" if len(results) > 1 else "%r"
    return (f"func.func @{name}_{dtype}({', '.join(f'%a{i}: {one}' for i, one in enumerate(given))}) -> ({types}) {{\n"
            f"  {made} = prim.complex_{operation} : {', '.join(given)}\n  return {names} : {types}\n}}\n")


def write():
    text = ""
    for dtype in CASES:
        square, one = pairs(M, M), ((BATCH,), "i32")
        text += function("cholesky", dtype, "cholesky %a0", [square], [(square, None), one])
        text += function("eigh", dtype, "eigh %a0", [square], [((BATCH, M), None), (square, None), one])
        for m, n in SHAPES:
            shape, k, tag = pairs(m, n), min(m, n), f"_{m}x{n}"
            text += function("lu" + tag, dtype, "lu %a0", [shape], [(shape, None), ((BATCH, k), "i32"), ((BATCH, m), "i32"), one])
            text += function("qr" + tag, dtype, "householder_qr %a0", [shape], [(shape, None), ((BATCH, 2 * k), None)])
            for full in ("", " full"):
                left, right = (m, n) if full else (k, k)
                text += function("svd" + tag + full.replace(" ", "_"), dtype, "svd %a0" + full, [shape],
                                 [(pairs(m, left), None), ((BATCH, k), None), (pairs(right, n), None), one])
        text += function("product", dtype, "householder_product %a0, %a1", [pairs(M, N), (BATCH, 2 * N)], [(pairs(M, N), None)])
        for flags in FLAGS:
            text += function("solve" + flags.replace(" ", "_"), dtype, "triangular_solve %a0, %a1" + flags, [square, pairs(M, N)],
                             [(pairs(M, N), None)])
    text += """
func.func @same(%a: tensor<6x12xf64>, %s: tensor<6x8xf64>) -> (tensor<6x12xf64>, tensor<6x8xf64>, tensor<6x8xf64>, tensor<4xi32>,
    tensor<6xi32>, tensor<6x8xf64>, tensor<6xf64>, tensor<6x12xf64>, tensor<6x8xf64>, tensor<4xf64>, tensor<4x8xf64>) {
  %l, %i = prim.complex_cholesky %a : tensor<6x12xf64>
  %x = prim.complex_triangular_solve %l, %s lower : tensor<6x12xf64>, tensor<6x8xf64>
  %f, %p, %rows, %j = prim.complex_lu %s : tensor<6x8xf64>
  %h, %t = prim.complex_householder_qr %s : tensor<6x8xf64>
  %q = prim.complex_householder_product %h, %t : tensor<6x8xf64>, tensor<8xf64>
  %w, %v, %k = prim.complex_eigh %a : tensor<6x12xf64>
  %u, %d, %y, %n = prim.complex_svd %s : tensor<6x8xf64>
  return %l, %x, %f, %p, %rows, %q, %w, %v, %u, %d, %y : tensor<6x12xf64>, tensor<6x8xf64>, tensor<6x8xf64>, tensor<4xi32>,
    tensor<6xi32>, tensor<6x8xf64>, tensor<6xf64>, tensor<6x12xf64>, tensor<6x8xf64>, tensor<4xf64>, tensor<4x8xf64>
}
"""
    with open("all.mlir", "w", encoding="utf-8") as file:
        file.write(text)
    rng = np.random.default_rng(1)
    a = rng.standard_normal((6, 6)) + 1j * rng.standard_normal((6, 6))
    np.save("a.npy", (a @ a.conj().T + 6 * np.eye(6)).view(float))
    np.save("s.npy", rng.standard_normal((6, 8)))


def run(target, entry, dtype, *operands, kinds):
    """Results of a call; those whose kind is "z" are complex."""
    command = ["kiln-run", "all.kiln", f"--target={target}", f"--entry={entry}_{dtype}"]
    for i, operand in enumerate(operands):
        np.save(f"arg{i}.npy", np.ascontiguousarray(operand).view("f4" if dtype == "f32" else "f8"))
        command.append(f"--arg=arg{i}.npy")
    command += [f"--result={i}:result{i}.npy" for i in range(len(kinds))]
    done = subprocess.run(command, capture_output=True, text=True)
    assert not done.returncode, f"{entry}_{dtype}: {done.stderr}"
    made = [np.load(f"result{i}.npy") for i in range(len(kinds))]
    made = [one.view(CASES[dtype]) if kind == "z" else one for one, kind in zip(made, kinds)]
    return made if len(made) > 1 else made[0]


def near(what, a, b, kind, scale=1.0):
    far = float(np.max(np.abs(a.astype(np.complex256) - b), initial=0))
    bound = 40 * M * np.finfo(kind).eps * scale
    assert far <= bound, f"{what}: {far} is more than {bound}"


def adjoint(x):
    return x.conj().swapaxes(-1, -2)


def check_factors(target, dtype, kind, random):
    for m, n in SHAPES:
        x, k, tag = random(BATCH, m, n), min(m, n), f"_{m}x{n}"
        if m > 1:
            x[2, :, 1] = 0
        f, pivots, rows, info = run(target, "lu" + tag, dtype, x, kinds="ziii")
        assert list(info) == [0, 0, 2 if m > 1 else 0], info
        made = (np.tril(f[:, :, :k], -1) + np.eye(m, k)) @ np.triu(f[:, :k])
        near("lu", made, np.take_along_axis(x, rows[..., None].astype(int), 1), kind, 10)
        for i in range(BATCH):
            order = list(range(m))
            for j, other in enumerate(pivots[i]):
                order[j], order[other] = order[other], order[j]
            assert order == list(rows[i])
        f, scales = run(target, "qr" + tag, dtype, x, kinds="zz")
        near("R", np.diagonal(f, axis1=1, axis2=2)[:, :min(k, n - 1)].imag, 0, kind)
        if (m, n) == (M, N):
            q = run(target, "product", dtype, f, scales, kinds="z")
            near("Q", adjoint(q) @ q, np.eye(n), kind)
            near("Q R", q @ np.triu(f[:, :n]), x, kind, 10)
        for full in ("", "_full"):
            check_svd(target, "svd" + tag + full, dtype, kind, x)


def check_svd(target, entry, dtype, kind, x):
    m, n = x.shape[1:]
    k, spoilt = min(m, n), x.copy()
    spoilt[1:2, 0:1, 2] = np.inf
    u, s, vh, info = run(target, entry, dtype, spoilt, kinds="zrzi")
    assert not info[0] and not info[2] and bool(info[1]) == (k > 0), info
    assert not k or all(np.isnan(one[1]).all() for one in (u, s, vh))
    for i in (0, 2):
        near("svd", (u[i, :, :k] * s[i]) @ vh[i, :k], x[i], kind, 10)
        near("U", adjoint(u[i]) @ u[i], np.eye(u.shape[2]), kind)
        near("V", vh[i] @ adjoint(vh[i]), np.eye(vh.shape[1]), kind)
        assert (s[i] >= 0).all() and (np.diff(s[i]) <= 0).all()
        near("values", s[i], np.linalg.svd(x[i].astype(complex), compute_uv=False), kind, 10)
        check_phases(vh[i, :k].T, kind)


def check_phases(columns, kind):
    """The first element of at least half the largest magnitude of each is real and positive."""
    size = np.abs(columns)
    if columns.size:
        first = np.take_along_axis(columns, np.argmax(size >= size.max(0) / 2 * (1 - 1e-5), 0)[None], 0)
        assert (first.real > 0).all(), first
        near("phases", first.imag, np.zeros(1), kind)


def check(target):
    rng = np.random.default_rng(2)
    for dtype, kind in CASES.items():
        def random(*shape):
            return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(kind)
        a, eye, upper = random(BATCH, M, M), np.eye(M), np.triu(np.ones((M, M)), 1)
        good = (a @ adjoint(a) + M * eye).astype(kind)
        bad = good.copy()
        bad[1, 5, 5] = -1
        lower, info = run(target, "cholesky", dtype, (np.tril(bad) + 7 * upper + 3j * eye).astype(kind), kinds="zi")
        assert list(info) == [0, 6, 0], info
        assert np.isnan(lower[1][np.tril_indices(M)]).all() and not np.triu(lower[1], 1).any()
        for i in (0, 2):
            near("cholesky", lower[i] @ adjoint(lower[i]), good[i], kind, np.abs(good).max())
            assert not np.triu(lower[i], 1).any() and (np.diag(lower[i]).real > 0).all() and not np.diag(lower[i]).imag.any()
        check_factors(target, dtype, kind, random)
        b = random(BATCH, M, N)
        for flags in (one.replace(" ", "_") for one in FLAGS):
            t = np.tril(a) if "lower" in flags else np.triu(a)
            t = t / M + (0 if "unit" in flags else 2 * eye)
            given = (t + 9 * (upper if "lower" in flags else upper.T)).astype(kind)
            t = t - t * eye + eye if "unit" in flags else t
            x = run(target, "solve" + flags, dtype, given, b, kinds="z")
            near("solve", (t.swapaxes(1, 2) if "transpose" in flags else t) @ x, b, kind, 10)
        # Equal values have vectors at right angles, too.
        hermitian = np.stack([(a[0] + adjoint(a[0])) / 2, a[1], np.eye(M) + 2 * np.ones((M, M))]).astype(kind)
        given = (np.tril(hermitian) + 7 * upper + 3j * eye).astype(kind)
        given[1, 3, 3] = np.nan
        w, v, info = run(target, "eigh", dtype, given, kinds="rzi")
        assert info[1] and not info[0] and np.isnan(w[1]).all() and np.isnan(v[1]).all()
        for i in (0, 2):
            near("eigh", hermitian[i] @ v[i], v[i] * w[i], kind, 40)
            near("V", adjoint(v[i]) @ v[i], eye, kind)
            assert (np.diff(w[i]) >= 0).all()
            check_phases(v[i], kind)


if sys.argv[1] == "check":
    check(sys.argv[2])
else:
    write()
