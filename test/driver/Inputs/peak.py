# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""peak.py COMMAND...: what the command says as an error, and whether it or its children had much memory."""
import resource
import subprocess
import sys

run = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE, text=True, check=False)
print(run.stderr, end="")
mebibytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print("peak below 4 GiB" if mebibytes < 4096 else f"peak of {mebibytes} MiB")
