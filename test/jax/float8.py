# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats of at most 8 bits through the PJRT plug-in, bit for bit as ml_dtypes has them.

    float8.py [NAME...]      needs jax, and the package `kiln` on PYTHONPATH

Every code is decoded, and numbers around all ties and edges of each type are encoded. Prints a line each; the exit
status is 1 where one is not so."""
import os
import sys
import tempfile
import traceback

os.environ["JAX_PLATFORMS"] = "kiln"

import jax
import jax.numpy as jnp
import kiln
import ml_dtypes
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
NAMES = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3b11fnuz", "float8_e4m3", "float8_e3m4",
         "float8_e8m0fnu", "float4_e2m1fn"]
TYPES = {name: np.dtype(getattr(ml_dtypes, name)) for name in NAMES if hasattr(jnp, name)}
WIDE = {"float32": np.dtype("float32"), "float16": np.dtype("float16"), "bfloat16": np.dtype(ml_dtypes.bfloat16),
        "float64": np.dtype("float64")}
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def codes(kind):
    """Every number of a type."""
    bits = ml_dtypes.finfo(kind).bits
    return np.arange(1 << bits, dtype=np.uint8).view(kind)


def bits(array):
    array = np.asarray(array)
    return array.view(f"uint{8 * array.dtype.itemsize}")


def sample(kind, wide):
    """Numbers of a wider type around every number of the type and every tie: they, and their neighbours."""
    with np.errstate(all="ignore"):
        values = np.unique(codes(kind).astype(np.float64))
        values = values[np.isfinite(values)]
        ties = (values[1:] + values[:-1]) / 2
        edges = [0, 1e-30, 1e-40, 2.0 ** -149, 1e30, 3.4e38, np.inf, np.nan, values.max() * 1.01, values.max() * 1.0625,
                 values.max() * 1.1, values.max() * 1.125, values.max() * 1.25, values.max() * 1.5, values.max() * 2]
        edges = np.array(edges + [-one for one in edges])
        near = np.concatenate([values, ties, edges]).astype(wide)
        above, below = (np.nextafter(near, wide.type(to)) if wide.kind == "f" else
                        near for to in (np.inf, -np.inf))
        random = np.random.default_rng(7).standard_normal(4000) * np.exp2(np.random.default_rng(8).uniform(-20, 20, 4000))
        return np.concatenate([near, above, below, random.astype(wide), -near])


def has_nan(kind):
    return bool(np.isnan(codes(kind).astype(np.float32)).any())


def same(found, expected, what):
    """Equal in every bit but those of NaN."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape, f"{what}: {found.dtype} {found.shape}"
    if expected.dtype.kind in "iub":
        assert np.array_equal(found, expected), f"{what}: {np.sum(found != expected)} differ"
        return
    with np.errstate(all="ignore"):
        nan = np.isnan(expected.astype(np.float64))
        wrong = np.where(nan, ~np.isnan(found.astype(np.float64)), bits(found) != bits(expected))
    if wrong.any():
        at = tuple(np.argwhere(wrong)[0])
        raise AssertionError(f"{what}: {wrong.sum()} of {wrong.size} differ; at {at} {found[at]!r}, expected {expected[at]!r}")


@test
def decoded(name, kind):
    x = codes(kind)
    for wide, to in WIDE.items():
        same(jax.jit(lambda x: x.astype(to))(x), x.astype(to), wide)


@test
def encoded(name, kind):
    for wide, source in WIDE.items():
        x = sample(kind, source)
        if name == "float8_e8m0fnu":  # ml_dtypes reads the bits of subnormal numbers, and loses small ones of f64
            with np.errstate(all="ignore"):
                x = x[~(np.abs(x.astype(np.float64)) < 2.0 ** -126) | (x == 0)]
        if not has_nan(kind):  # which zero they give is open
            x = x[~np.isnan(x.astype(np.float64))]
        if wide == "float64":  # what is not a number of f32 is rounded once here
            x = x[x.astype(np.float32).astype(np.float64) == x]
        with np.errstate(all="ignore"):
            expected = x.astype(np.float32).astype(kind)
        same(jax.jit(lambda x: x.astype(kind))(x), expected, wide)


@test
def once_from_f64(name, kind):
    if name == "float8_e8m0fnu":
        return
    values = np.unique(codes(kind).astype(np.float64))
    values = values[np.isfinite(values)]
    low, high = values[:-1], values[1:]
    ties = (low + high) / 2
    for away, want in ((1e-14, high), (-1e-14, low)):
        x = (ties + away * np.abs(ties))[ties != 0]
        found = np.asarray(jax.jit(lambda x: x.astype(kind))(x)).astype(np.float64)
        assert np.array_equal(found, want[ties != 0]), f"{np.sum(found != want[ties != 0])} are rounded twice"


@test
def between(name, kind):
    x = codes(kind)
    for other, to in TYPES.items():
        with np.errstate(all="ignore"):
            wide = x.astype(np.float32)
            keep = ~np.isnan(wide) if not has_nan(to) else np.full(x.shape, True)
            if "e8m0" in other:
                keep &= (wide >= 2.0 ** -126)
            expected = wide.astype(to)
        same(np.asarray(jax.jit(lambda x: x.astype(to))(x))[keep], expected[keep], other)


@test
def integers(name, kind):
    x = codes(kind)
    whole = np.arange(-300, 300, dtype=np.int32)
    with np.errstate(all="ignore"):
        expected = whole.astype(np.float32).astype(kind)
    same(jax.jit(lambda x: x.astype(kind))(whole), expected, "from int32")
    with np.errstate(all="ignore"):
        finite = x[np.isfinite(x.astype(np.float32)) & (np.abs(x.astype(np.float32)) < 2.0 ** 31)]
    same(jax.jit(lambda x: x.astype(jnp.int32))(finite), finite.astype(np.float32).astype(np.int32), "to int32")


def pairs(kind):
    x = codes(kind)
    return np.repeat(x, len(x)).reshape(len(x), -1), np.tile(x, len(x)).reshape(len(x), -1)


@test
def arithmetic(name, kind):
    """In f32, then rounded."""
    if name == "float8_e8m0fnu":
        return
    a, b = pairs(kind)
    operations = {"add": (jnp.add, np.add), "sub": (jnp.subtract, np.subtract), "mul": (jnp.multiply, np.multiply),
                  "div": (jnp.divide, np.divide), "max": (jnp.maximum, np.maximum), "min": (jnp.minimum, np.minimum)}
    for label, (ours, theirs) in operations.items():
        with np.errstate(all="ignore"):
            wide = theirs(a.astype(np.float32), b.astype(np.float32))
            keep = np.full(a.shape, True)
            if not has_nan(kind):
                keep &= ~np.isnan(wide)
            expected = wide.astype(kind)
        found = np.asarray(jax.jit(ours)(a, b))
        zeros = (expected.astype(np.float32) == 0) & (label in ("max", "min"))
        same(np.where(keep & ~zeros, found, a), np.where(keep & ~zeros, expected, a), label)
    for label, ours, theirs in (("neg", jnp.negative, np.negative), ("abs", jnp.abs, np.abs)):
        with np.errstate(all="ignore"):
            same(jax.jit(ours)(a[:, 0]), theirs(a[:, 0].astype(np.float32)).astype(kind), label)


@test
def compared(name, kind):
    a, b = pairs(kind)
    for ours, theirs in ((jnp.less, np.less), (jnp.less_equal, np.less_equal), (jnp.equal, np.equal),
                         (jnp.not_equal, np.not_equal), (jnp.greater, np.greater), (jnp.greater_equal, np.greater_equal)):
        with np.errstate(all="ignore"):
            same(jax.jit(ours)(a, b), theirs(a.astype(np.float32), b.astype(np.float32)), theirs.__name__)
    same(jax.jit(lambda c, a, b: jnp.where(c, a, b))(a.view(np.uint8) % 3 == 0, a, b),
         np.where(a.view(np.uint8) % 3 == 0, a, b), "where")


@test
def moved(name, kind):
    """Every bit stays."""
    x = np.random.default_rng(3).choice(codes(kind), (12, 10))
    y = np.random.default_rng(4).choice(codes(kind), (12, 10))
    i = np.array([3, 0, 11, 5])

    def program(x, y, i):
        return (x.reshape(5, 24), x.T, x[2:9:2, 1:7], jnp.pad(x, 2), jnp.concatenate([x, y], 1), x[i], x.at[i].set(y[:4]), x[::-1],
                lax.dynamic_slice(x, (i[0], 1), (4, 5)), lax.dynamic_update_slice(x, y[:2, :3], (i[3], 2)),
                jnp.broadcast_to(x[0], (3, 10)), jnp.stack([x, y]), jnp.take_along_axis(x, jnp.broadcast_to(i[:, None], (4, 10)), 0))
    expected = (x.reshape(5, 24), x.T, x[2:9:2, 1:7], np.pad(x.view(np.uint8), 2).view(kind), np.concatenate([x, y], 1), x[i],
                None, x[::-1], x[3:7, 1:6], None, np.broadcast_to(x[0], (3, 10)), np.stack([x, y]),
                np.take_along_axis(x.view(np.uint8), np.broadcast_to(i[:, None], (4, 10)), 0).view(kind))
    set_, updated = x.copy(), x.copy()
    set_[i], updated[5:7, 2:5] = y[:4], y[:2, :3]
    expected = [set_ if k == 6 else updated if k == 9 else one for k, one in enumerate(expected)]
    for k, (ours, theirs) in enumerate(zip(jax.jit(program)(x, y, i), expected)):
        if k != 3 or name != "float8_e8m0fnu":
            assert np.array_equal(bits(ours), bits(theirs)), f"result {k}"


@test
def handed_over(name, kind):
    """Arrays of numpy become tensors of packages; so do files."""
    x = codes(kind)
    assert np.array_equal(np.asarray(kiln.as_tensor(x)), x.view(np.uint8))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.npy")
        np.save(path, x)
        assert np.array_equal(np.asarray(kiln.load_npy(path)), x.view(np.uint8))


@test
def read_as_bits(name, kind):
    if ml_dtypes.finfo(kind).bits < 8:
        return
    x = codes(kind)
    same(jax.jit(lambda x: lax.bitcast_convert_type(x, jnp.uint8))(x), x.view(np.uint8), "to bits")
    same(jax.jit(lambda x: lax.bitcast_convert_type(x, kind))(x.view(np.uint8)), x, "from bits")


@test
def made(name, kind):
    def program():
        return lax.iota(kind, 30), jnp.full((4,), 1.5, kind), jnp.array([1, 2, 0.5, 4], kind)
    with np.errstate(all="ignore"):
        expected = (np.arange(30, dtype=np.float32).astype(kind), np.full(4, 1.5, np.float32).astype(kind),
                    np.array([1, 2, 0.5, 4], np.float32).astype(kind))
    if name == "float8_e8m0fnu":
        expected = (expected[0][1:], *expected[1:])
    for k, (ours, theirs) in enumerate(zip(jax.jit(program)(), expected)):
        same(np.asarray(ours)[1:] if k == 0 and name == "float8_e8m0fnu" else ours, theirs, f"result {k}")


def small(kind, *shape, seed=5):
    """Numbers of moderate size."""
    with np.errstate(all="ignore"):
        return np.abs(np.random.default_rng(seed).standard_normal(shape) * 0.5).astype(kind) if "e8m0" in str(kind) else \
            (np.random.default_rng(seed).standard_normal(shape) * 0.5).astype(kind)


@test
def products(name, kind):
    x, y = small(kind, 33, 70), small(kind, 70, 41, seed=6)
    exact = x.astype(np.float64) @ y.astype(np.float64)
    for result in ("float32", "bfloat16", "float16"):
        found = jax.jit(lambda x, y: lax.dot(x, y, preferred_element_type=result))(x, y)
        assert str(found.dtype) == result
        np.testing.assert_allclose(np.asarray(found).astype(np.float64), exact, rtol=1e-5 if result == "float32" else 1e-2, atol=1e-4)
    found = jax.jit(lambda x, y: lax.dot(x, y))(x, y)
    rounded = exact.astype(np.float32).astype(kind)
    assert np.mean(bits(found) != bits(rounded)) < 0.01, "rounded otherwise"
    for other, kind2 in TYPES.items():
        z = small(kind2, 70, 41, seed=9)
        try:
            found = jax.jit(lambda x, z: lax.dot_general(x, z, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32))(x, z)
        except TypeError:  # JAX does not take these two
            continue
        np.testing.assert_allclose(found, x.astype(np.float64) @ z.astype(np.float64), rtol=1e-5, atol=1e-4)


@test
def reduced(name, kind):
    if name == "float8_e8m0fnu":
        return
    x = small(kind, 20, 30)
    wide = x.astype(np.float32)
    same(jax.jit(lambda x: jnp.max(x, 1))(x), wide.max(1).astype(kind), "max")
    same(jax.jit(lambda x: jnp.argmin(x, 1))(x), wide.argmin(1), "argmin")
    assert np.array_equal(np.asarray(jax.jit(lambda x: jnp.sort(x, 1))(x)).astype(np.float32), np.sort(wide, 1)), "sort"
    same(jax.jit(lambda x: jnp.argsort(x, 1))(x), np.argsort(wide, 1, kind="stable"), "argsort")
    assert np.array_equal(np.asarray(jax.jit(lambda x: lax.top_k(x, 3)[0])(x)).astype(np.float32), -np.sort(-wide, 1)[:, :3]), "top_k"
    found = np.asarray(jax.jit(lambda x: jnp.sum(x, 1))(x)).astype(np.float32)
    step = float(ml_dtypes.finfo(kind).eps)
    np.testing.assert_allclose(found, wide.sum(1), rtol=step, atol=float(np.abs(wide).sum(1).max()) * step)


@test
def quantised(name, kind):
    if name in ("float8_e8m0fnu",):
        return
    x = np.random.default_rng(1).standard_normal((16, 64)).astype(np.float32)
    top = np.float32(ml_dtypes.finfo(kind).max)

    def round_trip(x):
        scale = jnp.max(jnp.abs(x), 1, keepdims=True) / top
        q = jnp.clip(x / scale, -top, top).astype(kind)
        return q, q.astype(jnp.float32) * scale
    q, back = jax.jit(round_trip)(x)
    scale = np.abs(x).max(1, keepdims=True) / top
    expected = np.clip(x / scale, -top, top).astype(kind)
    assert np.mean(bits(q) != bits(expected)) < 0.01
    step = float(ml_dtypes.finfo(kind).eps)
    assert np.all(np.abs(np.asarray(back) - x) <= step * np.abs(x) + scale * float(ml_dtypes.finfo(kind).smallest_subnormal))


def main():
    wanted, wrong, count = sys.argv[1:], 0, 0
    for function in TESTS:
        for name, kind in TYPES.items():
            label = f"{function.__name__} {name}"
            if wanted and not any(one in label for one in wanted):
                continue
            count += 1
            try:
                function(name, kind)
                print(f"right  {label}", flush=True)
            except Exception as error:  # whatever it is, the others go on
                wrong += 1
                print(f"WRONG  {label}: {type(error).__name__}: {str(error).strip()[:500]}", flush=True)
                if "-v" in wanted:
                    traceback.print_exc()
    print(f"{count - wrong} right, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
