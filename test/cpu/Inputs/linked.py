# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads what the test link-object has linked and calls it: linked.py SHARED-OBJECT."""
import ctypes
import math
import sys

ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)
library = ctypes.CDLL(sys.argv[1])
library.kernel.restype = ctypes.c_double
text = ctypes.create_string_buffer(8)
assert ctypes.c_long.in_dll(library, "number").value == 64
counter = ctypes.c_int.in_dll(library, "counter")
assert counter.value == 5
assert library.kernel(text, 0) == math.cos(0.5) + 11 and text.value == b"one", text.value
assert library.kernel(text, 1) == 1.5 + 8 and text.value == b"two", text.value
assert library.kernel(text, 2) == 5.0 and text.raw[:4] == b"thre" and counter.value == 8
assert library.kernel(text, 2) == 10.0 and counter.value == 12
table = (ctypes.c_void_p * 4).in_dll(library, "table")
assert table[0] == ctypes.addressof(counter)
assert ctypes.c_int.from_address(table[1]).value == 0
copy = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)(table[2])
copy(ctypes.addressof(text), ctypes.addressof(ctypes.create_string_buffer(b"copied")), 7)
assert text.value == b"copied"
assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(table[3])(40) == 42
