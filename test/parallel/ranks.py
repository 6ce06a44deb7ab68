# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A test program whose ranks are processes of itself: `SCRIPT [--ranks=N] [--device=cpu|cuda]` starts them with a number and a
folder that they share. KILN_TEST_DEVICE is the device of a rank's process."""
import argparse
import os
import signal
import subprocess
import sys
import tempfile


def main(script, one_rank, killed=None):
    """one_rank(rank, ranks, folder) is the exit status of a rank; the result is that of all. The rank `killed`, counted from
    the end where it is negative, kills itself."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rank", type=int)
    parser.add_argument("--folder")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda: one GPU for each rank")
    options = parser.parse_args()
    if options.rank is not None:
        os.environ["KILN_TEST_DEVICE"] = options.device
        return one_rank(options.rank, options.ranks, options.folder)
    with tempfile.TemporaryDirectory() as folder:
        ranks = [subprocess.Popen([sys.executable, os.path.abspath(script), f"--ranks={options.ranks}", f"--rank={rank}",
                                   f"--device={options.device}", f"--folder={folder}"]) for rank in range(options.ranks)]
        ends = [rank.wait() for rank in ranks]
        if killed is not None:
            ends[killed] = 0 if ends[killed] == -signal.SIGKILL else 1
        status = max(map(abs, ends))
    print("FAILED" if status else "all right")
    return status
