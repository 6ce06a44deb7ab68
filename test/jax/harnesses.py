# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's own harnesses of its primitives, run through the PJRT plug-in and by JAX's own CPU backend.

    harnesses.py [--filter=REGEX] [--each=N] [--skip=REGEX] [--seconds=N]

Needs jax, absl-py, and the package `kiln` on PYTHONPATH. A harness is a function of jax.lax with arguments of one
type and shape: there are 7,500, of which --each takes N of each primitive, evenly. Prints a line for each that is not
right and the counts of each primitive; the exit status is 1 where a result is wrong. Floats may differ by the last
bits of their type, since both sides round; where they differ by more, both are compared with the function in f64."""
import argparse
import collections
import os
import re
import sys
import time

os.environ["JAX_PLATFORMS"] = "kiln,cpu"
os.environ["JAX_ENABLE_X64"] = "1"
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=1")

import jax
import ml_dtypes
import numpy as np

from jax._src.internal_test_util import test_harnesses
from judge import is_near

#: How far floats may be apart, as part of the value and absolutely.
LIMITS = {np.dtype(ml_dtypes.bfloat16): 2e-2, np.dtype("float16"): 2e-3, np.dtype("float32"): 1e-5,
          np.dtype("complex64"): 1e-5, np.dtype("float64"): 1e-12, np.dtype("complex128"): 1e-12}
#: Harnesses whose results are not determined, and why.
OPEN = {"isstable_False": "nothing says which of equal keys comes first"}


def evaluate(function, arguments, platform):
    with jax.default_device(jax.devices(platform)[0]):
        return [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(function)(*arguments))]


def distance(found, expected):
    """The largest difference in parts of the limit of the type; infinity where only one is finite."""
    if expected.dtype not in LIMITS:
        return 0.0 if np.array_equal(found, expected) else float("inf")
    kind = "complex128" if np.iscomplexobj(expected) else "float64"
    limit = LIMITS[expected.dtype]
    a, b = found.astype(kind), expected.astype(kind)
    with np.errstate(all="ignore"):
        apart = np.abs(a - b) / (limit * (np.abs(b) + 1))
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    apart = np.where(same, 0.0, np.where(np.isfinite(apart), apart, np.inf))
    return float(apart.max(initial=0.0))


def judge(function, arguments, found, expected):
    """What is wrong, or None."""
    if len(found) != len(expected):
        return f"{len(found)} results, expected {len(expected)}"
    for number, (a, b) in enumerate(zip(found, expected)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"result {number} is {a.dtype}{list(a.shape)}, expected {b.dtype}{list(b.shape)}"
        apart = distance(a, b)
        if apart <= 1:
            continue
        if closer(function, arguments, number, a, b):
            continue
        at = np.flatnonzero(~((a == b) | ((a != a) & (b != b))).reshape(-1))
        where = int(at[0]) if at.size else 0
        return (f"result {number}: {apart:.3g} limits, {at.size} of {a.size} differ, "
                f"element {where}: {a.reshape(-1)[where]}, expected {b.reshape(-1)[where]}")
    return None


def closer(function, arguments, number, found, expected):
    """Whether what was found is right by what wider types make of the arguments."""
    def wider(change):
        try:
            return evaluate(function, [change(a) for a in arguments], "cpu")[number]
        except Exception:  # a harness with its type inside
            return None

    return is_near(found, expected, wider)


def chosen(options):
    groups = collections.defaultdict(list)
    for harness in test_harnesses.all_harnesses:
        name = harness.fullname
        if any(re.search(pattern, re.sub("[^A-Za-z0-9]+", "_", name)) for pattern in OPEN):
            continue
        if re.search(options.filter, name) and not (options.skip and re.search(options.skip, name)) \
                and harness.filter("cpu"):
            groups[harness.group_name].append(harness)
    for name, group in groups.items():
        count = min(options.each or len(group), len(group))
        # Strides that share nothing with the periods in which harnesses vary.
        for i in range(count):
            yield name, group[i * len(group) // count]


def attempt(harness):
    """What became of a harness and a line."""
    arguments = harness.dyn_args_maker(np.random.RandomState(7))
    function = harness.dyn_fun
    try:
        expected = evaluate(function, arguments, "cpu")
    except Exception as error:  # what JAX's own backend lacks
        return "not there", str(error).split("\n")[0][:100]
    try:
        found = evaluate(function, arguments, "kiln")
    except Exception as error:  # whatever JAX raises
        lines = [line for line in str(error).split("\n") if "unsupported" in line or "rror" in line]
        reason = (lines or [str(error)])[0]
        return ("unsupported" if "unsupported" in reason or "UNIMPLEMENTED" in str(error) else "failed"), reason[:220]
    problem = judge(function, arguments, found, expected)
    return ("wrong", problem) if problem else ("right", "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--filter", default="")
    parser.add_argument("--skip", default="")
    parser.add_argument("--each", type=int, default=0, help="so many of each primitive")
    parser.add_argument("--seconds", type=float, default=0, help="stop after so many")
    options = parser.parse_args()
    totals, groups, start = collections.Counter(), collections.defaultdict(collections.Counter), time.time()
    for group, harness in chosen(options):
        if options.seconds and time.time() - start > options.seconds:
            print("stopped: out of time")
            break
        status, reason = attempt(harness)
        totals[status] += 1
        groups[group][status] += 1
        if status != "right":
            print(f"{status:12} {harness.fullname}: {reason}", flush=True)
    for group, counts in sorted(groups.items()):
        if set(counts) - {"right", "not there"}:
            print(f"  {group}: " + ", ".join(f"{n} {status}" for status, n in counts.most_common()))
    print(f"{sum(totals.values())} harnesses: " + ", ".join(f"{n} {status}" for status, n in totals.most_common()))
    return 1 if totals["wrong"] or totals["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
