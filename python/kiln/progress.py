# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the compiler, with a progress bar on a terminal where tqdm is installed."""
import os
import re
import subprocess
import sys

_STEP = re.compile(r"progress: (\d+) of (\d+) (.*)")


def _seconds():
    """After how long a compilation shows a bar."""
    try:
        return float(os.environ.get("KILN_PROGRESS_SECONDS", 2))
    except ValueError:
        return 2


def _bar():
    """tqdm, or None where there is none or nothing to draw on."""
    if not (sys.stderr and sys.stderr.isatty()):
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm


def run(arguments, quiet=False):
    """Runs kiln-compile: the exit status and what it printed on the standard error."""
    make = None if quiet else _bar()
    if make is None:
        done = subprocess.run(arguments, stderr=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stderr
    lines, bar = [], None
    with subprocess.Popen([*arguments, "--progress=lines"], stderr=subprocess.PIPE, text=True) as child:
        for line in child.stderr:
            step = _STEP.match(line)
            if not step:
                lines.append(line)
                continue
            done, total, what = int(step[1]), int(step[2]), step[3]
            if bar is None:
                bar = make(total=total, unit=" " + what, desc="kiln", delay=_seconds(), leave=False)
            bar.total = total
            bar.update(done - bar.n)
    if bar is not None:
        bar.close()
    return child.returncode, "".join(lines)
