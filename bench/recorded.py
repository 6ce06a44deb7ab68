# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recorded Triton launches, for what times them: their arguments are those of test/triton/corpus.py."""
import os
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
