# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages on disk, by what they were made from: the program's text, the compiler, the target.

$KILN_CACHE_DIR says where; "" keeps nothing. Files are written beside and renamed, so that several
processes may share a folder."""
import hashlib
import os
import tempfile

import kiln
from kiln import compiler


class CompileError(RuntimeError):
    """What the compiler said."""


def folder():
    named = os.environ.get("KILN_CACHE_DIR")
    if named is not None:
        return named or None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "kiln")


def compiler_mark():
    """Changes with the compiler: its version, and size and time of its library."""
    marks = [kiln.__version__]
    for path in compiler.files():
        about = os.stat(path)
        marks.append(f"{os.path.basename(path)}:{about.st_size}:{about.st_mtime_ns}")
    return " ".join(marks)


def key(text, target, options=()):
    return hashlib.sha256("\0".join([compiler_mark(), str(target), *options, text]).encode()).hexdigest()


statistics = {"compiled": 0, "found": 0}


def find(name):
    """The bytes of a package, or None where it is not there."""
    place = folder()
    try:
        with open(os.path.join(place, name + ".kiln"), "rb") as file:
            made = file.read()
    except (OSError, TypeError):
        return None
    statistics["found"] += 1
    return made


def write(path, contents):
    """Writes a file that others may read at any time."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=os.path.dirname(path))
    with os.fdopen(handle, "wb") as file:
        file.write(contents)
    os.replace(beside, path)


def name_of(function, target, options=()):
    """What the package of a function is called."""
    return key(function.text(locations=False), target, options)


def package(function, target, options=()):
    """The bytes of a package of a function; compiles it where it is not there."""
    name = name_of(function, target, options)
    if os.environ.get("KILN_SAVE_TEXT"):  # a folder, for whoever wants to see it
        os.makedirs(os.environ["KILN_SAVE_TEXT"], exist_ok=True)
        with open(os.path.join(os.environ["KILN_SAVE_TEXT"], name[:16] + ".mlir"), "w", encoding="utf-8") as file:
            file.write(function.text())
    made = find(name)
    if made is not None:
        return made
    statistics["compiled"] += 1
    with tempfile.TemporaryDirectory(prefix="kiln-") as work:
        source, output = os.path.join(work, "graph.mlir"), os.path.join(work, "graph.kiln")
        with open(source, "w", encoding="utf-8") as file:
            file.write(function.text())
        try:
            compiler.compile(source, target, output, "--strip", *options)
        except RuntimeError as error:
            raise CompileError(str(error)) from None
        with open(output, "rb") as file:
            made = file.read()
    if folder():
        write(os.path.join(folder(), name + ".kiln"), made)
    return made
