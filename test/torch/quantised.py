# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of 8 and 4 bits in torch's layouts and as torchao has them, and flexible attention, beside eager."""
import sys

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from behaviours import fast, main, same, test


@test
def weights_of_eight_bits():
    x, scales = torch.randn(3, 64), torch.rand(144) * 0.01
    weight = torch.randint(-128, 127, (144, 64), dtype=torch.int8)
    function = torch.ops.aten._weight_int8pack_mm
    same(fast(lambda *a: function(*a), fullgraph=True)(x.bfloat16(), weight, scales.bfloat16()),
         function(x.bfloat16(), weight, scales.bfloat16()), 1e-2)
    rows = torch.randint(-128, 127, (33, 64), dtype=torch.int8)
    assert torch.equal(fast(torch._int_mm, fullgraph=True)(rows, weight.t()), torch._int_mm(rows, weight.t()))


@test
def weights_of_four_bits():
    numbers = torch.randint(0, 16, (144, 64), dtype=torch.int32)  # blocks of rows, and fewer rows behind them
    packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(numbers, 1)
    x, scales = torch.randn(3, 64), torch.randn(2, 144, 2)
    function = lambda *a: torch.ops.aten._weight_int4pack_mm_for_cpu(a[0], a[1], 32, a[2])  # noqa: E731
    same(fast(function, fullgraph=True)(x, packed, scales), function(x, packed, scales), 1e-4)


@test
def operations_of_export_quantisation():
    import torch.ao.quantization.fx._decomposed  # noqa: F401
    of = torch.ops.quantized_decomposed
    x, weight, bytes_ = torch.randn(6, 32), torch.randn(4, 32), (-128, 127, torch.int8)
    scale, zero = torch.tensor([0.031]), torch.tensor([7])

    def tensors(x):
        q, r = of.quantize_per_tensor(x, 0.05, 3, 0, 255, torch.uint8), of.quantize_per_tensor.tensor(x, scale, zero, *bytes_)
        ends = torch.tensor(-128), torch.tensor(127), torch.int8
        chosen = *of.choose_qparams.tensor(x, -128, 127, 1e-6, torch.int8), *of.choose_qparams_symmetric.tensor(x, 0, 255, 1e-6, torch.uint8)
        return (q, r, of.dequantize_per_tensor(q, 0.05, 3, 0, 255, torch.uint8), of.dequantize_per_tensor.tensor(r, scale, zero, *bytes_),
                of.quantize_per_tensor.tensor2(x.bfloat16(), scale, zero, *ends), *chosen)

    def parts(x, weight):
        scales, zeros = weight.abs().amax(1) / 127, torch.arange(4)
        q = of.quantize_per_channel(weight, scales, zeros, 0, *bytes_)
        columns = of.quantize_per_channel(weight, x[0].abs() + 0.01, torch.zeros(32, dtype=torch.int64), 1, *bytes_)
        steps = x.abs().amax(1, keepdim=True) / 7
        tokens = of.quantize_per_token(x, steps, torch.zeros_like(steps), -8, 7, torch.int8)
        groups = of.quantize_per_channel_group(x, steps.expand(6, 2), torch.ones(6, 2), -8, 7, torch.int8, 16)
        return (q, columns, of.dequantize_per_channel(q, scales, zeros, 0, *bytes_), of.dequantize_per_channel(q, scales, None, 0, *bytes_), tokens,
                of.dequantize_per_token(tokens, steps, torch.zeros_like(steps), -8, 7, torch.int8, torch.float32), groups,
                of.dequantize_per_channel_group(groups, steps.expand(6, 2), torch.ones(6, 2), -8, 7, torch.int8, 16, torch.float32))

    for function, given in ((tensors, (x,)), (parts, (x, weight))):
        for got, want in zip(fast(function, fullgraph=True)(*given), function(*given)):
            same(got, want)


@test
def weights_of_torchao():
    try:
        from torchao.quantization import Int8DynamicActivationIntxWeightConfig, IntxWeightOnlyConfig, PerGroup, quantize_
    except ImportError:  # not installed: nothing to compare
        return
    for config in (IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(32)),
                   Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(32))):
        torch._dynamo.reset()
        model = torch.nn.Sequential(torch.nn.Linear(64, 96), torch.nn.SiLU(), torch.nn.Linear(96, 10)).eval().requires_grad_(False)
        quantize_(model, config)
        x = torch.randn(5, 64)
        with torch.no_grad():
            same(fast(model, fullgraph=True)(x), model(x), 1e-4)


@test
def flexible_attention():
    bias = torch.randn(4, 16, 16)
    q, k, v = (torch.randn(2, 4, 16, 8) for _ in range(3))
    mask = create_block_mask(lambda b, h, i, j: (i >= j) & (i - j < 5), None, None, 16, 16, device="cpu", BLOCK_SIZE=8)

    def capped(score, b, h, i, j):
        return torch.tanh(score / 20) * 20 + bias[h, i, j]

    def sloped(score, b, h, i, j):
        return score - (i - j).abs() * torch.exp2(-(h + 1.0))
    cases = {"mask and captured tensor": lambda: flex_attention(q, k, v, score_mod=capped, block_mask=mask, return_lse=True),
             "shared heads": lambda: flex_attention(q, k[:, :2], v[:, :2], score_mod=sloped, enable_gqa=True)}
    for function in cases.values():
        torch._dynamo.reset()
        same(fast(function, fullgraph=True)(), function())


if __name__ == "__main__":
    sys.exit(main())
