# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the checks of this folder end."""


def close(problems, counted, is_whole=True):
    """Prints the problems and what was looked at, such as "12 files"; returns the exit status. `is_whole` is false where a check has
    found too little to be right."""
    for problem in problems:
        print(problem)
    print(f"{counted}, {len(problems)} problems")
    return 1 if problems or not is_whole else 0


def find_excess(count, most, what, script):
    """Problems of a number that may only become less: MOST in `script` is what it is now."""
    if count > most:
        return [f"expected at most {most} {what}, found {count}"]
    return [f"{count} {what} are left: lower MOST in test/structure/{script}"] if count < most else []
