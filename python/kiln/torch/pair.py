# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex tensors in the program: two tensors each."""

#: Element types of complex numbers and of their parts.
PARTS = {"c64": "f32", "c128": "f64"}


class Pair:
    """A complex tensor in the program."""
    __slots__ = ("re", "im")

    def __init__(self, re, im):
        self.re, self.im = re, im

    dtype = property(lambda self: {"f32": "c64", "f64": "c128"}[self.re.dtype])
    shape = property(lambda self: self.re.shape)
    rank = property(lambda self: self.re.rank)
