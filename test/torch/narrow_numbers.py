# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats of 16 bits with numbers, and with tensors of other types: the bits of eager mode on CPUs, which rounds most of these to 16 bits first, and
takes some as they are."""
import torch
import torch.nn.functional as F

from behaviours import fast, main, test


def numbers(dtype):
    """With a number that is next to the one in 16 bits."""
    x = (torch.randn(256) * 2).to(dtype)
    x[0], x[1], x[2] = 1.7, -1.7, 0
    return x, (torch.rand(256) + 1).to(dtype)


def check(function, *arguments, dynamic=None):
    got, want = fast(function, fullgraph=True, dynamic=dynamic)(*arguments), function(*arguments)
    for place, (one, other) in enumerate(zip(got, want, strict=True)):
        assert one.dtype == other.dtype and torch.equal(one.nan_to_num(7), other.nan_to_num(7)), (place, one[one != other], other[one != other])


def sums(x, y, number):
    return (x + number, x - number, number - x, torch.add(x, y, alpha=3.3), torch.sub(x, y, alpha=-0.3), torch.rsub(x, number, alpha=0.7),
            (x - number).clamp_min(0))


def products(x, y, number):
    return (x * number, number * x, x / number, number / y, torch.div(x * 10, number, rounding_mode="floor"),
            torch.div(x * 10, number, rounding_mode="trunc"), torch.addcmul(x, x, y, value=number))


def rests(x, y, number):
    return torch.fmod(x, number), torch.remainder(x, number), torch.remainder(-x, number), torch.fmod(x, y)


def functions(x, y, number):
    return (y ** number, number ** x, torch.atan2(x, torch.as_tensor(number)), torch.hypot(x, torch.as_tensor(number)), x > number, x == number,
            F.hardshrink(x, number), x.clamp(-number, number))


@test
def numbers_of_python():
    for dtype in (torch.bfloat16, torch.float16):
        for function in (sums, products, rests, functions):
            torch._dynamo.reset()
            check(lambda x, y, function=function: function(x, y, 1.7), *numbers(dtype))


@test
def tensors_of_rank_0():
    def function(x, y, number):
        return (x + number, number - x, x * number, number * x, x / number, number / y, torch.fmod(x, number), torch.remainder(x, number),
                y ** number, number ** x, torch.div(x * 10, number, rounding_mode="floor"))
    for dtype in (torch.bfloat16, torch.float16):
        for number in (torch.tensor(1.7), torch.tensor(1.7, dtype=torch.float64), torch.tensor(259)):
            torch._dynamo.reset()
            check(function, *numbers(dtype), number)


@test
def integers_and_open_numbers():
    def function(x, y, whole, number):
        return (x + whole, x * whole, y / whole, whole / y, x - whole, torch.remainder(x, whole), x + number, x * number, x / number,
                x + number * 0.37, y ** number, y ** y.shape[0])
    for dtype in (torch.bfloat16, torch.float16):
        torch._dynamo.reset()
        for number in (259, 771):
            check(function, *numbers(dtype), torch.randint(257, 3000, (256,)), number, dynamic=True)


@test
def numbers_rounded_twice():
    """Eager mode goes by way of f32 from wider types, also where half of the last place of 16 bits is left by that."""
    def function(x, wide, one):
        return x + one, one - x, wide.to(x.dtype), x * wide, torch.where(x > 0, x, wide.to(x.dtype))
    for dtype, bits in ((torch.bfloat16, 8), (torch.float16, 11)):
        for kind, top in ((torch.int64, 40), (torch.int32, 30), (torch.uint32, 31), (torch.uint64, 40), (torch.float64, 0)):
            top = 15 if dtype == torch.float16 and top else top  # what f16 holds
            wide = torch.tensor([sign * (2.0 ** top + 2.0 ** (top - bits) + 2.0 ** (top - low)) for sign in (1, -1) for low in (25, 30, 40)],
                                dtype=torch.float64)
            if kind in (torch.uint32, torch.uint64):
                wide = wide.abs()
            torch._dynamo.reset()
            x = torch.tensor([1, 2, -3, 0.5, 7, 1.5], dtype=dtype)
            check(function, x, wide.to(kind), torch.tensor(wide[2].item()).to(kind) if kind.is_floating_point else wide.to(kind)[2])


@test
def gradients_where_a_sum_is_zero():
    def function(x, y):
        return F.margin_ranking_loss(x, y, torch.ones_like(x), margin=1.7)
    made = []
    for run in (function, fast(function, fullgraph=True)):
        x = torch.full((2,), 1.703125, dtype=torch.bfloat16, requires_grad=True)
        run(x, torch.zeros_like(x)).backward()
        made.append(x.grad)
    assert torch.equal(*made) and made[0].any(), made


if __name__ == "__main__":
    main()
