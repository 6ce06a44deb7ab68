# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder that keeps what was made, by name. It never fails those who use it: what cannot be read, written or trusted
is as if it were not there, and is said once."""
import contextlib
import os
import re
import stat
import time
import warnings

from . import files

DEFAULT_BYTES = 4 << 30
#: Files that were begun that long ago are of processes that have ended.
STALE_SECONDS = 3600
_NAME = re.compile(r"[0-9a-f]{64}\.[a-z]+")
_said = set()


def say(about, text):
    """A warning, once in a process about one thing; never an exception, whatever filters are set."""
    if about in _said:
        return
    _said.add(about)
    with contextlib.suppress(Warning):
        warnings.warn(text, RuntimeWarning, stacklevel=3)


def limit():
    """How many bytes are kept: $KILN_CACHE_SIZE, as 500M or 4G; 0: any number."""
    text = os.environ.get("KILN_CACHE_SIZE", "")
    found = re.fullmatch(r"(\d+)([KMGT]?)", text)
    if found:
        return int(found[1]) << 10 * " KMGT".index(found[2] or " ")
    if text:
        say("KILN_CACHE_SIZE", f"KILN_CACHE_SIZE={text}: expected a number of bytes, as 500M or 4G, found something else: {DEFAULT_BYTES >> 30}G is taken")
    return DEFAULT_BYTES


class Folder:
    """Names are 64 hexadecimal digits and a suffix. Folders that are made have mode 0700, files 0600; other users must
    not be able to write to any of them (kiln.files.untrusted)."""

    def __init__(self, path):
        self.path = path

    def _is_trusted(self):
        why = files.untrusted(self.path)
        if why:
            say((self.path, "folder"), f"packages are not kept: {why}")
        return not why

    def get(self, name):
        """The bytes of a file, or None."""
        if not _NAME.fullmatch(name) or not self._is_trusted():
            return None
        path = os.path.join(self.path, name)
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        with os.fdopen(handle, "rb") as file:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode):
                return None
            why = None if os.environ.get("KILN_TRUST_WRITABLE_FOLDERS") == "1" else files.who_else_writes(about)
            if why:
                say((self.path, "file"), f"{path} is not used: it {why}")
                return None
            try:
                made = file.read()
            except OSError:
                return None
            with contextlib.suppress(OSError):  # what was used last is removed last
                os.utime(handle)
            return made

    def put(self, name, contents):
        """Keeps bytes; other processes see all of them or none."""
        try:
            os.makedirs(self.path, mode=0o700, exist_ok=True)
            if not self._is_trusted():
                return
            with files.replacing(os.path.join(self.path, name), private=True) as file:
                file.write(contents)
            self._make_room(name)
        except OSError as error:
            say((self.path, "folder"), f"packages are not kept: {self.path}: {error.strerror or error}")

    def drop(self, name, why):
        """Removes what turned out to be damaged."""
        say((self.path, "damage"), f"{os.path.join(self.path, name)} is damaged and is made again: {why}")
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self.path, name))

    def _make_room(self, newest):
        """Removes what was not used for longest until a tenth is free, and what processes have left behind."""
        entries, total, most = [], 0, limit()
        with os.scandir(self.path) as found:
            for entry in found:
                with contextlib.suppress(OSError):
                    about = entry.stat(follow_symlinks=False)
                    if not stat.S_ISREG(about.st_mode):
                        continue
                    if entry.name.startswith(".kiln-") and about.st_mtime < time.time() - STALE_SECONDS:
                        os.unlink(entry.path)
                    elif _NAME.fullmatch(entry.name):
                        total += about.st_size
                        entries.append((entry.name == newest, about.st_mtime_ns, about.st_size, entry.path))
        if not most or total <= most:
            return
        for _, _, size, path in sorted(entries):
            if total <= most * 9 // 10:
                break
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= size
