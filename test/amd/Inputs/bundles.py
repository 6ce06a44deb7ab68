# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles of code objects."""
import struct


def bundle(entries):
    """Clang's bundle of code objects (LLVM's documentation, "Clang Offload Bundler")."""
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries))
    offset = len(head) + sum(24 + len(name) for name, _ in entries)
    body = b""
    for name, code in entries:
        head += struct.pack("<QQQ", offset + len(body), len(code), len(name)) + name
        body += code
    return head + body
