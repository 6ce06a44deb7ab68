#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of JAX that Shardy partitions, on several processes, against JAX's own on one. Usage: parallel.py [--ranks=2]"""
import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"


def programs(mesh, ranks):
    import jax
    import jax.numpy as jnp
    import numpy
    from jax.sharding import NamedSharding, PartitionSpec as P

    def sharding(*spec):
        return NamedSharding(mesh, P(*spec))

    def random(seed, *shape):
        return numpy.random.RandomState(seed).standard_normal(shape).astype("float32")

    width, inner, tokens, heads = 32, 64, 16, 4
    weights = [random(i, *shape) / 6 for i, shape in enumerate([(width, width)] * 4 + [(width, inner)] * 2 + [(inner, width)])]

    def norm(x):
        return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5)

    def layer(x, q, k, v, o, gate, up, down):
        """Of Llama, without its positions."""
        h = norm(x)
        q, k, v = ((h @ w).reshape(tokens, heads, -1).transpose(1, 0, 2) for w in (q, k, v))
        scores = jnp.where(jnp.tri(tokens, dtype=bool), q @ k.transpose(0, 2, 1) / (width // heads) ** 0.5, -jnp.inf)
        x = x + (jax.nn.softmax(scores) @ v).transpose(1, 0, 2).reshape(tokens, -1) @ o
        h = norm(x)
        return x + (jax.nn.silu(h @ gate) * (h @ up)) @ down

    columns, rows, all_ = sharding(None, "x"), sharding("x", None), sharding()
    places = [all_] + [columns] * 3 + [rows, columns, columns, rows]
    yield "layer", jax.jit(layer, in_shardings=places, out_shardings=all_), [random(9, tokens, width), *weights]

    def loss(x, *w):
        return jnp.sum(layer(x, *w) ** 2)
    yield ("gradient of layer", jax.jit(jax.grad(loss, argnums=(1, 4, 5, 7)), in_shardings=places,
                                        out_shardings=(columns, rows, columns, rows)), [random(9, tokens, width), *weights])
    yield "data parallel", jax.jit(lambda x, w: jnp.mean((x @ w) ** 2), in_shardings=(rows, all_), out_shardings=all_), \
        [random(1, 8, 6), random(2, 6, 5)]
    yield "reshard", jax.jit(lambda x: x * 2, in_shardings=(rows,), out_shardings=columns), [random(3, 4 * ranks, 6 * ranks)]

    yield ("nested", jax.jit(lambda p, x: {"product": x @ p["w"], "twice": (x * 2, None)}, in_shardings=({"unused": all_, "w": columns}, all_)),
           [{"unused": random(6, 3), "w": random(7, width, width)}, random(8, tokens, width)])

    def exchanges(x):
        def each(x):
            number = jax.lax.axis_index("x").astype("float32")
            return (jax.lax.psum(x + number, "x"), jax.lax.pmax(x, "x"), jax.lax.all_gather(x, "x", tiled=True),
                    jax.lax.psum_scatter(x, "x", scatter_dimension=1, tiled=True),
                    jax.lax.all_to_all(x, "x", split_axis=1, concat_axis=0, tiled=True),
                    jax.lax.ppermute(x, "x", [(i, (i + 1) % ranks) for i in range(ranks)]))
        return jax.shard_map(each, mesh=mesh, in_specs=P("x"), check_vma=False,
                             out_specs=(P(), P(), P(), P("x"), P("x"), P("x")))(x)
    yield "shard_map", jax.jit(exchanges, in_shardings=(rows,)), [random(4, 2 * ranks, 4 * ranks)]


def one_rank(rank, ranks, folder):
    import jax
    jax.config.update("jax_num_cpu_devices", ranks)
    import kiln
    import kiln.partition
    import numpy
    kiln.join(rank, ranks, f"file:{folder}")
    mesh, good = jax.sharding.Mesh(numpy.array(jax.devices("cpu")), ("x",)), True
    for name, function, arguments in programs(mesh, ranks):
        step = kiln.partition.compile(function.lower(*arguments))
        expected = function(*arguments)
        made = step(*arguments)
        good &= jax.tree.structure(made) == jax.tree.structure(expected)
        for number, (found, whole, place) in enumerate(zip(jax.tree.leaves(made), jax.tree.leaves(expected), step.results)):
            want = step.shard(whole, place)
            error = numpy.abs(found - want).max() / max(1e-30, numpy.abs(want).max())
            good &= bool(error <= 1e-5)
            if rank == 0 or not error <= 1e-5:
                print(f"{name}, result {number}: rank {rank}: {'ok' if error <= 1e-5 else 'FAILED'}, error {error:.2g}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../parallel"))
    import ranks
    sys.exit(ranks.main(__file__, one_rank))
