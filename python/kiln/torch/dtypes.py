# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: torch's and Kiln's."""
import torch

from .text import Unsupported

NAMES = {
    torch.bool: "i1", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64", torch.uint8: "u8",
    torch.uint16: "u16", torch.uint32: "u32", torch.uint64: "u64", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.float32: "f32", torch.float64: "f64",
}
#: Floats of 8 bits, as far as this version of PyTorch has them.
for _torch, _name in {"float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "float8_e4m3fnuz": "f8E4M3FNUZ",
                      "float8_e5m2fnuz": "f8E5M2FNUZ", "float8_e8m0fnu": "f8E8M0FNU"}.items():
    if hasattr(torch, _torch):
        NAMES[getattr(torch, _torch)] = _name
TYPES = {name: dtype for dtype, name in NAMES.items()}


def name_of(dtype):
    if dtype not in NAMES:
        raise Unsupported(f"the element type {dtype}")
    return NAMES[dtype]
