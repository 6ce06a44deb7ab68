# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that PyTorch 2's export quantisation has rewritten (`quantized_decomposed`): integers and their scales, as the library's own
functions round them."""
import torch

from . import composes_of

LIBRARY = "quantized_decomposed"


def _f32(x):
    return x.to(torch.float32) if x.dtype in (torch.float16, torch.bfloat16) else x


def _number(x):
    """A scale or a zero point in a tensor, as eager reads it out."""
    if not isinstance(x, torch.Tensor):
        return x
    return x.reshape(()).to(torch.float64 if x.is_floating_point() else torch.int64)


def _bounded(x, low, high, dtype):
    if isinstance(low, torch.Tensor):
        low, high = _number(low), _number(high)
        return torch.minimum(torch.maximum(x, low), high).to(dtype)
    return x.clamp(low, high).to(dtype)


def _along(x, values, axis):
    """Values of rank 1 beside a dimension of x."""
    return values.reshape([-1 if dim == axis else 1 for dim in range(x.dim())])


@composes_of(LIBRARY, "quantize_per_tensor", "quantize_per_tensor.tensor", "quantize_per_tensor.tensor2")
def quantize_per_tensor(x, scale, zero, low, high, dtype):
    return _bounded(torch.round(_f32(x) * (1.0 / _number(scale))) + _number(zero), low, high, dtype)


@composes_of(LIBRARY, "dequantize_per_tensor", "dequantize_per_tensor.tensor", "dequantize_per_tensor.tensor2")
def dequantize_per_tensor(x, scale, zero, low, high, dtype, *, out_dtype=None):
    return (x.to(out_dtype or torch.float32) - _number(zero)) * _number(scale)


@composes_of(LIBRARY, "quantize_per_channel")
def quantize_per_channel(x, scales, zeros, axis, low, high, dtype):
    x = _f32(x)
    return _bounded(torch.round(x * (1.0 / _along(x, scales, axis))) + _along(x, zeros, axis), low, high, dtype)


@composes_of(LIBRARY, "dequantize_per_channel")
def dequantize_per_channel(x, scales, zeros, axis, low, high, dtype, *, out_dtype=None):
    made = x if zeros is None else x - _along(x, zeros, axis)
    return (made * _along(x, scales, axis)).to(out_dtype or torch.float32)


def _range(x):
    """The smallest and the largest element, and 0."""
    return x.amin().clamp(max=0), x.amax().clamp(min=0)


@composes_of(LIBRARY, "choose_qparams.tensor")
def choose_qparams(x, low, high, least, dtype):
    smallest, largest = _range(x)
    scale = ((largest - smallest) / float(high - low)).to(torch.float32).clamp(min=least)
    zero = (low - torch.round(smallest / scale).to(torch.int32)).clamp(low, high)
    return scale.reshape(1).to(torch.float64), zero.reshape(1).to(torch.int64)


@composes_of(LIBRARY, "choose_qparams_symmetric.tensor")
def choose_qparams_symmetric(x, low, high, least, dtype):
    smallest, largest = _range(x)
    scale = (torch.maximum(-smallest, largest) / (float(high - low) / 2)).to(torch.float32).clamp(min=least)
    return scale.reshape(1).to(torch.float64), torch.full([1], 128 if dtype == torch.uint8 else 0, dtype=torch.int64)


@composes_of(LIBRARY, "quantize_per_token")
def quantize_per_token(x, scales, zeros, low, high, dtype):
    return _bounded(torch.round(x * (1.0 / scales) + zeros), low, high, dtype)


@composes_of(LIBRARY, "dequantize_per_token")
def dequantize_per_token(x, scales, zeros, low, high, dtype, output_dtype=torch.float32):
    return ((x - zeros) * scales).to(output_dtype)


def _grouped(x, scales, group):
    return x.reshape(-1, x.shape[-1] if group > x.shape[-1] and scales.shape[-1] == 1 else group)


@composes_of(LIBRARY, "quantize_per_channel_group")
def quantize_per_channel_group(x, scales, zeros, low, high, dtype, group=128):
    made = _grouped(x, scales, group) * (1.0 / scales.reshape(-1, 1)) + zeros.reshape(-1, 1)
    return _bounded(torch.round(made), low, high, dtype).reshape(x.shape)


@composes_of(LIBRARY, "dequantize_per_channel_group")
def dequantize_per_channel_group(x, scales, zeros, low, high, dtype, group=128, output_dtype=torch.float32):
    made = _grouped(x, scales, group)
    made = made if zeros is None else made - zeros.reshape(-1, 1)
    return (made * scales.reshape(-1, 1)).reshape(x.shape).to(output_dtype)
