# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache behind kiln.torch, which needs no PyTorch: whatever happens to its folder, packages are made."""
import os
import stat
import subprocess
import sys
import time
import types
import warnings

import kiln
from kiln import files, keep

# The folder without its __init__, which needs PyTorch.
package = types.ModuleType("kiln.torch")
package.__path__ = [os.path.join(os.path.dirname(kiln.__file__), "torch")]
sys.modules["kiln.torch"] = package

from kiln.torch import cache  # noqa: E402

root = sys.argv[1]
ROOT = os.geteuid() == 0
done = []


class Function:
    def __init__(self, number=0):
        self.number = number

    def text(self, locations=True):
        return f"func.func @f{self.number}" + "(%x: tensor<4xf32>) -> tensor<4xf32> " \
            "{ %y = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32> return %y : tensor<4xf32> }"


def case(name):
    def run(function):
        folder = os.path.join(root, name)
        os.environ["KILN_CACHE_DIR"] = folder
        keep._said.clear()
        cache.statistics.update(compiled=0, found=0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function(folder, lambda: [str(one.message) for one in caught])
        for name_ in ("KILN_CACHE_SIZE", "KILN_TRUST_WRITABLE_FOLDERS"):
            os.environ.pop(name_, None)
        done.append(name)
    return run


def made(number=0):
    package = cache.package(Function(number), "cpu")
    kiln.Package(package)
    return package


def entries(folder):
    return sorted(one for one in os.listdir(folder) if one.endswith(".kiln"))


def count(compiled, found):
    assert cache.statistics == {"compiled": compiled, "found": found}, cache.statistics


@case("kept")
def _(folder, said):
    first = made()
    assert made() == first and not said()
    count(1, 1)
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert [stat.S_IMODE(os.stat(os.path.join(folder, one)).st_mode) for one in os.listdir(folder)] == [0o600]


@case("damaged")
def _(folder, said):
    first = made()
    path = os.path.join(folder, entries(folder)[0])
    for damage in (b"", first[:-1], first[:100] + bytes([first[100] ^ 1]) + first[101:], b"no package"):
        with open(path, "wb") as file:
            file.write(damage)
        again = made()  # the source's temporary name is in it
        assert len(said()) == 1 and "damaged" in said()[0], said()
        with open(path, "rb") as file:
            assert file.read() == again
    count(5, 0)


@case("a file")
def _(folder, said):
    with open(folder, "w", encoding="ascii"):
        pass
    made(), made()
    count(2, 0)
    assert len(said()) == 1 and "not kept" in said()[0], said()


@case("read-only")
def _(folder, said):
    if ROOT:
        os.mkdir(folder)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", folder], stderr=subprocess.DEVNULL, check=False).returncode:
            return
    else:
        os.mkdir(folder, 0o500)
    try:
        made(), made()
        count(2, 0)
        assert len(said()) == 1 and "not kept" in said()[0], said()
    finally:
        if ROOT:
            subprocess.run(["umount", folder], check=True)


@case("full")
def _(folder, said):
    os.mkdir(folder)
    options = "size=4k,mode=700"
    if not ROOT or subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], stderr=subprocess.DEVNULL, check=False).returncode:
        return
    try:
        with open(os.path.join(folder, "filler"), "wb") as file:
            file.write(b"x" * 4096)
        made(), made()
        count(2, 0)
        assert len(said()) == 1 and "No space left" in said()[0], said()
        assert os.listdir(folder) == ["filler"]
    finally:
        subprocess.run(["umount", folder], check=True)


@case("writable by others")
def _(folder, said):
    os.mkdir(folder)
    for mode in (0o777, 0o1777):
        os.chmod(folder, mode)
        made()
        assert os.listdir(folder) == []
    assert len(said()) == 1 and "may be written by other users" in said()[0], said()
    os.environ["KILN_TRUST_WRITABLE_FOLDERS"] = "1"
    made(), made()
    count(3, 1)


@case("of another user")
def _(folder, said):
    if not ROOT:
        return
    os.mkdir(folder)
    os.chown(folder, 65534, 65534)
    made()
    assert len(said()) == 1 and "belongs to another user (65534)" in said()[0], said()
    os.chown(folder, 0, 0)
    made()
    path = os.path.join(folder, entries(folder)[0])
    os.chown(path, 65534, 65534)
    made()
    count(3, 0)
    assert len(said()) == 2 and "is not used" in said()[1], said()
    assert os.stat(path).st_uid == 0  # replaced


@case("entries that are none")
def _(folder, said):
    made()
    path = os.path.join(folder, entries(folder)[0])
    os.unlink(path)
    os.mkfifo(path)
    made()  # does not wait for a writer
    os.unlink(path)
    victim = os.path.join(root, "victim")
    with open(victim, "w", encoding="ascii") as file:
        file.write("precious")
    os.symlink(victim, path)
    made()
    with open(victim, encoding="ascii") as file:
        assert file.read() == "precious"
    assert not os.path.islink(path)
    count(3, 0)


@case("too large")
def _(folder, said):
    os.environ["KILN_CACHE_SIZE"] = "0"
    size = len(made(0))
    os.environ["KILN_CACHE_SIZE"] = str(3 * size + size // 2)
    stale = os.path.join(folder, ".kiln-stale")
    with open(stale, "w", encoding="ascii"):
        pass
    os.utime(stale, (time.time() - 7200,) * 2)
    for number in (1, 2):
        made(number)
    for number, age in ((0, 50), (1, 60), (2, 40)):
        os.utime(os.path.join(folder, cache.name_of(Function(number), "cpu") + ".kiln"), (time.time() - age,) * 2)
    made(1)  # is used: 0 is the oldest now
    made(3)
    assert entries(folder) == sorted(cache.name_of(Function(number), "cpu") + ".kiln" for number in (1, 2, 3)), entries(folder)
    assert not os.path.exists(stale) and not said(), said()
    os.environ["KILN_CACHE_SIZE"] = "much"
    made(4)
    assert len(said()) == 1 and "KILN_CACHE_SIZE=much" in said()[0], said()


@case("warnings as errors")
def _(folder, said):
    os.mkdir(folder)
    os.chmod(folder, 0o777)
    warnings.simplefilter("error")
    made()


@case("off")
def _(folder, said):
    os.environ["KILN_CACHE_DIR"] = ""
    made(), made()
    count(2, 0)


@case("outputs")
def _(folder, said):
    os.mkdir(folder)
    path = os.path.join(folder, "out")
    before = os.umask(0o027)
    with files.replacing(path) as file:
        file.write(b"one")
    os.umask(before)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640, oct(os.stat(path).st_mode)
    os.chmod(path, 0o640)
    os.symlink("out", os.path.join(folder, "link"))
    with files.replacing(os.path.join(folder, "link")) as file:
        file.write(b"two")
    with open(path, "rb") as file:
        assert file.read() == b"two" and stat.S_IMODE(os.stat(path).st_mode) == 0o640
    try:
        with files.replacing(path) as file:
            file.write(b"three")
            raise KeyError
    except KeyError:
        pass
    with open(path, "rb") as file:
        assert file.read() == b"two" and sorted(os.listdir(folder)) == ["link", "out"]
    with files.replacing("/dev/null") as file:
        file.write(b"gone")
    with files.replacing("/dev/stdout") as file:
        file.write(b"written to the standard output\n")
    if ROOT:
        os.chmod(folder, 0o1777)
        os.lchown(os.path.join(folder, "link"), 65534, 65534)
        try:
            with files.replacing(os.path.join(folder, "link")) as file:
                file.write(b"four")
            raise AssertionError("the link was followed")
        except PermissionError as error:
            assert "another user" in str(error)


@case("targets")
def _(folder, said):
    from kiln import compiler
    assert any(path.endswith("libkiln-target-cpu.so") for path in compiler.files()), compiler.files()
    plugins = os.path.join(root, "plug-ins")
    os.makedirs(plugins)
    os.environ["KILN_PLUGIN_PATH"] = plugins
    names = [cache.name_of(Function(), "cpu")]
    for contents in ("{}", "{ }"):
        with open(os.path.join(plugins, "own.json"), "w", encoding="utf-8") as file:
            file.write(contents)
        names.append(cache.name_of(Function(), "cpu"))
    del os.environ["KILN_PLUGIN_PATH"]
    assert len(set(names)) == 3, names


print(len(done), "cases")
