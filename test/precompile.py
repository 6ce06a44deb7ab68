# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Precompiled headers that the tests of one build tree share: each is made by the first test that needs it."""
import fcntl
import os
import subprocess


def text_of(path):
    """The text of a file, or nothing where there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def is_fresh(output, command):
    """Whether the file was made by this command, and from the headers as they are."""
    if text_of(output + ".command") != command:
        return False
    try:
        made = os.stat(output).st_mtime_ns
        read = text_of(output + ".d").replace("\\\n", " ").split()[1:]
        return bool(read) and all(os.stat(path).st_mtime_ns <= made for path in read)
    except OSError:
        return False


def precompiled(folder, compiler, flags, headers):
    """The precompiled header of `headers` in a folder of its own, made if need be; None where it cannot be made."""
    os.makedirs(folder, exist_ok=True)
    output = os.path.join(folder, "plug-in.pch")
    header = os.path.join(folder, "plug-in.h")
    command = [compiler, *flags, "-x", "c++-header", "-fpch-instantiate-templates", "-MD", "-MF", output + ".d", header]
    key = f"{os.stat(compiler).st_mtime_ns} {' '.join(command)} {' '.join(headers)}"
    with open(os.path.join(folder, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_fresh(output, key):
            return output
        with open(header, "w", encoding="utf-8") as file:
            file.writelines(f'#include "{name}"\n' for name in headers)
        if subprocess.run([*command, "-o", output + ".new"], check=False).returncode:
            return None
        os.replace(output + ".new", output)
        with open(output + ".command", "w", encoding="utf-8") as file:
            file.write(key)
    return output


def linker_flags(llvm):
    """LLVM's linker, where it is there: it reads LLVM's libraries many times as fast as that of binutils."""
    return ["-fuse-ld=lld"] if os.path.exists(os.path.join(llvm, "bin", "ld.lld")) else []
