# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages on disk, by what they were made from: the program's text, the compiler, the target.

$KILN_CACHE_DIR says where; "" keeps nothing. `kiln.keep` has what may go wrong with the folder, which never fails a
compilation."""
import hashlib
import os
import tempfile

import kiln
from kiln import compiler, files, keep


class CompileError(RuntimeError):
    """What the compiler said."""


def folder():
    named = os.environ.get("KILN_CACHE_DIR")
    if named is not None:
        return named or None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "kiln")


def key(text, target, options=()):
    marks = [compiler.mark(), str(target), compiler.contents_of(target, *options)]
    return hashlib.sha256("\0".join([*marks, *options, text]).encode()).hexdigest()


statistics = {"compiled": 0, "found": 0}


def find(name):
    """The bytes of a package, or None where it is not there."""
    made = read(name + ".kiln")
    if made is None:
        return None
    try:
        kiln.Package(made)
    except kiln.Error as error:
        keep.Folder(folder()).drop(name + ".kiln", error)
        return None
    statistics["found"] += 1
    return made


def read(name):
    """What is kept under a name, or None."""
    place = folder()
    return keep.Folder(place).get(name) if place else None


def write(name, contents):
    """Keeps something that other processes may read at any time."""
    place = folder()
    if place:
        keep.Folder(place).put(name, contents)


def name_of(function, target, options=()):
    """What the package of a function is called."""
    return key(function.text(locations=False), target, options)


def package(function, target, options=()):
    """The bytes of a package of a function; compiles it where it is not there."""
    name = name_of(function, target, options)
    if os.environ.get("KILN_SAVE_TEXT"):  # a folder, for whoever wants to see it
        os.makedirs(os.environ["KILN_SAVE_TEXT"], exist_ok=True)
        with files.replacing(os.path.join(os.environ["KILN_SAVE_TEXT"], name[:16] + ".mlir")) as file:
            file.write(function.text().encode())
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
    write(name + ".kiln", made)
    return made
