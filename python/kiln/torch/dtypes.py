# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: torch's and Kiln's."""
import torch

from .text import Unsupported

NAMES = {
    torch.bool: "i1", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64", torch.uint8: "u8",
    torch.uint16: "u16", torch.uint32: "u32", torch.uint64: "u64", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.float32: "f32", torch.float64: "f64",
}
TYPES = {name: dtype for dtype, name in NAMES.items()}


def name_of(dtype):
    if dtype not in NAMES:
        raise Unsupported(f"the element type {dtype}")
    return NAMES[dtype]
