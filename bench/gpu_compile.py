#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiling recorded Triton launches for a GPU costs: Kiln beside Triton 3.6, a process for each kernel.

Usage: gpu_compile.py CORPUS --triton=PYTHON [--compiler=kiln-compile] [--chip=CHIP] [--every=4] [--rounds=3]
                      [--ptxas=PATH] [--filter=REGEX] [--json=FILE]

PYTHON has Triton; it needs neither PyTorch nor a GPU. Both start as new processes, take text and make machine code,
the assembler included, and keep nothing from earlier runs; they take turns, and the best of the rounds counts: what else
the machine does only adds. `--ptxas` is the assembler for both; without it each takes its own.
"""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

# Only what compiling needs of Triton.
DRIVER = """
import sys
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import compile
text, arch, warps, stages = sys.argv[1], *map(int, sys.argv[2:])
kernel = compile(text, target=GPUTarget("cuda", arch, 32), options={"num_warps": warps, "num_stages": stages})
assert len(kernel.asm["cubin"])
"""


def run(command, environment):
    """Seconds, seconds of processors, and MiB at the most of a process and its children."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(message.decode(errors="replace").strip()[-300:])
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(options, stem, folder):
    text = os.path.join(options.corpus, stem + ".ttir")
    with open(os.path.join(options.corpus, stem + ".json"), encoding="utf-8") as file:
        meta = json.load(file)["meta"]
    target = f"nvidia:{options.chip},warps={meta['num_warps']}" + (f",ptxas={options.ptxas}" if options.ptxas else "")
    environment = dict(os.environ)
    if options.ptxas:
        environment["TRITON_PTXAS_PATH"] = environment["TRITON_PTXAS_BLACKWELL_PATH"] = options.ptxas
    best = {}
    for number in range(options.rounds):
        environment["TRITON_CACHE_DIR"] = os.path.join(folder, f"{stem}-{number}")
        for name, command in (
                ("kiln", [options.compiler, text, "--target=" + target, "--no-fallback", "-o",
                          os.path.join(folder, "a.kpkg")]),
                ("triton", [options.triton, "-c", DRIVER, text, re.search(r"\d+", options.chip).group(),
                            str(meta["num_warps"]), str(meta["num_stages"])])):
            found = run(command, environment)
            best[name] = [min(pair) for pair in zip(best.get(name, found), found)]
    return {"stem": stem, "seconds": best["kiln"][0], "cpu": best["kiln"][1], "mib": best["kiln"][2],
            "triton_seconds": best["triton"][0], "triton_cpu": best["triton"][1], "triton_mib": best["triton"][2]}


def mean(rows, a, b):
    return math.exp(statistics.mean(math.log(row[a] / row[b]) for row in rows))


def report(rows, start):
    for row in sorted(rows, key=lambda row: -row["seconds"] / row["triton_seconds"]):
        print(f"{row['seconds'] / row['triton_seconds']:.2f}  {row['seconds']:6.2f} s of {row['triton_seconds']:6.2f} s  cpu "
              f"{row['cpu']:5.2f} of {row['triton_cpu']:5.2f} s  {row['mib']:4.0f} of {row['triton_mib']:4.0f} MiB  {row['stem']}")
    ratios = sorted(row["seconds"] / row["triton_seconds"] for row in rows)
    print(f"{len(rows)} kernels: Kiln's time over Triton's: geometric mean {mean(rows, 'seconds', 'triton_seconds'):.2f}, "
          f"median {statistics.median(ratios):.2f}, worst {ratios[-1]:.2f}, above 0.6: {sum(r > 0.6 for r in ratios)}; "
          f"of all together {sum(r['seconds'] for r in rows) / sum(r['triton_seconds'] for r in rows):.2f}; "
          f"processors' time {mean(rows, 'cpu', 'triton_cpu'):.2f}, memory {mean(rows, 'mib', 'triton_mib'):.2f}")
    print(f"importing Triton alone {start:.2f} s; without it, the geometric mean is "
          f"{math.exp(statistics.mean(math.log(r['seconds'] / (r['triton_seconds'] - start)) for r in rows)):.2f}")
    for name in ("seconds", "triton_seconds"):
        print(f"{name}: median {statistics.median(row[name] for row in rows):.3f}, "
              f"largest {max(row[name] for row in rows):.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--triton", required=True, help="a Python that has Triton")
    parser.add_argument("--compiler", default="kiln-compile")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--ptxas")
    parser.add_argument("--filter", default="")
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json")
    options = parser.parse_args()
    stems = sorted(name[:-5] for name in os.listdir(options.corpus) if name.endswith(".ttir"))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for stem in [stem for stem in stems if re.search(options.filter, stem)][::options.every]:
            try:
                rows.append(measure(options, stem, folder))
            except RuntimeError as error:
                print("error", stem, error)
        imports = DRIVER[:DRIVER.index("text,")]
        start = min(run([options.triton, "-c", imports], dict(os.environ))[0] for _ in range(options.rounds))
    report(rows, start)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
