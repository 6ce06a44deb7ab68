#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of documentation pages as they are written there, and compares what they
print with what the pages show. In a page

    <!-- run -->              stands before a block of commands (```sh). A block of output right
                              behind it has lines that must appear in this order; `...` stands for
                              anything.
    <!-- output of: COMMAND -->  stands before a block that shows the output of COMMAND.
    <!-- copy of: FILE -->    stands before a block that is a file of the tree.

Figures count: a bound, a number of cases or of cycles or a size that is another one now is a problem.
Not compared are times and speeds, by their unit (`12 ms`, `3.5 GB/s`), addresses, the numbers that
MLIR gives values without a name (`%12`), and what a page marks as different from run to run or from
machine to machine: `; differs: REGEX` in front of the `-->` of a mark takes the parts of lines that the
expression matches.

The commands of one page run one after the other in a folder of their own, where the folders of the tree are.
Usage: commands.py SOURCE BUILD FOLDER PAGE..."""
import os
import re
import subprocess
import sys

source, build, folder, pages = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
# A time or a speed, an address, the number of a value.
VARYING = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[-+]?\d+)? ?(ns|us|ms|s|min|[GTM]FLOP/s|[KMGT]i?B/s)(?![\w/])"
                     r"|(?<!\w)0x[0-9a-f]{6,}|(?<!\w)%\d+(?!\w)")


def plain(line, differs):
    """A line without what may vary; spaces do not count."""
    line = VARYING.sub(lambda match: f"N{match.group(1) or match.group()[0]}", " ".join(line.split()))
    return re.sub(differs, "~", line) if differs else line


def missing(expected, output, differs=None):
    """The first expected line that does not follow in the output, or None."""
    lines = iter([plain(line, differs) for line in output.splitlines()])
    for line in expected.splitlines():
        want = plain(line, differs)
        if want in ("", "...") or want.startswith("// ..."):
            continue
        pattern = re.compile(".*".join(re.escape(part.strip() if i else part.rstrip())
                                       for i, part in enumerate(want.split("..."))), re.DOTALL)
        if not any(pattern.fullmatch(have) for have in lines):
            return line
    return None


def blocks(text):
    """Marks with the line, the language and the text of the block behind each, and its output."""
    pattern = re.compile(r"^ *<!-- (run|output of|copy of)(?:: (.*?))?(?:; differs: (.*?))? -->\n"
                         r"\s*```(\w*)\n(.*?)^ *```\n"
                         r"(?:\n*```(?:mlir)?\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
    for match in pattern.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield line, *match.groups()


def run(command, where):
    result = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], cwd=where, check=False, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=500)
    return result.returncode, result.stdout


def main():
    failures = count = 0
    for page in pages:
        with open(os.path.join(source, page), encoding="utf-8") as file:
            text = file.read()
        name = os.path.basename(page)
        if [os.path.basename(one) for one in pages].count(name) > 1:
            name = page.replace("/", "-")
        where = os.path.join(folder, name + ".d")
        os.makedirs(where)
        for name in os.listdir(source):
            if name != "build" and not name.startswith("."):
                os.symlink(os.path.join(source, name), os.path.join(where, name))
        os.symlink(build, os.path.join(where, "build"))
        for line, kind, argument, differs, _, body, output in blocks(text):
            count += 1
            problem = None
            if kind == "run":
                status, printed = run(body, where)
                if status:
                    problem = f"exit status {status}"
                elif output and missing(output, printed, differs) is not None:
                    problem = f"expected this line: {missing(output, printed, differs)}"
            elif kind == "output of":
                status, printed = run(argument, where)
                if status or missing(body, printed, differs) is not None:
                    problem = f"exit status {status}, expected this line: {missing(body, printed, differs)}"
            else:
                with open(os.path.join(source, argument), encoding="utf-8") as file:
                    printed = file.read()
                if printed != body:
                    problem = f"is not what is in {argument}"
            if problem:
                failures += 1
                print(f"{page}:{line}: {problem}\n{body}--- printed:\n{printed[:5000]}")
    print(f"{count} blocks, {failures} problems")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
