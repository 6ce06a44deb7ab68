# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs that once failed, made after public reports of other projects: reports.py REPORTS. They compare Kiln with eager
themselves, and say True, right and ok, or what is wrong."""
import os
import re
import subprocess
import sys

WRONG = re.compile(r"\bFalse\b|WRONG|wrong|FAIL|refused|ERROR|Traceback|no translation|^mutated input:|^None result:")
# What each has to say, at least so often.
PROGRAMS = {
    "torch_view_offset.py": (r"^right", 12), "torch_view_neighbours.py": (r"\[True(, True)*\]", 13), "torch_view_strides.py": (None, 0),
    "torch_int_arguments.py": (r"^ok", 6), "torch_unsigned.py": (r"^right", 9), "torch_unsigned_neighbours.py": (None, 0),
    "torch_export_unsigned.py": (r"400.,   6., 510.", 2), "torch_bool_neighbours.py": (r"^done 73", 1),
    "torch_two_indices_outside.py": (r"^cpu -?7 \[0.0\]|^reference -?7 Error", 4),
    "frontends/r01_dynamic_index.py": (r"^True", 1), "frontends/r02_cat_sub_dynamic.py": (r"^True", 2), "frontends/r02b_torch.py": (r"^True", 2),
    "frontends/r02c_kv_concat.py": (r"True$", 4), "frontends/r03_gqa_gradient.py": (None, 0),
    "frontends/r04_unique_consecutive_empty.py": (r"^\(tensor", 3), "frontends/r05_channels_last_view.py": (r"^kiln \(144, 1, 24, 4\)", 1),
    "frontends/r06_lstm_no_grad.py": (r"\[2, 5, 32\]", 1), "frontends/r09_export_kv_inputs.py": (None, 0), "frontends/r10_int_mm.py": (r"\[32, 32\]", 1),
}
failures = 0
for name, (pattern, least) in PROGRAMS.items():
    done = subprocess.run([sys.executable, os.path.join(sys.argv[1], name)], capture_output=True, text=True, check=False, timeout=1200,
                          env={**os.environ, "KILN_NO_FALLBACK": "1"})
    count = len(re.findall(pattern, done.stdout, re.MULTILINE)) if pattern else 0
    bad = [line for line in done.stdout.split("\n") if WRONG.search(line)]
    if done.returncode or bad or count < least:
        failures += 1
        print(f"{name}: status {done.returncode}, {count} of {least} right, {bad[:3]}\n{done.stdout[-600:]}\n{done.stderr[-600:]}")
print(f"{len(PROGRAMS)} programs, {failures} wrong")
sys.exit(1 if failures else 0)
