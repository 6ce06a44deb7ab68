# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that stay in the memory of a device, and calls that return when their work is queued: on the simulated AMD device
behind a library that stands for HIP, which keeps work until it is waited for, and counts calls.

    device.py REPORT      needs jax, and the package `kiln` on PYTHONPATH

Prints a line each; the exit status is 1 where one is not as it is said."""
import gc
import os
import subprocess
import sys

os.environ["JAX_PLATFORMS"] = "kiln"

import jax
import jax.numpy as jnp
import numpy as np

STEPS = 40


def calls_follow_each_other():
    """Each step takes what the one before it left on the device."""
    step = jax.jit(lambda x, i: x * 0.5 + i)
    x = jax.device_put(np.ones(256, np.float32))
    expected = np.ones(256, np.float32)
    for i in range(STEPS):
        x, expected = step(x, np.float32(i)), expected * np.float32(0.5) + np.float32(i)
    assert np.allclose(np.asarray(x), expected, rtol=1e-6), "wrong values"


def caches_are_updated_in_place():
    step = jax.jit(lambda cache, x, i: jax.lax.dynamic_update_slice(cache, x, (i, 0)), donate_argnums=0)
    cache = jnp.zeros((64, 32))
    place = cache.unsafe_buffer_pointer()
    for i in range(STEPS):
        cache = step(cache, jnp.full((1, 32), i + 1.0), i)
        assert cache.unsafe_buffer_pointer() == place, "the cache was copied"
    assert (np.asarray(cache)[:STEPS, 0] == np.arange(1, STEPS + 1)).all(), "wrong values"


def what_is_kept_is_not_written():
    step = jax.jit(lambda x: x.at[0].set(5.0), donate_argnums=0)
    x = jnp.ones(64)
    kept = jax.jit(lambda x: x + 0)(x)
    y, z = step(kept), x * 2
    assert y[0] == 5 and (np.asarray(z) == 2).all() and (np.asarray(x) == 1).all()


def programs_go_before_their_work_ends():
    results = []
    for i in range(8):
        results.append(jax.jit(lambda x, i=i: jnp.cumsum(x) * i)(jnp.arange(32.0)))
        jax.clear_caches()
        gc.collect()
    for i, result in enumerate(results):
        assert np.allclose(np.asarray(result), np.cumsum(np.arange(32.0)) * i), "wrong values"


def arrays_of_all_kinds_come_and_go():
    for value in (np.arange(12.0, dtype=np.float32).reshape(3, 4).T, np.arange(8).astype(np.int8)[::2], np.float32(3),
                  np.array([True, False]), (np.ones(3) + 2j * np.arange(3)).astype(np.complex64), np.zeros((0, 3), np.float32),
                  np.array([3, -4]).astype(jnp.int4), np.arange(6, dtype=np.uint16).reshape(2, 3)):
        there = jax.device_put(value)
        assert np.array_equal(np.asarray(there), value), f"{value.dtype} changed"
        assert np.array_equal(np.asarray(jax.jit(lambda x: x)(there)), value), f"{value.dtype} changed in a program"


def several_threads_call():
    from concurrent.futures import ThreadPoolExecutor
    step = jax.jit(lambda x: x @ x + 1)

    def work(seed):
        x = x0 = np.random.default_rng(seed).standard_normal((16, 16)).astype(np.float32) * 0.1
        for _ in range(4):
            x, x0 = step(x), x0 @ x0 + 1
        return np.allclose(np.asarray(x), x0, rtol=1e-4)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8))), "wrong values"


def main():
    right = wrong = 0
    for check in (calls_follow_each_other, caches_are_updated_in_place, what_is_kept_is_not_written,
                  programs_go_before_their_work_ends, arrays_of_all_kinds_come_and_go, several_threads_call):
        try:
            check()
        except AssertionError as error:
            wrong += 1
            print(f"{check.__name__}: wrong: {error}", flush=True)
        else:
            right += 1
            print(f"{check.__name__}: right", flush=True)
    print(f"{right} right, {wrong} wrong")
    return 1 if wrong else 0


def counted(report):
    """What the library counts in a process that makes STEPS calls and reads one result."""
    if os.path.exists(report):
        os.remove(report)
    folder = os.path.dirname(os.path.abspath(__file__))
    code = f"import sys; sys.path.insert(0, {folder!r}); import device; device.calls_follow_each_other()"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "HIP_STUB_REPORT": report})
    with open(report, encoding="utf-8") as file:
        return {line.split()[1]: int(line.split()[2]) for line in file if line.startswith("calls")}


if __name__ == "__main__":
    status = main()
    calls = counted(sys.argv[1])
    print(f"{calls['hipModuleLaunchKernel']} launches, {calls['hipMemcpyDtoHAsync']} copies to the host")
    sys.exit(status)
