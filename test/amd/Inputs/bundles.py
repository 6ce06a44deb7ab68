# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles of code objects."""
import struct
import zlib


def bundle(entries):
    """Clang's bundle of code objects (LLVM's documentation, "Clang Offload Bundler")."""
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries))
    offset = len(head) + sum(24 + len(name) for name, _ in entries)
    body = b""
    for name, code in entries:
        head += struct.pack("<QQQ", offset + len(body), len(code), len(name)) + name
        body += code
    return head + body


def compress(whole, version):
    """A compressed bundle, as `--offload-compress` makes it, by zlib. The hash is not read."""
    packed = zlib.compress(whole)
    sizes = {1: struct.pack("<I", len(whole)), 2: struct.pack("<II", len(packed) + 24, len(whole)),
             3: struct.pack("<QQ", len(packed) + 32, len(whole))}[version]
    return b"CCOB" + struct.pack("<HH", version, 0) + sizes + bytes(8) + packed
