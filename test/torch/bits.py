# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of one type seen as another, computed inside of a graph: the same bits, in elements of the same or of another width."""
import torch

from behaviours import fast, main, test

WORDS = torch.tensor([[-2, 0x7F000001, 305419896, 0], [1, -2**31, 0x3F800000, -1]], dtype=torch.int32)
BYTES = torch.arange(16, dtype=torch.uint8).flip(0).reshape(2, 8)


def check(function, *arguments, dynamic=None):
    got, want = fast(function, fullgraph=True, dynamic=dynamic)(*arguments), function(*arguments)
    for one, other in zip(got, want):
        assert one.dtype == other.dtype and torch.equal(one.contiguous().view(torch.uint8), other.contiguous().view(torch.uint8)), (one, other)


@test
def integers_of_fewer_and_of_more_bits():
    def function(x, bytes_):
        x, bytes_ = x ^ 5, bytes_ + 1
        return (x.view(torch.int16), x.view(torch.uint8), x.view(torch.int64), bytes_.view(torch.int16), bytes_.view(torch.uint32),
                bytes_.view(torch.int64), bytes_.view(torch.int8))
    check(function, WORDS, BYTES)


@test
def floats_and_truth_values():
    def function(x, bytes_):
        x, bytes_, truth = x ^ 0x00800000, bytes_ & 0x3F, bytes_ > 3
        return (x.view(torch.float32), x.view(torch.bfloat16), x.view(torch.float64), bytes_.view(torch.float16),
                bytes_.view(torch.float8_e5m2), truth.view(torch.uint8), truth.view(torch.int32), (bytes_ & 1).view(torch.bool))
    check(function, WORDS, BYTES)


@test
def complex_numbers():
    def function(x, z):
        x, z = x * 2, z * 2
        return (z.view(torch.float32), z.view(torch.int32), z.view(torch.uint8), z.view(torch.float64), x.view(torch.complex64),
                z.view(torch.complex128))
    check(function, torch.randn(3, 4), torch.randn(2, 4, dtype=torch.complex64))


@test
def any_size():
    for rows in (3, 5):
        check(lambda x: [(x * 2).view(torch.int16), (x * 2).view(torch.uint8).view(torch.float32)], torch.randn(rows, rows + 1), dynamic=True)


if __name__ == "__main__":
    main()
