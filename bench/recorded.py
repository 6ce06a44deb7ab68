# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recorded Triton launches, for what times them: their arguments are those of test/triton/corpus.py."""
import os
import re
import subprocess
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "triton"))
import corpus  # noqa: E402

Case = corpus.Case


def with_command(case, target, tool, use):
    """Gives `use` the words of the command that runs a launch, while the files of its arguments are there; those that
    save results are left out."""
    def instead_of_running(command, **_):
        use([word for word in command if not word.startswith("--save")])
        return types.SimpleNamespace(returncode=1, stdout="", stderr="")

    # The case knows its arguments; only what is done with them differs.
    real = corpus.subprocess
    corpus.subprocess = types.SimpleNamespace(run=instead_of_running, TimeoutExpired=real.TimeoutExpired)
    try:
        case.run(target, tool, [])
    finally:
        corpus.subprocess = real


def compare(case, target, runner, packages, rounds):
    """Times two packages of a launch by turns, in ROUNDS pairs of calls that must agree: the median ratio and that of the
    least times, and the microseconds of the first one; or the reason why there are none."""
    found = {}

    def call_both(words):
        words = [word for word in words if not word.startswith("--target")]
        words[1] = packages[0]
        # What is right the recording says (test/triton/corpus.py); here sums may be taken in another order, and
        # kernels that change what they read have done so twice.
        try:
            done = subprocess.run(words + [f"--bench={rounds}", "--no-ceiling", f"--against={packages[1]}",
                                           "--rtol=0.02", "--atol=0.02"],
                                  capture_output=True, text=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            found["reason"] = "takes longer than 300 s"
            return
        ratio = re.search(r"this takes ([\d.]+) .*least times ([\d.]+)\)", done.stdout)
        if done.returncode == 0 and ratio:
            found["ratio"] = float(ratio[1]), float(ratio[2])
            found["this"] = float(re.search(r"^  this +([\d.]+)", done.stdout, re.M)[1])
        else:
            found["reason"] = " ".join((done.stderr or done.stdout).strip().splitlines()[-1:]) or "does not run"

    with_command(case, target, runner, call_both)
    return found
