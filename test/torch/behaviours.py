# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of behaviour share: each function marked with `test` is one, compared with eager; `main` runs those of a file."""
import sys
import traceback
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402

import kiln.torch  # noqa: E402, F401

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def fast(function, **options):
    return torch.compile(function, backend="kiln", **options)


def same(got, want, tolerance=1e-5, equal_nan=False):
    torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance, equal_nan=equal_nan)


def main():
    bad = []
    for one in [one for one in TESTS if not sys.argv[1:] or one.__name__ in sys.argv[1:]]:
        torch._dynamo.reset()
        torch.manual_seed(0)
        try:
            one()
        except Exception:
            bad.append(one.__name__)
            print(f"not right: {one.__name__}")
            traceback.print_exc(limit=-4)
    print(f"{len(TESTS)} tests, not right: {', '.join(bad)}" if bad else f"{len(TESTS)} tests, all right")
    return 1 if bad else 0
