# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs under limits: how long they computed, how much memory they took, and what they said."""
import ctypes
import glob
import os
import re
import resource
import select
import signal
import subprocess
import tempfile
import threading

PLACE = re.compile(rb":(\d+:\d+| byte \d+| (node|graph|input|initializer|opset_import)\b.*): error: |^error: ", re.MULTILINE)
#: What the compiler says of a crash that its child, or the child that tries a bytecode file, has had. Other malformed files are refused
#: before they are read.
CAUGHT = re.compile(rb"cannot process this input|malformed bytecode: reading it ends with")


def limit_work(limit):
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))


def compile_limited(command, limit=5):
    """What subprocess.run gives, the peak of memory in MiB, and the seconds of a processor; `limit` seconds end the program."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=lambda: limit_work(limit))
    hanging = threading.Timer(600, child.kill)  # asleep: no work, and no end
    hanging.start()
    said = child.stderr.read()
    hanging.cancel()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = used.ru_utime + used.ru_stime
    return subprocess.CompletedProcess(command, child.returncode, b"", said), used.ru_maxrss >> 10, seconds


class Compiler:
    """kiln-compile in children of this process, which has loaded the compiler: starting the program costs more than most inputs do."""

    def __init__(self, build, limit=5):
        self.limit = limit
        self.program = os.path.join(build, "bin", "kiln-compile").encode()
        library = ctypes.CDLL(os.path.join(build, "lib", "libKiln.so"), mode=ctypes.RTLD_GLOBAL)
        self.targets = [ctypes.CDLL(path) for path in glob.glob(os.path.join(build, "lib", "kiln", "targets", "libkiln-target-*.so"))]
        self.main = library._ZN4kiln6driver11compileMainEiPPc
        self.said = tempfile.TemporaryFile()

    def run(self, *args):
        """What compile_limited gives."""
        words = [self.program] + [os.fsencode(arg) for arg in args]
        self.said.seek(0)
        self.said.truncate()
        child = os.fork()
        if child == 0:
            limit_work(self.limit)
            os.dup2(self.said.fileno(), 2)
            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            os._exit(self.main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None)) & 255)
        ended = os.pidfd_open(child)
        if not select.select([ended], [], [], 600)[0]:  # asleep: no work, and no end
            os.kill(child, signal.SIGKILL)
        os.close(ended)
        _, status, used = os.wait4(child, 0)
        self.said.seek(0)
        run = subprocess.CompletedProcess(words, os.waitstatus_to_exitcode(status), b"", self.said.read())
        return run, used.ru_maxrss >> 10, used.ru_utime + used.ru_stime
