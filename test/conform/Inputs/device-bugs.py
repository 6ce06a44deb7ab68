# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks the deferred device in every way that its source knows; a check about
the broken part has to fail and say so."""
import os
import re
import subprocess
import sys

FOUND_BY = {
    "any-kind": "memory/wrong-kind", "any-module": "modules/garbage", "any-number": "devices/count",
    "any-option": "properties/unknown-option", "backwards": "events/times", "close-leaks": "memory/device-leaks",
    "crashes": "queues/order", "drops-last": "memory/sizes", "early-release": "queues/release",
    "exports-copy": "shared-memory/export", "fills-zero": "copies/fill", "first-time-counts": "events/again",
    "full-stop": "copies/bounds", "half-a-group": "properties/table", "hangs": "queues/empty",
    "ignores-alignment": "memory/alignment", "ignores-event": "queues/two", "ignores-offset": "copies/within",
    "knows-everything": "properties/knows", "milliseconds": "events/times", "never-gives-back": "memory/exhaustion",
    "no-bounds": "copies/bounds", "no-empty": "memory/zero-bytes", "no-reason": "copies/bounds",
    "no-wait": "queues/mixed", "one-device": "properties/open-twice", "other-name": "properties/table",
    "overflow": "copies/bounds", "records-and-runs": "recording/not-run", "release-leaks": "memory/leaks",
    "replays-once": "recording/replay", "same-names": "properties/device", "strict-options": "properties/compiler-option",
    "times-when-put": "events/times", "unordered": "queues/order", "whole-words": "copies/in", "wraps": "memory/huge",
}

tool, library, source = sys.argv[1:]
with open(source) as file:
    bugs = set(re.findall(r'has\(\s*"([a-z-]+)"', file.read()))
if bugs != set(FOUND_BY):
    sys.exit(f"the source and the list differ: {sorted(bugs ^ set(FOUND_BY))}")
missed = []
for bug, check in sorted(FOUND_BY.items()):
    run = subprocess.run([tool, f"--device={library}", f"--filter=^{check}$", "--time-limit=3"],
                         env=dict(os.environ, BUG=bug), stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 1 or "FAILED" not in run.stdout:
        missed.append(f"{bug}: {run.stdout.strip()}")
print(f"{len(FOUND_BY) - len(missed)} of {len(FOUND_BY)} bugs are found")
sys.exit("\n".join(missed) if missed else 0)
