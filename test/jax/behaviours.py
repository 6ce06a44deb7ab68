# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/jax.md says of buffers and caches, checked through the PJRT plug-in.

    behaviours.py      needs jax, and the package `kiln` on PYTHONPATH

Prints a line each; the exit status is 1 where one is not as it is said."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import warnings

os.environ["JAX_PLATFORMS"] = "kiln"

import jax
import jax.numpy as jnp
import numpy as np

BEHAVIOURS = []


def behaviour(function):
    BEHAVIOURS.append(function)
    return function


@behaviour
def arrays_are_read_in_place():
    x = jax.jit(lambda x: x + 1)(np.ones(1000, np.float32))
    view = np.asarray(x)
    assert view.ctypes.data == x.unsafe_buffer_pointer(), "numpy.asarray has copied"
    assert (view == 2).all()


@behaviour
def what_is_updated_keeps_its_memory():
    """A cache that is given up becomes the result."""
    step = jax.jit(lambda cache, x, i: jax.lax.dynamic_update_slice(cache, x, (i, 0)), donate_argnums=0)
    cache = jnp.zeros((64, 32))
    place = cache.unsafe_buffer_pointer()
    for i in range(3):
        before, cache = cache, step(cache, jnp.full((1, 32), i + 1.0), i)
        assert before.is_deleted(), "a donated argument that was written is still there"
        assert cache.unsafe_buffer_pointer() == place, "the cache was copied"
    expected = np.zeros((64, 32))
    expected[:3] = np.arange(1, 4)[:, None]
    assert (np.asarray(cache) == expected).all()


@behaviour
def what_somebody_holds_is_not_written():
    step = jax.jit(lambda x: x.at[0].set(5.0), donate_argnums=0)
    x = jnp.ones(4096)
    view = np.asarray(x)
    y = step(x)
    assert (view == 1).all(), "memory that numpy reads was written"
    assert y[0] == 5 and y[1] == 1


@behaviour
def other_donations_are_right():
    """Nothing is updated: the argument stays, or goes, and the result is right."""
    step = jax.jit(lambda x: x * 2, donate_argnums=0)
    x = jnp.ones(4096)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = step(x)
    assert (np.asarray(y) == 2).all() and (np.asarray(step(y)) == 4).all()
    assert x.is_deleted() or (np.asarray(x) == 1).all(), "a donated argument was changed"


@behaviour
def layouts_are_row_major():
    """Of arguments and results of every rank, without the program's text."""
    given = jnp.ones((2, 3, 4)), jnp.float32(1), jnp.ones((3, 5), jnp.complex64), np.ones(7, "int4")
    compiled = jax.jit(lambda a, b, c, d: (a.T, b * 2, c.real, c * 1j, d + d)).lower(*given).compile()
    taken, kept = jax.tree.leaves(compiled.input_formats), jax.tree.leaves(compiled.output_formats)
    for formats, ranks in ((taken, (3, 0, 2, 1)), (kept, (3, 0, 2, 2, 1))):
        found = [format.layout.major_to_minor for format in formats]
        assert found == [tuple(range(rank)) for rank in ranks], found
    assert jnp.ones((2, 3, 4)).format.layout.major_to_minor == (0, 1, 2)
    assert "multiply" in compiled.as_text()


@behaviour
def integers_of_few_bits_come_in_and_go_out():
    """As numpy and ml_dtypes compute them: they wrap."""
    for name, low, bits in (("int4", -8, 4), ("uint4", 0, 4), ("int2", -2, 2), ("uint2", 0, 2)):
        x = np.arange(low, low + 2 ** bits).astype(name)
        wide = x.astype(np.int64)

        def wrapped(numbers, low=low, bits=bits):
            return (numbers - low) % 2 ** bits + low
        for function, want in ((lambda x: x, wide), (lambda x: x + x, wrapped(2 * wide)), (lambda x: -x, wrapped(-wide)),
                               (lambda x: jnp.sum(x, dtype=x.dtype), wrapped(wide.sum())), (lambda x: jnp.sort(x)[::-1], wide[::-1]),
                               (lambda x: jnp.cumsum(x), wrapped(np.cumsum(wide)))):
            got = jax.jit(function)(x)
            assert got.dtype == x.dtype, f"{got.dtype} in place of {name}"
            assert (np.asarray(got).astype(np.int64) == want).all(), f"{name}: {got}, expected {want}"
        assert (np.asarray(jax.jit(lambda x: x.astype(jnp.float32))(x)) == wide).all(), f"{name} as floats"


@behaviour
def unsupported_calls_name_themselves():
    call = jax.ffi.ffi_call("some_function", jax.ShapeDtypeStruct((3,), np.float32))
    try:
        jax.jit(lambda x: call(x))(jnp.ones(3))
    except Exception as error:  # what JAX raises
        assert "some_function" in str(error), f"the reason is not said: {error}"
    else:
        raise AssertionError("an unknown function has run")


SERIALIZED = """
import pickle, sys
import jax, jax.numpy as jnp, numpy as np
from jax.experimental import serialize_executable
x = np.arange(10, dtype=np.float32)
if sys.argv[1] == "save":
    call = jax.jit(lambda x: jnp.sin(x).sum()).lower(x).compile()
    with open(sys.argv[2], "wb") as file:
        pickle.dump(serialize_executable.serialize(call), file)
else:
    with open(sys.argv[2], "rb") as file:
        call = serialize_executable.deserialize_and_load(*pickle.load(file), execution_devices=jax.devices())
print(float(np.asarray(call(jax.device_put(x)))))
"""


@behaviour
def serialized_programs_run_without_the_compiler():
    import kiln.jax
    library = kiln.jax.library_path()
    package = os.path.dirname(kiln.jax.__file__)
    with tempfile.TemporaryDirectory() as folder:
        python, own = os.path.join(folder, "python"), os.path.join(folder, "lib")
        shutil.copytree(package, os.path.join(python, "kiln"))
        shutil.copytree(os.path.join(os.path.dirname(package), "jax_plugins"), os.path.join(python, "jax_plugins"))
        os.mkdir(own)
        for name in os.listdir(os.path.dirname(library)):
            whole = os.path.join(os.path.dirname(library), name)
            if name == os.path.basename(library):
                shutil.copy(whole, own)  # it looks beside itself
            elif not name.startswith("libKiln"):
                os.symlink(whole, os.path.join(own, name))
        file = os.path.join(folder, "program")

        def run(path, what):
            found = subprocess.run([sys.executable, "-c", SERIALIZED, what, file], capture_output=True, text=True,
                                   env=dict(os.environ, PYTHONPATH=path), check=False)
            assert found.returncode == 0, found.stderr[-2000:]
            return found.stdout

        saved = run(os.environ["PYTHONPATH"], "save")
        assert run(python, "load") == saved, "other results"


@behaviour
def many_small_matrices_are_right():
    """Above and below the sizes and counts from which on they are the host's."""
    import scipy

    if glob.glob(os.path.join(os.path.dirname(scipy.__file__), "../scipy.libs/libscipy_openblas-*.so")):
        assert "scipy.libs" in os.environ["KILN_LAPACK_PREFERRED"], "not SciPy's library"
    rng = np.random.default_rng(1)
    for count, n in (65, 4), (65, 5), (3, 1), (0, 5), (70, 34):
        a = rng.standard_normal((count, n, n)).astype(np.float32)
        spd = a @ a.transpose(0, 2, 1) + np.eye(n, dtype=np.float32)
        b = rng.standard_normal((count, n, 2)).astype(np.float32)
        root, x = jax.jit(lambda spd, b: (jnp.linalg.cholesky(spd), jnp.linalg.solve(spd, b)))(spd, b)
        q, r = jax.jit(jnp.linalg.qr)(a)
        w, v = jax.jit(jnp.linalg.eigh)(spd)
        u, s, vt = jax.jit(jnp.linalg.svd)(a)
        turned = jax.lax.linalg.triangular_solve(root, b.transpose(0, 2, 1), left_side=False, lower=True, transpose_a=True)
        found = {"root": (root @ root.mT, spd), "solution": (spd @ x, b), "qr": (q @ r, a), "eigh": ((v * w[:, None, :]) @ v.mT, spd),
                 "svd": (u * s[:, None, :] @ vt, a), "turned": (turned @ root.mT, b.transpose(0, 2, 1))}
        for name, (got, expected) in found.items():
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-5 * n * (1 + abs(spd).max(initial=0)), err_msg=f"{name} of {count} times {n}")


@behaviour
def samples_of_gamma_end_one_by_one():
    """One loop over samples, and in it those of rejections, each of one sample. JAX's rule for platforms that it does not know has
    all samples in each loop."""
    text = jax.jit(lambda key: jax.random.gamma(key, 0.5, (7,))).lower(jax.random.key(0)).as_text()
    loops = [line for line in text.splitlines() if "stablehlo.while" in line]
    of_all = [line for line in loops if "tensor<7x" in line]
    assert len(of_all) == 1 < len(loops), (len(of_all), len(loops))


KEPT = """
import logging, sys, warnings
import jax, numpy as np
compiled = []
jax.monitoring.register_event_listener(lambda name, **_: compiled.append(name.rsplit("/", 1)[-1]))
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
x = np.arange(10, dtype=np.float32)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    result = float(jax.jit(lambda x: jax.numpy.sin(x).sum())(x))
    seen = []
    jax.jit(lambda x: jax.debug.callback(seen.append, x))(x)
    jax.effects_barrier()
assert abs(result - np.sin(x).sum()) < 1e-5 and len(seen) == 1, (result, seen)
print(compiled.count("cache_hits"), compiled.count("cache_misses"), len([one for one in caught if "cache" in str(one.message)]))
"""


@behaviour
def compiled_programs_are_kept_on_disk():
    """By JAX's persistent cache: found in the next process, compiled again for other targets and where a file is damaged."""
    from jax._src import compilation_cache

    with tempfile.TemporaryDirectory() as folder:

        def run(**environment):
            found = subprocess.run([sys.executable, "-c", KEPT, folder], capture_output=True, text=True, check=False,
                                   env={**os.environ, **environment})
            assert found.returncode == 0, found.stderr[-2000:]
            return [int(count) for count in found.stdout.split()]

        hits, misses, warned = run()
        assert not hits and misses and not warned, f"{hits} hits, {misses} misses, {warned} warnings in an empty folder"
        assert run() == [misses, 0, 0], "the next process compiled again"
        assert run(KILN_JAX_ARGUMENTS="--no-fallback") == [0, misses, 0], "found what other arguments had made"
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if name.endswith("-cache"):
                with open(path, "r+b") as file:
                    held = bytearray(compilation_cache.decompress_executable(file.read()))
                    held[len(held) // 2] ^= 1
                    file.seek(0)
                    file.truncate()
                    file.write(compilation_cache.compress_executable(bytes(held)))
        assert run() == [0, misses, misses], "damaged files were found, or without a warning each"
        assert run() == [misses, 0, 0], "damaged files were not replaced"


@behaviour
def exported_linear_algebra_is_no_custom_call():
    """Of fixed sizes, and of symbols: what is exported runs where it is loaded."""
    from jax import export

    def solve_upper(a, b):
        return jax.scipy.linalg.solve_triangular(a, b, lower=False, trans="T")

    def definite(a):
        return a @ a.mT + 9 * jnp.eye(a.shape[-1])

    functions = {"cholesky": (lambda a, b: jnp.linalg.cholesky(definite(a))),
                 "triangular_solve": (lambda a, b: solve_upper(jnp.triu(a) + 9 * jnp.eye(a.shape[-1]), b)),
                 "inv": (lambda a, b: jnp.linalg.inv(definite(a))), "solve": (lambda a, b: jnp.linalg.solve(definite(a), b)),
                 "complex cholesky": (lambda a, b: jnp.linalg.cholesky(definite(a) + 1j * (a - a.mT)))}
    forms = [((3, 3), (3, 3)), ((9, 9), (9, 9)), ((40, 40), (40, 40)), ("b,9,9", (5, 9, 9)), ("b,3,3", (5, 3, 3)), ("n,n", (9, 9))]
    random = np.random.default_rng(1)
    for name, function in functions.items():
        for form, sizes in forms:
            a = random.standard_normal(sizes).astype(np.float32)
            b = random.standard_normal(sizes).astype(np.float32)
            if isinstance(form, str):
                scope = export.SymbolicScope()
                shape = export.symbolic_shape(form, scope=scope)
            else:
                shape = form
            kinds = [jax.ShapeDtypeStruct(shape, np.float32)] * 2
            for platforms in (["kiln"], ["kiln", "cpu"]):
                made = export.export(jax.jit(function), platforms=platforms)(*kinds)
                assert "kiln." not in made.mlir_module(), f"{name} of {form} calls a function of this process"
            found, want = np.asarray(jax.jit(made.call)(a, b)), np.asarray(jax.jit(function)(a, b))
            assert np.allclose(found, want, 1e-3, 1e-3), f"{name} of {form} differs"

    values = jax.jit(lambda a: (abs(jnp.linalg.qr(a)[1]), jnp.linalg.eigvalsh(a), jnp.linalg.svd(a)[1]))
    a = random.standard_normal((9, 9)).astype(np.float32)
    made = export.export(values, platforms=["kiln"])(jax.ShapeDtypeStruct(a.shape, a.dtype))
    for found, want in zip(jax.jit(made.call)(a), values(a)):
        assert np.allclose(found, want, 1e-3, 1e-3), "values of a matrix differ"
    try:
        export.export(jax.jit(jnp.linalg.eig), platforms=["kiln"])(jax.ShapeDtypeStruct(a.shape, a.dtype))
        raise AssertionError("eig was exported")
    except ValueError as error:
        assert "custom calls" in str(error), error


def main():
    wrong = 0
    for check in BEHAVIOURS:
        try:
            check()
            print(f"{check.__name__}: right", flush=True)
        except AssertionError as error:
            wrong += 1
            print(f"{check.__name__}: wrong: {error}", flush=True)
    print(f"{len(BEHAVIOURS) - wrong} right, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
