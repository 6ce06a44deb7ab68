# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A host with threads whose compilations one server forks: prints how many helper programs were started by then.

    server.py LIBRARY LOG      LOG has a line for each start (see server.test)"""
import ctypes
import os
import signal
import sys
import threading
import time

LIBRARY, LOG = sys.argv[1:]
PROGRAM = b"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = prim.exp %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
Handler = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)
kiln = ctypes.CDLL(LIBRARY)
packages = set()  # of all that has been compiled


def compiled(text=PROGRAM):
    """(status, diagnostics)"""
    said = []
    handler = Handler(lambda line, user: said.append(line.decode()))
    arguments = (ctypes.c_char_p * 1)(b"--target=cpu")
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    status = kiln.kilnCompileBuffer(text, ctypes.c_size_t(len(text)), b"input", ctypes.c_size_t(1), arguments, handler, None,
                                    ctypes.byref(data), ctypes.byref(size))
    assert (status == 0) == (size.value > 0), (status, size.value, said)
    packages.add(ctypes.string_at(data, size.value) if data else b"")
    kiln.kilnFreeBytes(data)
    return status, said


def started():
    with open(LOG) as file:
        return file.read().split()


def several(function, count=4):
    made = []
    threads = [threading.Thread(target=lambda: made.append(function())) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return made


def servers():
    """Processes that were started as servers and live."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file, open(f"/proc/{name}/environ", "rb") as more:
                if file.read().split(b"\0")[1:2] == [b"serve"] and os.fsencode("SERVER_LOG=" + LOG) in more.read():
                    found.append(int(name))
        except (OSError, PermissionError):
            pass
    return found


def children():
    """The processes that the servers have forked."""
    found = set()
    for server in servers():
        try:
            with open(f"/proc/{server}/task/{server}/children") as file:
                found.update(map(int, file.read().split()))
        except OSError:
            pass
    return found


def within_a_minute(holds):
    """What `holds` says once it is true."""
    for _ in range(600):
        value = holds()
        if value:
            return value
        time.sleep(0.1)
    return None


def waiting():
    """The process that waits for the next compilation: the only child, for a while; one that ends is none."""
    found = children()
    time.sleep(0.3)
    return found if len(found) == 1 and children() == found else None


def taken(ahead):
    """Compiles; whether the process that was forked ahead has done it, and ended."""
    assert compiled()[0] == 0
    time.sleep(0.1)
    return ahead not in children()


open(LOG, "w").close()
idle = threading.Thread(target=time.sleep, args=(60,), daemon=True)
idle.start()  # a host of one thread forks
assert all(status == 0 for status, _ in several(compiled))
assert compiled()[0] == 0
print("at first:", *started())
status, said = compiled(b"func.func @main( {")
assert status == 1 and said and "input:1:" in said[0], said
print("after an error:", *started())
try:
    os.wait()
    print("the host has a child")
except ChildProcessError:
    print("the host has no child")
os.environ["KILN_OF_THIS_TEST"] = "1"
assert compiled()[0] == 0
print("in another environment:", *started())
first = within_a_minute(waiting).pop()
print("a process forked ahead compiles:", within_a_minute(lambda: taken(first)))
packages.discard(b"")
print("different packages of one program:", len(packages))
second = within_a_minute(waiting).pop()
os.kill(second, signal.SIGKILL)
assert within_a_minute(lambda: second not in children())
assert compiled()[0] == 0
print("when that one was killed:", *started())
for pid in servers():
    os.kill(pid, signal.SIGKILL)
assert compiled()[0] == 0
print("when it was killed:", *started())
