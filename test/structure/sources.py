# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The project's C++ files, as checks of their form read them."""
import os
import re

FOLDERS = ("include", "lib", "dialects", "conversions", "targets", "tools", "sdk")


def bare(text):
    """The text without comments, strings and directives, with its lines."""
    keep_lines = lambda match: "\n" * match.group(0).count("\n")
    text = re.sub(r"/\*.*?\*/", keep_lines, text, flags=re.DOTALL)
    text = re.sub(r'R"(\w*)\(.*?\)\1"', lambda match: '""' + keep_lines(match), text, flags=re.DOTALL)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'', '""', text)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", keep_lines, text, flags=re.MULTILINE)


def bare_files(root):
    """(path below the root, bare text) of each file."""
    for folder in FOLDERS:
        for path, _, names in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(names):
                if name.endswith((".h", ".cpp")):
                    full = os.path.join(path, name)
                    with open(full, encoding="utf-8") as file:
                        yield os.path.relpath(full, root), bare(file.read())
