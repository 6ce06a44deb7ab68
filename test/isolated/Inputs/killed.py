# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills a compiler while the program of its target compiles and ignores the end of its input; prints whether the program is
still there. Usage: killed.py SIGNAL TRACE COMMAND..."""
import os
import signal
import subprocess
import sys
import time

number, trace, command = getattr(signal, sys.argv[1]), sys.argv[2], sys.argv[3:]


def wait(happened, seconds=60):
    end = time.monotonic() + seconds
    while not happened() and time.monotonic() < end:
        time.sleep(0.01)
    return happened()


def asked():
    return os.path.exists(trace) and '"method":"compile"' in open(trace, encoding="utf-8").read()


def programs():
    """The processes that have this trace in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if f"KILN_TARGET_TRACE={trace}".encode() in file.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass
    return [pid for pid in found if pid != compiler.pid]


compiler = subprocess.Popen(command, env={**os.environ, "KILN_ISOLATED_TRACE": trace, "KILN_TARGET_TRACE": trace})
print("asked" if wait(asked) else "never asked", "a program that runs" if programs() else "none", flush=True)
compiler.send_signal(number)
compiler.wait()
print("gone" if wait(lambda: not programs(), 10) else "still there")
