# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where outputs go: links, pipes and files of others, modes, hard links, full disks. Cases that need root, or mounts,
are skipped where there are none of these."""
import os
import stat
import subprocess
import sys

program, folder = sys.argv[1:]
os.chdir(folder)
ROOT = os.geteuid() == 0
OTHER = 65534
subprocess.run(["kiln-compile", program, "--target=cpu", "-o", "good.kiln"], check=True)
GOOD = open("good.kiln", "rb").read()
TOOLS = {
    "kiln-compile": lambda out: ["kiln-compile", program, "--target=cpu", "-o", out],
    "kiln-opt": lambda out: ["kiln-opt", program, "-o", out],
    "kiln-run": lambda out: ["kiln-run", "good.kiln", f"--result=0:{out}"],
    "explain": lambda out: ["kiln-compile", program, "--target=cpu", "-o", "other.kiln", f"--explain={out}"],
}


def run(tool, out, expect=0, **more):
    done = subprocess.run(TOOLS[tool](out), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **more)
    assert done.returncode == expect, (tool, out, done.returncode, done.stderr)
    if expect:
        assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def names(path="."):
    return sorted(os.listdir(path))


def mounted(where, *options):
    os.makedirs(where, exist_ok=True)
    return ROOT and subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(options), "none", where],
                                   stderr=subprocess.DEVNULL, check=False).returncode == 0


for tool in TOOLS:
    # The umask, the mode of what was there, another name of the same file.
    run(tool, "new", umask=0o027)
    assert mode("new") == 0o640, oct(mode("new"))
    os.chmod("new", 0o600)
    with open("new", "wb") as file:
        file.write(b"old")
    os.link("new", "alias")
    run(tool, "new")
    assert mode("new") == 0o600 and contents("new") != b"old" and contents("alias") == b"old"
    os.unlink("new")
    os.unlink("alias")
    # A link whose end is missing, and one in a folder of one's own that others may write to.
    os.makedirs("sticky", exist_ok=True)
    os.chmod("sticky", 0o1777)
    os.symlink("missing", "sticky/own")
    run(tool, "sticky/own")
    assert os.path.islink("sticky/own") and os.path.getsize("sticky/missing")
    os.unlink("sticky/own")
    os.unlink("sticky/missing")
    assert "it is a folder" in run(tool, "sticky", expect=1)
    if ROOT:
        # What another user has put there: a link, a link to a link, a pipe.
        with open("victim", "wb") as file:
            file.write(b"precious")
        os.symlink("../victim", "sticky/out")
        os.lchown("sticky/out", OTHER, OTHER)
        os.symlink("sticky/out", "mine")
        for out in ("sticky/out", "mine"):
            assert "found a link of another user" in run(tool, out, expect=1)
            assert contents("victim") == b"precious"
        os.unlink("mine")
        os.unlink("sticky/out")
        os.mkfifo("sticky/out")
        os.chown("sticky/out", OTHER, OTHER)
        assert "found a pipe of another user" in run(tool, "sticky/out", expect=1)
        os.unlink("sticky/out")
        # A file: it is replaced, and who may write to the new one is not for its owner to say.
        with open("sticky/out", "wb") as file:
            file.write(b"bait")
        os.chown("sticky/out", OTHER, OTHER)
        os.chmod("sticky/out", 0o666)
        run(tool, "sticky/out", umask=0o022)
        assert os.stat("sticky/out").st_uid == 0 and mode("sticky/out") == 0o644
        os.unlink("sticky/out")
    assert names("sticky") == [], names("sticky")

if mounted("full", "size=4k"):
    try:
        for tool in ("kiln-compile", "kiln-opt"):
            with open("full/out", "wb") as file:
                file.write(b"old")
            large = [word if word != program else "../large.mlir" for word in TOOLS[tool]("out")]
            with open("large.mlir", "w", encoding="ascii") as file:
                file.write("// " + "x" * 100 + "\n" + "".join(
                    f"func.func @f{i}(%x: tensor<{i + 2}xf32>) -> tensor<{i + 2}xf32> {{ return %x : tensor<{i + 2}xf32> }}\n" for i in range(200)))
            done = subprocess.run(large, cwd="full", stderr=subprocess.PIPE, text=True, check=False)
            assert done.returncode == 1 and "No space left on device" in done.stderr, done
            assert names("full") == ["out"] and contents("full/out") == b"old", names("full")
    finally:
        subprocess.run(["umount", "full"], check=True)
# Linking needs no room for temporary files; what it does leave is nothing.
if mounted("full", "size=4k"):
    try:
        with open("full/filler", "wb") as file:
            file.write(b"x" * 4096)
        run("kiln-compile", "elsewhere.kiln", env=dict(os.environ, TMPDIR=os.path.abspath("full")))
        assert contents("elsewhere.kiln") == GOOD and names("full") == ["filler"], names("full")
    finally:
        subprocess.run(["umount", "full"], check=True)

# The linker's reasons are shown.
with open("linker", "w", encoding="ascii") as file:
    file.write("#!/bin/sh\necho 'linker: no licence for this machine' >&2\nexit 3\n")
os.chmod("linker", 0o755)
os.makedirs("temporary", exist_ok=True)
said = subprocess.run(TOOLS["kiln-compile"]("x.kiln"), stderr=subprocess.PIPE, text=True, check=False,
                      env=dict(os.environ, KILN_LINKER=os.path.abspath("linker"), TMPDIR=os.path.abspath("temporary")))
assert said.returncode == 1 and "failed: status 3: linker: no licence for this machine" in said.stderr, said.stderr
assert names("temporary") == [] and not os.path.exists("x.kiln")
print("all written as they should be")
