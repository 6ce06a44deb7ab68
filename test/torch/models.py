# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models through torch.compile(fullgraph=True) and torch.export, compared with eager.

models.py [NAME...] [--tolerance=1e-5] [--target=SPEC]"""
import argparse
import copy
import os
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402

import kiln  # noqa: E402
import kiln.torch  # noqa: E402
import model_zoo  # noqa: E402


def listed(made):
    return list(made) if isinstance(made, (tuple, list)) else [made]


def error_of(got, want):
    """The largest difference, over the largest value."""
    worst = 0.0
    for a, b in zip(listed(got), listed(want), strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            return float("inf")
        if b.numel():
            error = (a.double() - b.double()).abs().max() / max(1e-30, float(b.double().abs().max()))
            worst = max(worst, float(error) if error == error else float("inf"))
    return worst


def compiled(name, target):
    """torch.compile, no fallback; the error over all arguments."""
    torch._dynamo.reset()
    kiln.torch.report.clear()
    module, args, more = model_zoo.make(name)
    reference = copy.deepcopy(module)
    fast = torch.compile(module, backend=kiln.torch.kiln, fullgraph=True, options={"target": target},
                         dynamic=True if more.get("dynamic") else None)
    worst = 0.0
    with torch.no_grad():
        for given in [args, *more.get("others", [])]:
            worst = max(worst, error_of(fast(*given), reference(*given)))
        for a, b in zip(module.buffers(), reference.buffers()):
            worst = max(worst, error_of(a, b))
    assert not kiln.torch.report.fallbacks
    return worst


def exported(name, target):
    """torch.export, a package on disk, loaded and called without torch's graph."""
    module, args, more = model_zoo.make(name)
    shapes = None
    if more.get("dynamic"):
        shapes = tuple({d: torch.export.Dim.AUTO for i, d in more["dynamic"] if i == n} for n in range(len(args)))
    with torch.no_grad():
        program = torch.export.export(module, args, dynamic_shapes=shapes, strict=False)
        reference = copy.deepcopy(module)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.kiln")
            kiln.export(program, path, target=target)
            loaded = kiln.load(path)
            worst = 0.0
            for given in [args, *more.get("others", [])]:
                got = [torch.from_dlpack(one) for one in listed(loaded(*given))]
                worst = max(worst, error_of(got, reference(*given)))
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--ways", default="compile,export")
    options = parser.parse_args()
    bad = []
    for name in options.names or model_zoo.ZOO:
        for way in options.ways.split(","):
            start = time.time()
            try:
                error = (compiled if way == "compile" else exported)(name, options.target)
                state = "right" if error <= options.tolerance else "WRONG"
                note = f"error {error:.1e}"
            except Exception as failure:
                lines = str(failure).strip().splitlines() or [""]
                state, note = "not compiled", f"{type(failure).__name__}: {' '.join(lines)[:600]}"
            if state != "right":
                bad.append(f"{name} {way}")
            print(f"{state:12} {name} {way}: {note}, {time.time() - start:.1f} s", flush=True)
    print(f"{'all right' if not bad else 'not right: ' + ', '.join(bad)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
