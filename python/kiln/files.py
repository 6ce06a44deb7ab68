# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are written whole or not at all, and whom a folder belongs to: the rules of the runtime's writeFile and
checkTrusted, which docs/tools.md has."""
import contextlib
import errno
import os
import stat
import tempfile

#: As many links in a row as Linux follows.
MOST_LINKS = 40


def _is_shared(folder):
    """Whether everybody may create files in a folder, and remove their own only."""
    return bool(folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH)


def _behind_links(path):
    """(path behind the links of the last part, its lstat or None). A link or a pipe of another user in a folder that
    everybody may write is refused: it may be there to lead the output elsewhere."""
    for _ in range(MOST_LINKS):
        try:
            entry = os.lstat(path)
        except FileNotFoundError:
            return path, None
        if not (stat.S_ISLNK(entry.st_mode) or stat.S_ISFIFO(entry.st_mode)):
            return path, entry
        folder = os.stat(os.path.dirname(path) or ".")
        if _is_shared(folder) and entry.st_uid not in (os.geteuid(), folder.st_uid):
            raise PermissionError(errno.EACCES, "belongs to another user, in a folder that everybody may write", path)
        if stat.S_ISFIFO(entry.st_mode):
            return path, entry
        target = os.readlink(path)
        if target.startswith(("/proc/", "/dev/fd/")):
            return target, os.stat(path)
        path = os.path.join(os.path.dirname(path), target)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


@contextlib.contextmanager
def replacing(path, private=False):
    """A binary file that takes the place of `path` when the block has ended without an exception. A file that exists
    keeps its mode, a new one has what the umask leaves. Links are followed, devices and pipes written to directly.
    `private`: what is there is replaced, whatever it is, by a file of mode 0600 whose bytes are on the disk before."""
    place, entry = (os.fspath(path), None) if private else _behind_links(os.fspath(path))
    if entry is not None and not stat.S_ISREG(entry.st_mode) or place.startswith(("/proc/", "/dev/fd/")):
        with open(place, "wb") as file:
            yield file
        return
    folder = os.path.dirname(place) or "."
    handle, beside = tempfile.mkstemp(prefix=".kiln-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            if entry is not None and (entry.st_uid == os.geteuid() or not _is_shared(os.stat(folder))):
                os.fchmod(handle, stat.S_IMODE(entry.st_mode) & 0o777)
            elif not private:
                os.fchmod(handle, 0o666 & ~_umask())
            yield file
            file.flush()
            if private:
                os.fsync(handle)
        os.replace(beside, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def _umask():
    """The umask, which can only be read by setting it, but for this file of Linux."""
    with contextlib.suppress(OSError, ValueError), open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("Umask:"):
                return int(line.split()[1], 8)
    return 0o077


def _is_private_group(group):
    """Whether it is the group that is made with the user and has no other members."""
    import grp
    import pwd
    try:
        user, about = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and about.gr_name == user.pw_name and set(about.gr_mem) <= {user.pw_name}


def who_else_writes(about, on_the_way=False):
    """Why users other than the caller and root may write to what `about` (of os.stat) describes, or None."""
    if about.st_uid not in (os.geteuid(), 0):
        return f"belongs to another user ({about.st_uid})"
    if on_the_way and about.st_mode & stat.S_ISVTX:
        return None
    group = about.st_mode & stat.S_IWGRP and about.st_gid != 0 and not _is_private_group(about.st_gid)
    return f"may be written by other users (mode {stat.S_IMODE(about.st_mode):04o})" if group or about.st_mode & stat.S_IWOTH else None


def untrusted(path):
    """Why others could have put what is at `path`, or None: also where KILN_TRUST_WRITABLE_FOLDERS is 1, and where
    nothing is."""
    if os.environ.get("KILN_TRUST_WRITABLE_FOLDERS") == "1":
        return None
    whole = os.path.realpath(path)
    part = whole
    while True:
        try:
            why = who_else_writes(os.lstat(part), on_the_way=part != whole)
        except OSError:
            why = None
        if why:
            return f"{part} {why}; KILN_TRUST_WRITABLE_FOLDERS=1 trusts it"
        if part == os.path.dirname(part):
            return None
        part = os.path.dirname(part)
