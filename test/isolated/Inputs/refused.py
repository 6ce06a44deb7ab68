# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""refused.py LIBRARY INPUT PROGRAM: names a program that cannot be used to a compilation in this process, which starts it ahead,
and then to a question that waits for it."""
import ctypes
import sys

library, source, program = sys.argv[1:]
kiln = ctypes.CDLL(library)
HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)
TEXT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)


def array(*arguments):
    return (ctypes.c_char_p * len(arguments))(*(argument.encode() for argument in arguments))


@HANDLER
def say(message, user):
    print(message.decode(), flush=True)


@TEXT
def take(text, size, user):
    print("an answer", flush=True)


arguments = array("--in-process", f"--load-target={program}", f"--load-target={program}", "--target=cpu")
for _ in range(2):
    package, size = ctypes.c_void_p(), ctypes.c_size_t()
    status = kiln.kilnCompileFile(source.encode(), ctypes.c_size_t(len(arguments)), arguments, say, None, ctypes.byref(package),
                                  ctypes.byref(size))
    print("compiled:", status, flush=True)
arguments = array("wire", f"--load-target={program}")
print("asked:", kiln.kilnConform(ctypes.c_size_t(len(arguments)), arguments, take, None, say, None))
