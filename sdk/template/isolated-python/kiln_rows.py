# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, broadcasts and transposes of tiles in a scratchpad. Needs kiln_folds.py, kiln_transfers.py, kiln_wire.py and
kiln_isolated.py beside it; later releases of Kiln bring newer copies."""
from kiln_folds import Folds
from kiln_isolated import Decline
from kiln_transfers import BYTES
from kiln_wire import bits_of

RESHAPES = ("tile.reshape", "tile.expand_dims")


class Rows(Folds):
    """What ScratchpadWriter of kiln_scratchpad.py knows of tiles whose elements meet others of the same tile. The methods `reduce` and
    `spread` are the vendor's."""
    reductions = {}  # names of the operations that `reduce` combines elements by, such as "arith.addf"
    scans = {}  # the same of `scan`

    def reduce(self, op, name, result, source, sizes):
        """result[o, i] = source[o, 0, i] combined with source[o, 1, i] and so on, by the operation `name`. `sizes` are the outer, the
        reduced and the inner number of elements, result and source the addresses of tiles without gaps."""
        raise Decline(op, f"no instruction for '{op.name}' by '{name}'")

    def scan(self, op, name, result, source, sizes, reverse):
        """result[o, s, i] = source[o, 0, i] combined with those up to source[o, s, i]; with `reverse` those from source[o, s, i] on.
        The rest is as for `reduce`."""
        raise Decline(op, f"no instruction for '{op.name}' by '{name}'")

    def iota(self, op, result, sizes):
        """result[o, s, i] = s, in a tile of integers without gaps. `sizes` are the outer, the counted and the inner number of elements."""
        raise Decline(op, f"no instruction for '{op.name}'")

    def spread(self, op, result, source, sizes, strides):
        """Writes a result without gaps, of elements of `op.type.element`, from elements of the source that are `strides` bytes apart, 0
        where one is repeated; `sizes` and `strides` are by dimensions of the result. An `op` that is made up for a copy has no operands."""
        raise Decline(op, f"no instruction for '{op.name}'")

    def tile_reduce(self, op):
        sizes = _around(op.operands[0].type.shape, int(op.get("axis")))
        if self.by_fold(op):
            return self.fold(op, sizes)
        name = self.combiner(op, self.reductions)
        if op.get("ordered"):
            raise Decline(op, "it combines elements in their order")
        self.reduce(op, name, self.address(op.results[0]), self.address(op.operands[0]), sizes)

    def tile_scan(self, op):
        sizes, reverse = _around(op.operands[0].type.shape, int(op.get("axis"))), bool(op.get("reverse"))
        if self.by_fold(op):
            return self.fold_scan(op, sizes, reverse)
        self.scan(op, self.combiner(op, self.scans), self.address(op.results[0]), self.address(op.operands[0]), sizes, reverse)

    def by_fold(self, op):
        """Whether a reduction or a scan is for `lanes` and `spread`, as no instruction has its combiner."""
        known = {"tile.reduce": self.reductions, "tile.scan": self.scans}.get(op.name)
        return known is not None and not (self.is_simple(op) and op.body[0].name in known) and self.is_folded(op)

    def can_spread(self):
        return type(self).spread is not Rows.spread

    @staticmethod
    def is_simple(op):
        """Whether elements are combined by one operation."""
        block = op.regions[0][0]
        combine = block.operations[0]
        return (len(op.operands) == 1 and len(block.operations) == 2 and combine.operands in (block.arguments, block.arguments[::-1])
                and block.operations[1].operands == combine.results)

    def combiner(self, op, known):
        """The name of the one operation that a reduction or a scan combines elements by."""
        if not self.is_simple(op):
            lacks = sorted({one.name for one in op.body[:-1] if one.name not in self.elementwise})
            raise Decline(op, "it combines elements by more than one operation" + (f", of which elementwise lacks {', '.join(lacks)}" if lacks else ""))
        combine = op.body[0]
        if combine.name not in known:
            raise Decline(op, f"no instruction for '{op.name}' by '{combine.name}'")
        return combine.name

    def tile_iota(self, op):
        self.iota(op, self.address(op.results[0]), _around(op.type.shape, int(op.get("dim"))))

    def tile_splat(self, op):
        constant = op.operands[0].op
        if constant is not None and constant.name == "arith.constant":
            self.fill(self.address(op.results[0]), op.type.count, bits_of(constant.attributes["value"]), op.type.element)
        else:
            self.splat(op, self.address(op.results[0]), self.registers[op.operands[0]])

    def tile_reshape(self, op):
        if not self.is_in_place(op):
            self.copy(op.operands[0], op.results[0])

    tile_expand_dims = tile_reshape

    def is_in_place(self, op):
        """Whether an operation only gives a tile another shape where it lies, as tiles have no gaps."""
        return op.name in RESHAPES and self.storages[op.operands[0]] is self.storages[op.results[0]]

    def tile_broadcast(self, op):
        source, result = op.operands[0], op.results[0]
        shape = result.type.shape
        own = [1] * (len(shape) - len(source.type.shape)) + source.type.shape
        strides = [0 if size == 1 else stride for size, stride in zip(own, self.distances(own, source))]
        self.spread(op, self.address(result), self.address(source), shape, strides)

    def tile_transpose(self, op):
        source, result = op.operands[0], op.results[0]
        strides = self.distances(source.type.shape, source)
        order = op.get("permutation").values
        self.spread(op, self.address(result), self.address(source), result.type.shape, [strides[dim] for dim in order])

    @staticmethod
    def distances(shape, value):
        """Bytes between neighbours of a tile of a shape."""
        strides, step = [], BYTES[value.type.element]
        for size in reversed(shape):
            strides.insert(0, step)
            step *= size
        return strides


def _around(shape, axis):
    """The numbers of elements outside of an axis, along it and within."""
    return _product(shape[:axis]), shape[axis], _product(shape[axis + 1:])


def _product(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total
