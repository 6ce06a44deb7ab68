# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of rows as one writes them in Triton: a program for each row, which stays in registers."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row + at, mask=at < columns, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(y + row + at, powers / tl.sum(powers, 0), mask=at < columns)


@triton.jit
def norm_kernel(x, w, b, y, columns, IS_RMS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row + at, mask=inside, other=0.0).to(tl.float32)
    if not IS_RMS:
        values = tl.where(inside, values - tl.sum(values, 0) / columns, 0.0)
    result = values * tl.rsqrt(tl.sum(values * values, 0) / columns + 1e-5)
    result *= tl.load(w + at, mask=inside, other=0.0).to(tl.float32)
    if not IS_RMS:
        result += tl.load(b + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + row + at, result, mask=inside)


def warps_for(block):
    return 4 if block <= 2048 else 8 if block <= 8192 else 16


def softmax_rows(x):
    y = torch.empty_like(x)
    block = triton.next_power_of_2(x.shape[1])
    softmax_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=block, num_warps=warps_for(block))
    return y


def norm_rows(op, x, weight, bias=None):
    y = torch.empty_like(x)
    block = triton.next_power_of_2(x.shape[1])
    norm_kernel[(x.shape[0],)](x, weight, bias if bias is not None else weight, y, x.shape[1],
                               IS_RMS=op == "rms_norm", BLOCK=block, num_warps=warps_for(block))
    return y
