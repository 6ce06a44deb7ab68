# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler, where the wheel kiln-compiler is installed."""
import glob
import hashlib
import os
import re
import subprocess

from .progress import run
from .tools import start


HERE = os.path.dirname(os.path.abspath(__file__))


def program(name):
    """The path of a tool: in the wheel beside this file, in the build tree two folders up."""
    for folder in (os.path.join(HERE, "bin"), os.path.join(HERE, "..", "..", "bin")):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            return os.path.abspath(path)
    raise RuntimeError(f"{name} is not installed beside {HERE}")


def _all_in(folder):
    """The files of a folder of plug-ins, and those beside the programs of isolated targets, to which links in it lead."""
    found = glob.glob(os.path.join(glob.escape(folder), "*")) if folder else []
    places = {os.path.dirname(os.path.realpath(path)) for path in found if os.path.islink(path)}
    places.update(path for path in found if os.path.isdir(path))
    return sorted(found) + [path for place in sorted(places) for path in sorted(glob.glob(os.path.join(glob.escape(place), "*")))]


def files():
    """What decides about the code that is made: the compiler, its library, its targets, and what else lies in the folders of
    KILN_PLUGIN_PATH, such as descriptions of isolated targets."""
    tool = program("kiln-compile")
    library = os.path.join(os.path.dirname(tool), "..", "lib")
    found = [tool]
    for folder in (library, os.path.join(library, "kiln")):
        if os.path.isdir(folder):
            found += [os.path.join(folder, one) for one in sorted(os.listdir(folder)) if ".so" in one]
    for folder in [os.path.join(library, "kiln", "targets"), *os.environ.get("KILN_PLUGIN_PATH", "").split(os.pathsep)]:
        found += _all_in(folder)
    return [path for path in dict.fromkeys(found) if os.path.isfile(path)]


def mark():
    """A text that changes with the compiler: its version, and size and time of its files."""
    import kiln

    marks = [kiln.__version__]
    for path in files():
        about = os.stat(path)
        marks.append(f"{os.path.basename(path)}:{about.st_size}:{about.st_mtime_ns}")
    return " ".join(marks)


#: Keys of target specifications that name files.
_FILE_KEYS = ("schedule_file", "tiling_cache", "description")


def contents_of(target, *options):
    """What the files hold that a target specification or flags of kiln-compile name, as a digest: code depends on it."""
    digest = hashlib.sha256()
    named = [part for part in re.split("[,+]", str(target)) if part.partition("=")[0] in _FILE_KEYS]
    for part in [*named, *options]:
        path = part.partition("=")[2]
        if os.path.isfile(path):
            with open(path, "rb") as file:
                held = file.read()
            digest.update(f"{part}\0{len(held)}\0".encode() + held)
    return digest.hexdigest()


def compile(source, target, output, *options):  # as kiln-compile has it
    """Compiles a file: kiln-compile SOURCE --target=TARGET -o OUTPUT OPTIONS. Raises RuntimeError
    with what the compiler printed. What takes more than two seconds shows a progress bar, on a terminal and with tqdm."""
    status, said = run([program("kiln-compile"), os.fspath(source), f"--target={target}", "-o", os.fspath(output), *options])
    if status:
        raise RuntimeError(said.strip())


def why_not(target):
    """What the compiler says against a target, or None if it knows it."""
    done = subprocess.run([program("kiln-compile"), f"--describe={target}"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    return done.stderr.strip() if done.returncode else None


def kiln_compile():
    start("kiln-compile")


def kiln_opt():
    start("kiln-opt")


def kiln_reduce():
    start("kiln-reduce")
