# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that jax.export writes for symbolic dimensions, compiled with kiln-run and compared with JAX's own CPU backend.

    symbolic.py [NAME...]        all, or those named; needs jax, and kiln-run on PATH
"""
import os
import subprocess
import sys
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax

SIZES = {"b": 6, "c": 5, "t": 4, "h": 9, "w": 10, "k": 3, "m": 4, "n": 7, "v": 11}
F, I = "float32", "int32"


def attention(q, k, v):
    mask = jnp.where(jnp.tril(jnp.ones((q.shape[1], k.shape[1]), bool)), 0, -1e9)
    return jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k) + mask) @ v


#: Functions, and the shapes and types of their arguments; what is assumed of sizes is the third.
CASES = {
    "mlp": (lambda x, w, b: jax.nn.softmax(jnp.tanh(x @ w) + b), [("b, 20", F), ("20, 8", F), ("8", F)]),
    "gradient": (lambda w, x: jax.grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w), [("6, 5", F), ("b, 6", F)]),
    "shapes": (lambda x: x.reshape(x.shape[0] * x.shape[1], -1).sum(0), [("b, t, 4", F)]),
    "halves": (lambda x: (x.reshape(x.shape[0] // 2, 2, 3).mean(1), jnp.split(x, 2)), [("2*b, 3", F)]),
    "quotients": (lambda x: jnp.pad(x[:x.shape[0] // 2], ((0, x.shape[0] % 3), (1, 1))), [("b, 3", F)]),
    "slices": (lambda x: (x[1:-1:2], x[-3:], x[::-1], jnp.pad(x, ((1, 1), (0, 0)), mode="edge")), [("b, 3", F)], ("b>=4",)),
    "joins": (lambda x, y: jnp.concatenate([x, y, x[:2] * 2]), [("b, 4", F), ("c, 4", F)], ("b>=2",)),
    "numbers": (lambda x: x * jnp.arange(x.shape[0], dtype=F)[:, None] + x.shape[0] + jnp.eye(x.shape[0], 3), [("b, 3", F)]),
    "gathers": (lambda x, i: (x[i], jnp.take(x, i, axis=1), jnp.take_along_axis(x, i[:, None], 1)), [("b, c", F), ("b", I)]),
    "scatter": (lambda x, i: x.at[i].add(1.0), [("b, 4", F), ("k", I)]),
    "attention": (attention, [("b, t, 8", F)] * 3),
    "convolution": (lambda x, w: lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
                    [("b, h, w, 3", F), ("3, 3, 3, 4", F)]),
    "filter_gradient": (lambda w, x: jax.grad(lambda w: (lax.conv_general_dilated(
        x, w, (2, 1), ((1, 1), (0, 2)), dimension_numbers=("NHWC", "HWIO", "NHWC")) ** 2).mean())(w), [("3, 3, 3, 4", F), ("b, 2*h+1, w, 3", F)]),
    "pooling": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), [("b, 8, 8, 3", F)]),
    "pooling_gradient": (lambda x: jax.grad(lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") ** 2).sum())(x),
                         [("b, 2*h, 2*w, 3", F)]),
    "padded_pooling": (lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), [("b, h, w, 3", F)]),
    "cumulative": (lambda x: (jnp.cumsum(x, 0), lax.cummax(x, 0, reverse=True), jnp.cumsum(x, 1)), [("b, 6", F)]),
    "scans_of_what_is_computed": (lambda x, y, i: (jnp.cumsum(y[i]), jnp.cumsum(y[::-1]), lax.cummax(jnp.where(y > 0, y, 0)), jnp.cumsum(y[jnp.argsort(y)]),
                                                   jnp.cumsum(jnp.concatenate([y, y, y[:2]])), jnp.cumsum(jnp.pad(y, (1, 2))), jnp.cumsum(x @ x.T, 1),
                                                   jnp.cumsum(x.T, 0), jnp.flip(jnp.cumsum(jnp.flip(x, 0), 0), 0), jnp.cumsum(jnp.outer(y, y).reshape(-1))),
                                  [("m, c", F), ("b", F), ("k", I)], ("b>=2",)),
    "gradients_of_scans": (lambda x, i: jax.grad(lambda x: (jnp.cumsum(x[i], 0) ** 2).sum() + (jnp.cumsum(x[::-1], 0) ** 2).sum())(x), [("b, 3", F), ("k", I)]),
    "orders": (lambda x: (jnp.sort(x, 0), jnp.argsort(x, 1), lax.top_k(x, 3), jnp.argmax(x, 0)), [("b, 6", F)]),
    "loops": (lambda x: (lax.scan(lambda c, r: (c * 0.5 + r.sum(), c), jnp.float32(0), x), lax.fori_loop(0, 3, lambda i, x: x * 2 + i, x)),
              [("b, 6", F)]),
    "branches": (lambda x: (lax.cond(x.sum() > 0, lambda x: x * 2, lambda x: -x, x), lax.switch(x.shape[0] % 3, [jnp.sin, jnp.cos, jnp.abs], x)),
                 [("b, 6", F)]),
    "random": (lambda x: x + jax.random.normal(jax.random.key(0), x.shape), [("b, 3", F)]),
    "repeats": (lambda x: (jnp.tile(x, (2, 3)), jnp.repeat(x, 2, axis=0), jnp.broadcast_to(x, (3,) + x.shape)), [("b, 3", F)]),
    "fourier": (lambda x: jnp.abs(jnp.fft.fft(x)), [("b, 16", F)]),
    "largest_size": (lambda x, y: jnp.ones((jax.core.max_dim(x.shape[0], y.shape[0]),)), [("b, 3", F), ("c", F)]),
    "products": (lambda x, y: (x @ y, x @ x.T), [("m, k", F), ("k, n", F)]),
}


def arguments(shapes, sizes):
    random = np.random.default_rng(1)
    for text, kind in shapes:
        shape = tuple(eval(size, {}, sizes) for size in text.split(","))
        yield random.standard_normal(shape).astype(F) if kind == F else random.integers(0, 3, shape).astype(kind)


def check(name, scratch):
    function, shapes, *scopes = CASES[name]
    scope = export.SymbolicScope(*scopes)
    specs = [jax.ShapeDtypeStruct(export.symbolic_shape(text, scope=scope), kind) for text, kind in shapes]
    source = os.path.join(scratch, name + ".mlir")
    with open(source, "wb") as file:
        file.write(export.export(jax.jit(function))(*specs).mlir_module_serialized)
    for sizes in (SIZES, {key: size + 3 for key, size in SIZES.items()}):
        given = list(arguments(shapes, sizes))
        want = jax.tree.leaves(jax.jit(function)(*given))
        command = ["kiln-run", source, "--target=cpu", "--entry=main", "--no-fallback"]
        for i, array in enumerate(given):
            np.save(f"{scratch}/in{i}.npy", array)
            command.append(f"--arg={scratch}/in{i}.npy")
        command += [f"--result={i}:{scratch}/out{i}.npy" for i in range(len(want))]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if result.returncode != 0:
            return "failed: " + result.stderr[:300]
        for i, expected in enumerate(want):
            found = np.load(f"{scratch}/out{i}.npy")
            if found.shape != expected.shape or not np.allclose(found, expected, 1e-4, 1e-5):
                return f"wrong: result {i} of {found.shape}, expected {expected.shape}"
    return "right"


def main():
    names = sys.argv[1:] or list(CASES)
    with tempfile.TemporaryDirectory() as scratch:
        found = {name: check(name, scratch) for name in names}
    for name, what in found.items():
        print(f"{name}: {what}", flush=True)
    bad = sum(what != "right" for what in found.values())
    print(f"{len(found) - bad} right, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
