# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on four devices of one process, against JAX's own CPU backend with four devices.

    devices.py [CHECK ...]      needs jax, and the package `kiln` on PYTHONPATH

Runs the named checks, or all. Prints a line each; the exit status is 1 where one is not as it is there."""
import os
import sys
import time

os.environ["JAX_PLATFORMS"] = "kiln,cpu"
os.environ["KILN_JAX_DEVICES"] = "4"

import jax

jax.config.update("jax_num_cpu_devices", 4)

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def random(seed, *shape):
    return np.random.RandomState(seed).standard_normal(shape).astype("float32")


def meshes(shape=(4,), names=("x",)):
    return [Mesh(np.array(jax.devices(platform)[:int(np.prod(shape))]).reshape(shape), names) for platform in ("kiln", "cpu")]


def same(function, shape=(4,), names=("x",)):
    """What `function` of a mesh gives on both platforms: elements, and how they are spread."""
    ours, theirs = (jax.tree.leaves(function(mesh)) for mesh in meshes(shape, names))
    assert len(ours) == len(theirs)
    for number, (got, want) in enumerate(zip(ours, theirs)):
        assert {one.platform for one in got.devices()} == {"kiln"}, "computed elsewhere"
        assert np.allclose(got, want, rtol=1e-4, atol=1e-5), f"result {number}: {got}, expected {want}"
        assert got.sharding.shard_shape(got.shape) == want.sharding.shard_shape(want.shape), \
            f"result {number}: {got.sharding}, expected {want.sharding}"
        for mine, other in zip(got.addressable_shards, want.addressable_shards):
            assert mine.index == other.index and mine.data.shape == other.data.shape, f"result {number}: other shards"
            assert np.allclose(mine.data, other.data, rtol=1e-5, atol=1e-5), f"result {number}: other elements of a shard"


def layer(x, weights):
    return jax.nn.silu(x @ weights["up"]) @ weights["down"]


WEIGHTS = {"up": random(1, 16, 32) / 4, "down": random(2, 32, 16) / 6}


def sum_that_fails_above_two(mesh):
    """The sum over devices of what a callback gives, which fails on the device whose element is too large."""
    def fails(x):
        if x.max() > 2:
            raise ValueError("too large")
        return x

    def each(x):
        return lax.psum(jax.pure_callback(fails, jax.ShapeDtypeStruct(x.shape, x.dtype), x), "x")
    return jax.jit(jax.shard_map(each, mesh=mesh, in_specs=P("x"), out_specs=P(), check_vma=False))


@check
def a_failure_before_the_first_exchange_ends_the_call():
    """The other devices wait to connect then."""
    mesh, _ = meshes()
    step = sum_that_fails_above_two(mesh)
    begin = time.monotonic()
    try:
        jax.block_until_ready(step(jax.device_put(np.array([3, 1, 1, 1], np.float32), NamedSharding(mesh, P("x")))))
    except Exception as error:  # what JAX raises
        assert "too large" in str(error), error
    else:
        raise AssertionError("no error")
    assert time.monotonic() - begin < 60, "the devices waited for one that has failed"


@check
def shardings_of_results_are_found():
    def run(mesh):
        x = jax.device_put(random(0, 8, 12), NamedSharding(mesh, P("x")))
        return jax.jit(lambda x: (x @ x.T, x.sum(0), jnp.sin(x), x.T, jnp.argmax(x)))(x)
    same(run)


@check
def layers_are_tensor_parallel():
    def run(mesh):
        places = {"up": NamedSharding(mesh, P(None, "x")), "down": NamedSharding(mesh, P("x"))}
        step = jax.jit(jax.value_and_grad(lambda w, x: jnp.mean(layer(x, w) ** 2)), in_shardings=(places, NamedSharding(mesh, P())),
                       out_shardings=(NamedSharding(mesh, P()), places))
        weights = jax.device_put(WEIGHTS, places)
        return step(weights, jax.device_put(random(3, 8, 16), NamedSharding(mesh, P())))
    same(run)


@check
def training_is_data_parallel_on_a_mesh_of_two_dimensions():
    def run(mesh):
        weights = jax.device_put(WEIGHTS, {"up": NamedSharding(mesh, P(None, "model")), "down": NamedSharding(mesh, P("model"))})
        x = jax.device_put(random(4, 8, 16), NamedSharding(mesh, P("data")))

        @jax.jit
        def step(weights, x):
            gradients = jax.grad(lambda w: jnp.mean((layer(x, w) - x) ** 2))(weights)
            return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients)
        for _ in range(3):
            weights = step(weights, x)
        return weights
    same(run, (2, 2), ("data", "model"))


@check
def exchanges_of_shard_map():
    def run(mesh):
        def each(tree):
            x = tree["x"] + lax.axis_index("x").astype("float32")
            return {"sum": lax.psum(x, "x"), "most": lax.pmax(x, "x"), "mean": lax.pmean(x, "x"),
                    "all": lax.all_gather(x, "x", tiled=True),
                    "rest": (lax.psum_scatter(x, "x", scatter_dimension=1, tiled=True),
                             lax.all_to_all(x, "x", split_axis=1, concat_axis=0, tiled=True),
                             lax.ppermute(x, "x", [(i, (i + 1) % 4) for i in range(4)]))}
        program = jax.shard_map(each, mesh=mesh, in_specs=({"x": P("x")},), check_vma=False,
                                out_specs={"sum": P(), "most": P(), "mean": P(), "all": P(), "rest": (P("x"), P("x"), P("x"))})
        return jax.jit(program)({"x": jax.device_put(random(5, 8, 16), NamedSharding(mesh, P("x")))})
    same(run)


@check
def operations_keep_their_dimensions_whole():
    """Those along which elements depend on each other in another way than by a sum."""
    w = random(20, 12, 12) / 4

    programs = [
        lambda x: (jnp.argmax(x), jnp.prod(x, 0), jnp.max(x), jnp.min(x, 0), jnp.any(x > 2), jnp.all(x > -9, 0), jnp.argmin(x, 1)),
        lambda x: (jnp.cumsum(x, 0), jnp.cumsum(x, 1), lax.cummax(x, 0)),
        lambda x: (jnp.sort(x, 0), jnp.sort(x, 1), jnp.argsort(x, 0), *lax.top_k(x, 3), jnp.flip(x, 0), jnp.roll(x, 3, 0)),
        lambda x: (x[2:5, 1:], x[:, 1:7], x[::2], jnp.pad(x, 1), jnp.concatenate([x, x]), jnp.concatenate([x, x], 1), x.at[3].set(0)),
        lambda x: (x[jnp.array([1, 2, 7])], jnp.asarray(w)[jnp.argmax(x, 1)], jnp.take_along_axis(x, jnp.argsort(x, 1), 1)),
        lambda x: (x.at[jnp.array([1, 1, 5])].max(3.0), x.at[jnp.array([1, 1, 5])].add(3.0), x.at[:, 2].multiply(2.0)),
        lambda x: (jnp.reshape(x, (2, 48)).max(0), x.reshape(4, 24), jax.nn.softmax(x, 0), jax.nn.one_hot(jnp.argmax(x, 1), 12)),
        lambda x: (lax.fori_loop(0, 3, lambda i, y: jnp.tanh(y @ w), x), lax.fori_loop(0, 3, lambda i, y: jnp.flip(y, 0) * 0.5 + y[i], x)),
        lambda x: (lax.scan(lambda c, row: (c + row, c * row), x[0], x), lax.scan(lambda c, row: (c + row, c * row), x[:, 0], x.T)),
        lambda x: (lax.cond(x.sum() > 0, lambda x: x * 2, lambda x: jnp.cumsum(x, 0), x), lax.map(lambda row: row * 2, x)),
        lambda x: (jax.random.normal(jax.random.key(0), x.shape) + x, jax.nn.gelu(x, approximate=False), jnp.isinf(x), lax.erf_inv(x / 9)),
        lambda x: (jax.image.resize(x, (16, 24), "linear"), jnp.abs(jnp.fft.fft(x)), jnp.abs(jnp.fft.fft(x, axis=0)), jnp.linalg.norm(x)),
        lambda x: (jnp.var(x, 0), jnp.median(x), jnp.quantile(x, 0.3, 0), jnp.linalg.cholesky(x.T @ x + jnp.eye(12))),
        # Padding and cropping that leave the size as it is, and empty dimensions.
        lambda x: (lax.pad(x, 0.0, [(1, -1, 0), (0, 0, 0)]), lax.pad(x, 0.0, [(-2, 2, 0), (1, -1, 0)])),
        lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 1), (1, 1), [(1, -1), (0, 0)]),
        lambda x: (lax.associative_scan(jnp.multiply, x, axis=0), jnp.concatenate([x[:0], x]), x[:, :0]),
        # Conditions and bodies of loops that exchange what is carried.
        lambda x: lax.while_loop(lambda y: y.max() < 200, lambda y: y * 2, x),
        lambda x: lax.while_loop(lambda c: (c[1].max() < 200) & (c[0] < 9), lambda c: (c[0] + 1, c[1] * 2, c[2] + c[1].sum(0)), (0, x, x[0])),
        lambda x: lax.igamma(x * x + 1, x * x + 1),
    ]
    mesh, _ = meshes()
    x = random(21, 8, 12)
    for number, program in enumerate(programs):
        def run(x, program=program):
            return jax.tree.leaves(program(x))
        expected = jax.jit(run)(jax.device_put(x, jax.devices("cpu")[0]))
        for spec in (P("x"), P(None, "x")):
            got = jax.jit(run)(jax.device_put(x, NamedSharding(mesh, spec)))
            for result, (mine, want) in enumerate(zip(got, expected, strict=True)):
                assert np.allclose(mine, want, rtol=1e-4, atol=1e-5), f"programs {number} with {spec}: result {result}: {mine}, expected {want}"


@check
def networks_are_data_parallel():
    """A convolution, its gradients, pooling, an embedding, normalization."""
    def loss(weights, images, tokens):
        y = lax.conv_general_dilated(images, weights["conv"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        y = lax.reduce_window(jax.nn.relu(y), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        y = (y - y.mean(0)) * lax.rsqrt(y.var(0) + 1e-3)
        z = weights["table"][tokens]
        z = jax.nn.softmax(z @ z.transpose(0, 2, 1)) @ z
        return jnp.mean((y.reshape(y.shape[0], -1) @ weights["head"]) ** 2) + jnp.mean(jax.nn.log_softmax(z) ** 2)
    weights = {"conv": random(22, 3, 3, 3, 4), "head": random(23, 64, 5) / 8, "table": random(24, 10, 6)}
    tokens = np.random.RandomState(25).randint(0, 10, (8, 7)).astype("int32")

    def run(mesh):
        data, whole = NamedSharding(mesh, P("x")), NamedSharding(mesh, P())
        return jax.jit(jax.value_and_grad(loss), out_shardings=whole)(jax.device_put(weights, whole), jax.device_put(random(26, 8, 8, 8, 3), data),
                                                                    jax.device_put(tokens, data))
    same(run)


@check
def loops_exchange():
    def run(mesh):
        def each(x):
            def step(carry, row):
                carry = jnp.tanh(carry + lax.psum(row, "x"))
                return carry, carry
            return lax.scan(step, jnp.zeros(x.shape[1:], x.dtype), x)
        return jax.jit(jax.shard_map(each, mesh=mesh, in_specs=P(None, "x"), out_specs=(P("x"), P(None, "x")), check_vma=False))(
            jax.device_put(random(6, 5, 8), NamedSharding(mesh, P(None, "x"))))
    same(run)


@check
def gradients_of_shard_map():
    def run(mesh):
        program = jax.shard_map(lambda x, w: lax.psum(jnp.sin(x @ w), "x"), mesh=mesh, in_specs=(P(None, "x"), P("x")), out_specs=P())
        x, w = random(7, 4, 8), random(8, 8, 3)
        return jax.jit(jax.grad(lambda x, w: program(x, w).sum(), argnums=(0, 1)))(
            jax.device_put(x, NamedSharding(mesh, P(None, "x"))), jax.device_put(w, NamedSharding(mesh, P("x"))))
    same(run)


@check
def pmap_spreads_over_devices():
    x = random(9, 4, 3)
    for platform in ("kiln", "cpu"):
        made = jax.pmap(lambda x: (lax.psum(x, "i"), x - lax.pmean(x, "i"), lax.axis_index("i")), axis_name="i",
                        devices=jax.devices(platform))(x)
        if platform == "kiln":
            ours = made
    for got, want in zip(ours, made):
        assert np.allclose(got, want, rtol=1e-5, atol=1e-6), f"{got}, expected {want}"


@check
def constraints_and_reshards():
    def run(mesh):
        def columns(x):
            return lax.with_sharding_constraint(x * 2, NamedSharding(mesh, P(None, "x")))
        x = jax.device_put(random(10, 8, 4), NamedSharding(mesh, P("x")))
        return jax.jit(columns)(x), jax.device_put(x, NamedSharding(mesh, P(None, "x"))), jax.device_put(x, NamedSharding(mesh, P()))
    same(run)


@check
def parts_of_the_devices_and_other_orders():
    for order in ([1, 3], [3, 2, 1, 0], [2]):
        mesh = Mesh(np.array([jax.devices("kiln")[i] for i in order]), ("x",))
        x = jax.device_put(np.arange(24, dtype=np.float32).reshape(12, 2), NamedSharding(mesh, P("x")))
        y = jax.jit(lambda x: x - x.mean(0))(x)
        assert np.allclose(y, np.asarray(x) - np.asarray(x).mean(0)), "wrong values"
        assert {one.id for one in y.devices()} == set(order)
        assert [one.device.id for one in y.addressable_shards] == order


@check
def arrays_move_between_devices():
    there = jax.device_put(random(11, 5), jax.devices()[2])
    moved = jax.device_put(there, jax.devices()[1])
    twice = jax.jit(lambda x: x * 2)(moved)
    assert moved.devices() == twice.devices() == {jax.devices()[1]}
    assert np.array_equal(np.asarray(twice), 2 * random(11, 5))


@check
def donated_shards_are_updated_in_place():
    mesh, _ = meshes()
    step = jax.jit(lambda cache, x: lax.dynamic_update_slice(cache, x, (0, 3)), donate_argnums=0)
    cache = jax.device_put(np.zeros((8, 8), np.float32), NamedSharding(mesh, P("x")))
    x = jax.device_put(np.ones((8, 1), np.float32), NamedSharding(mesh, P("x")))
    places = [one.data.unsafe_buffer_pointer() for one in cache.addressable_shards]
    after = step(cache, x)
    assert [one.data.unsafe_buffer_pointer() for one in after.addressable_shards] == places, "the shards were copied"
    assert np.asarray(after).sum() == 8 and (np.asarray(after)[:, 3] == 1).all()


@check
def threads_of_callbacks_call_other_programs_on_several_devices():
    """While the program waits in the callback."""
    from concurrent.futures import ThreadPoolExecutor

    mesh, _ = meshes()
    place = NamedSharding(mesh, P("x"))
    whole = jax.jit(jax.shard_map(lambda x: lax.psum(x, "x"), mesh=mesh, in_specs=P("x"), out_specs=P()))
    pool = ThreadPoolExecutor(4)

    def ask(x):
        given = jax.device_put(np.arange(4, dtype=np.float32) + x[0], place)
        return np.full(1, pool.submit(lambda: float(np.asarray(whole(given))[0])).result(60), np.float32)

    def each(x):
        first = lax.cond(lax.axis_index("x") == 0, lambda x: jax.pure_callback(ask, jax.ShapeDtypeStruct((1,), "float32"), x),
                         lambda x: x, x)
        return lax.psum(first, "x")

    program = jax.jit(jax.shard_map(each, mesh=mesh, in_specs=P("x"), out_specs=P(), check_vma=False))
    for start in (2, 3):
        got = float(np.asarray(program(jax.device_put(np.full(4, start, np.float32), place)))[0])
        assert got == 6 + 4 * start + 3 * start, got


@check
def callbacks_call_their_own_program_on_several_devices():
    """Themselves, and by another thread for which they wait."""
    from concurrent.futures import ThreadPoolExecutor

    mesh, _ = meshes()
    pool = ThreadPoolExecutor(4)

    def run(start):
        given = jax.device_put(np.full(4, start, np.float32), NamedSharding(mesh, P("x")))
        return float(np.asarray(program(given))[0])

    def ask(x):
        below = x[0] - 1
        if below > 0:
            return np.full(1, run(below) if below == 1 else pool.submit(run, below).result(60), np.float32)
        return np.asarray(x)

    def each(x):
        first = lax.cond(lax.axis_index("x") == 0, lambda x: jax.pure_callback(ask, jax.ShapeDtypeStruct((1,), "float32"), x),
                         lambda x: x, x)
        return lax.psum(first, "x")

    program = jax.jit(jax.shard_map(each, mesh=mesh, in_specs=P("x"), out_specs=P(), check_vma=False))
    assert [run(start) for start in (1, 2, 3)] == [4, 10, 19]


@check
def callbacks_without_end_on_several_devices_are_stopped():
    """On the device whose thread began the call, and on one with a thread of its own. The next call is right."""
    mesh, _ = meshes()

    def placed(start):
        return jax.device_put(np.full(4, start, np.float32), NamedSharding(mesh, P("x")))

    def run(start):
        # JAX itself refuses to call a function within a call of it.
        arrays = executable.execute_sharded([placed(start)]).disassemble_into_single_device_arrays()
        return float(np.asarray(arrays[0][0])[0])

    def ask(x):
        return np.full(1, run(x[0] - 1), np.float32) if x[0] != 1 else np.asarray(x)

    for device in (0, 3):
        def each(x, device=device):
            own = lax.cond(lax.axis_index("x") == device, lambda x: jax.pure_callback(ask, jax.ShapeDtypeStruct((1,), "float32"), x),
                           lambda x: x, x)
            return lax.psum(own, "x")

        program = jax.jit(jax.shard_map(each, mesh=mesh, in_specs=P("x"), out_specs=P(), check_vma=False)).lower(placed(1)).compile()
        executable = program.runtime_executable()
        try:
            run(0)
        except Exception as error:  # what JAX raises
            assert "more than 32 calls within each other's callbacks" in str(error), str(error)[-500:]
        else:
            raise AssertionError("no error")
        assert run(2) == 10, run(2)


@check
def a_failure_on_one_device_ends_the_call():
    """And the next call is right."""
    mesh, _ = meshes()
    step = sum_that_fails_above_two(mesh)
    good, bad = (jax.device_put(np.array(one, np.float32), NamedSharding(mesh, P("x"))) for one in ([1, 1, 1, 1], [1, 1, 3, 1]))
    for _ in range(2):
        assert float(step(good)[0]) == 4
        try:
            jax.block_until_ready(step(bad))
        except Exception as error:  # what JAX raises
            assert "too large" in str(error), error
        else:
            raise AssertionError("no error")


def main():
    wrong = 0
    checks = [one for one in CHECKS if one.__name__ in sys.argv[1:] or len(sys.argv) == 1]
    for one in checks:
        try:
            one()
            print(f"{one.__name__}: right", flush=True)
        except Exception as error:  # also what is unsupported
            wrong += 1
            print(f"{one.__name__}: wrong: {error}", flush=True)
    print(f"{len(checks) - wrong} right, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
