# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes program.mlirbc; needs jax."""
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def program(x, n):
    keep = np.array([True, False, False, True, False])
    all_of_them = np.array([True] * 5)
    y = jnp.where(keep, x, -x) + jnp.where(all_of_them, 1.0, 100.0)
    z = lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 2), (0, y))[1]
    first = jnp.where(np.array([True, False, False, False, False]), x, 0.0)
    return z, jnp.sort(x)[::-1], x @ jnp.outer(x, x), first


if __name__ == "__main__":
    exported = jax.export.export(jax.jit(program))(np.zeros(5, np.float32), np.int32(0))
    split = jax.export.export(jax.jit(lambda key: jax.random.split(key, 3)))(jax.random.key(0))
    for name, made in (("program", exported), ("split", split)):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".mlirbc")
        with open(path, "wb") as file:
            file.write(made.mlir_module_serialized)
