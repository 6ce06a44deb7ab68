# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Serves a program of a target, but answers the first request only after LIMIT seconds and half as many more. Until then it is
# ready to run. Usage: late.py LIMIT PROGRAM
import os
import runpy
import select
import sys
import time

limit, program = float(sys.argv[1]), sys.argv[2]
select.select([0], [], [])
begin, used = time.monotonic(), time.process_time()
while time.monotonic() - begin < 1.5 * limit:
    pass
took, used = time.monotonic() - begin, time.process_time() - used
print("later than its limit:", took > limit, file=sys.stderr)
print("had a processor for less:", used < limit, file=sys.stderr)
sys.path.insert(0, os.path.dirname(program))
sys.argv = [program]
runpy.run_path(program, run_name="__main__")
