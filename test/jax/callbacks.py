# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls from programs back to Python, through the PJRT plug-in.

    callbacks.py [NAME...]      needs jax, and the package `kiln` on PYTHONPATH

Prints a line each and the counts; the exit status is 1 where one is wrong."""
import contextlib
import gc
import io
import os
import sys
import threading
import traceback

os.environ["JAX_PLATFORMS"] = "kiln"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import io_callback

CHECKS = {}


def check(function):
    CHECKS[function.__name__] = function
    return function


def like(x, dtype=None):
    return jax.ShapeDtypeStruct(x.shape, dtype or x.dtype)


@check
def results_of_pure_functions():
    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    sin = jax.jit(lambda x: jax.pure_callback(np.sin, like(x), x * 2) + 1)
    np.testing.assert_allclose(sin(x), np.sin(x * 2) + 1, rtol=1e-6)
    several = jax.jit(lambda x: jax.pure_callback(lambda a: (a.sum(), {"n": np.argsort(a, 1).astype(np.int32)}),
                                                  (jax.ShapeDtypeStruct((), np.float32), {"n": like(x, np.int32)}), x))
    total, order = several(x)
    np.testing.assert_allclose(total, x.sum(), atol=1e-6)
    assert (np.asarray(order["n"]) == np.argsort(x, 1)).all()


@check
def every_type():
    x = np.arange(6)
    for dtype in (np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.float16, jnp.bfloat16,
                  jnp.float8_e4m3fn, np.float32, np.complex64):
        given = (x * (1 + 2j) if dtype == np.complex64 else x).astype(dtype)
        seen = []

        def reverse(a, seen=seen):
            seen.append(np.asarray(a))
            return np.asarray(a)[::-1]

        got = jax.jit(lambda a: jax.pure_callback(reverse, like(a), a))(given)
        assert seen[0].dtype == given.dtype and (seen[0] == given).all(), f"{dtype}: given {seen[0]}"
        assert got.dtype == given.dtype and (np.asarray(got) == given[::-1]).all(), f"{dtype}: gave {got}"


@check
def transformations():
    sin = jax.custom_jvp(lambda x: jax.pure_callback(np.sin, like(x), x, vmap_method="expand_dims"))
    sin.defjvp(lambda x, t: (sin(*x), jnp.cos(x[0]) * t[0]))
    x = np.linspace(0, 1, 5, dtype=np.float32)
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(sin)))(x), np.cos(x), rtol=1e-6)
    one_by_one = jax.vmap(lambda x: jax.pure_callback(np.sin, like(x), x, vmap_method="sequential"))
    np.testing.assert_allclose(jax.jit(one_by_one)(x), np.sin(x), rtol=1e-6)


@check
def order_and_loops():
    seen = []

    @jax.jit
    def program(n):
        def step(i, total):
            total = total + io_callback(lambda i: seen.append(int(i)) or np.float32(i), jax.ShapeDtypeStruct((), np.float32), i,
                                        ordered=True)
            jax.debug.callback(lambda t: seen.append(float(t)), total, ordered=True)
            return total
        return lax.fori_loop(0, n, step, 0.0)

    assert program(4) == 6
    jax.effects_barrier()
    assert seen == [0, 0.0, 1, 1.0, 2, 3.0, 3, 6.0], seen


@check
def small_loops_without_results_of_callbacks():
    seen = []

    def product(x):
        def step(carry, number):
            jax.debug.callback(lambda c: seen.append(float(c)), carry)
            return carry * number, carry
        return lax.scan(step, 1.0, x)[0]

    assert jax.jit(product)(jnp.arange(1.0, 4.0)) == 6
    jax.effects_barrier()
    assert seen == [1.0, 1.0, 2.0], seen
    seen.clear()
    np.testing.assert_allclose(jax.jit(jax.grad(product))(jnp.arange(1.0, 4.0)), [6, 3, 2])
    jax.effects_barrier()
    assert seen == [1.0, 1.0, 2.0], seen


@check
def only_the_branch_that_is_taken():
    seen = []

    @jax.jit
    def program(x):
        return lax.cond(x > 0, lambda x: (jax.debug.callback(lambda x: seen.append(float(x)), x), x)[1], lambda x: -x, x)

    assert program(2.0) == 2 and program(-3.0) == 3
    jax.effects_barrier()
    assert seen == [2.0], seen


@check
def what_is_printed():
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        jax.jit(lambda x: jax.debug.print("x = {x}, sum {s:.1f}", x=x, s=x.sum()))(np.arange(3))
        jax.effects_barrier()
    assert text.getvalue() == "x = [0 1 2], sum 3.0\n", text.getvalue()


@check
def exceptions_of_python():
    def fails(x):
        raise ValueError(f"no {int(x)} please")

    program = jax.jit(lambda x: jax.pure_callback(fails, like(x), x))
    for _ in range(2):
        try:
            np.asarray(program(7))
        except Exception as error:  # what JAX raises
            assert "ValueError: no 7 please" in str(error), f"the reason is not said: {error}"
        else:
            raise AssertionError("no error")
    wrong = jax.jit(lambda x: jax.pure_callback(lambda x: np.ones(3, np.float32), jax.ShapeDtypeStruct((2,), np.float32), x))
    try:
        np.asarray(wrong(1))
    except Exception as error:  # what JAX raises
        assert "float32[3]" in str(error) and "float32[2]" in str(error), f"the reason is not said: {error}"
    else:
        raise AssertionError("a result of another shape was taken")


@check
def functions_live_as_long_as_their_programs():
    from kiln import jax_callbacks

    def program():
        return jax.jit(lambda x: jax.pure_callback(np.sin, like(x), x))

    first = program()
    first(np.float32(1))
    there = len(jax_callbacks.FUNCTIONS)
    for _ in range(3):
        program()(np.float32(1))
    jax.clear_caches()
    gc.collect()
    assert len(jax_callbacks.FUNCTIONS) <= there, "functions of programs that are gone are still registered"
    assert abs(first(np.float32(1)) - np.sin(1)) < 1e-6


@check
def keys_of_random_numbers():
    """Arrays of keys reach a callback as the numbers that they are of."""
    seen = []
    jax.jit(lambda key: jax.debug.callback(lambda key: seen.append(np.asarray(jax.random.key_data(key) if jnp.issubdtype(
        key.dtype, jax.dtypes.prng_key) else key)), key))(jax.random.key(3))
    jax.effects_barrier()
    np.testing.assert_array_equal(seen[0], [0, 3])


@check
def callbacks_call_their_own_program():
    """Each level of such calls has a session of its own."""
    def call(x):
        # JAX itself refuses to call a function within a call of it.
        arrays = executable.execute_sharded([jax.device_put(np.float32(x), jax.devices("kiln")[0])])
        return np.asarray(arrays.disassemble_into_single_device_arrays()[0][0])

    def less(x):
        x = float(np.asarray(x))
        return np.float32(0) if x <= 0 else call(x - 1)

    program = jax.jit(lambda x: x + jax.pure_callback(less, like(x), x)).lower(np.float32(0)).compile()
    executable = program.runtime_executable()
    for last in (4, 2, 4):
        assert float(call(last)) == last * (last + 1) / 2


@check
def callbacks_without_end_are_stopped():
    """Within each other, and each in a thread of its own. The next call is right."""
    def own(x):
        levels.append(float(x))
        return np.float32(call(x - 1) if x > 0 or x < -5 else 0)

    def in_a_thread(x):
        found = []

        def run():
            try:
                found.append(own(x))
            except Exception as error:  # for the thread that waits
                found.append(error)

        other = threading.Thread(target=run)
        other.start()
        other.join()
        if isinstance(found[0], Exception):
            raise found[0]
        return found[0]

    def call(x):
        arrays = executable.execute_sharded([jax.device_put(np.float32(x), jax.devices("kiln")[0])])
        return float(np.asarray(arrays.disassemble_into_single_device_arrays()[0][0]))

    for function, start, most in ((own, -6, 32), (in_a_thread, -6, 512)):
        levels = []
        program = jax.jit(lambda x, function=function: x + jax.pure_callback(function, like(x), x)).lower(np.float32(0)).compile()
        executable = program.runtime_executable()
        try:
            call(start)
        except Exception as error:  # what JAX raises
            assert f"more than {most} calls" in str(error), str(error)[-500:]
        else:
            raise AssertionError("no error")
        assert len(levels) == most, len(levels)
        assert call(3) == 6


@check
def callbacks_wait_for_another_thread():
    """It calls their program, too."""
    def wait(x):
        if x > 0:
            other = threading.Thread(target=lambda: seen.append(call(0)))
            other.start()
            other.join(60)
            assert not other.is_alive(), "the other thread waits for this call"
        return np.asarray(x)

    def call(x):
        arrays = executable.execute_sharded([jax.device_put(np.float32(x), jax.devices("kiln")[0])])
        return float(np.asarray(arrays.disassemble_into_single_device_arrays()[0][0]))

    seen = []
    program = jax.jit(lambda x: 1 + jax.pure_callback(wait, like(x), x)).lower(np.float32(0)).compile()
    executable = program.runtime_executable()
    assert call(2) == 3 and seen == [1.0], seen


@check
def long_messages():
    """An error whose text is cut within a character is still that error."""
    for rest in ("x", "xy"):  # one of both is cut within a character
        def fail(x):
            raise ValueError("\u00e9" * 5001 + rest)

        try:
            jax.block_until_ready(jax.jit(lambda x: jax.pure_callback(fail, like(x), x))(np.float32(1)))
        except Exception as error:
            assert "\u00e9" + rest in str(error), str(error)[-200:]
        else:
            raise AssertionError("no error")


def main(names):
    wrong = 0
    for name in names or CHECKS:
        try:
            CHECKS[name]()
            print(f"{name}: right", flush=True)
        except Exception:  # each is reported
            wrong += 1
            print(f"{name}: wrong: {traceback.format_exc()}", flush=True)
    print(f"{len(names or CHECKS) - wrong} right, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
