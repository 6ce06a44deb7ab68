# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans of tiles in a scratchpad by elementwise operations, for combiners that no instruction of the machine has. Needs
kiln_transfers.py and kiln_wire.py beside it; later releases of Kiln bring newer copies."""
from kiln_transfers import BYTES
from kiln_wire import Op, Type, Value


ROUNDS = {f"arith.{name}f" for name in "add sub mul div rem".split()}


class Folds:
    """What ScratchpadWriter of kiln_scratchpad.py knows of combiners. Rows of a source are copied one after the other (`spread`), and
    halves of them are combined by `lanes`, so a reduction takes one step for each bit of their number."""

    def is_folded(self, op):
        """Whether a reduction or a scan is computed so: each operation of its combiner is elementwise, and yields go through one. Sums and
        products of narrow floats are not, as they would be rounded in each step."""
        *inner, last = op.regions[0][0].operations
        known = {*op.regions[0][0].arguments, *(one.results[0] for one in inner if len(one.results) == 1)}
        simple = all(one.name in self.elementwise and known.issuperset(one.operands) and one.results[0] in known for one in inner)
        narrow = {one.type.element for one in inner if one.name in ROUNDS or one.name.startswith("math.")} - {"f32", "f64"}
        return simple and not narrow and all(value in known and value.op is not None for value in last.operands) and not op.get("ordered") and self.can_spread()

    def reserve(self, op):
        """Tiles for the rows of each source and for the result of each operation of the combiner."""
        count = op.operands[0].type.count
        for index, source in enumerate(op.operands):
            self.assign_temporary(op, index, Type(f"tensor<{count}x{source.type.element}>"))
        for inner in op.regions[0][0].operations[:-1]:
            self.assign_temporary(op, inner, Type(f"tensor<{count}x{inner.type.element}>"))

    def fold(self, op, sizes):
        outer, length, inner = sizes
        rows = self.gather_rows(op, sizes)
        while length > 1:
            half = length // 2
            self.combine(op, half * outer * inner, rows, self.behind_rows(op, rows, (length - half) * outer * inner), rows)
            length -= half
        for value, row in zip(op.results, rows):
            self.take(value.type.element, self.address(value), row, [outer * inner])

    def fold_scan(self, op, sizes, reverse):
        """In each step every row is combined with the one that lies `step` before it, or behind it."""
        outer, length, inner = sizes
        rows, step = self.gather_rows(op, sizes), 1
        while step < length:
            others = self.behind_rows(op, rows, step * outer * inner)
            prefixes, elements = (others, rows) if reverse else (rows, others)
            self.combine(op, (length - step) * outer * inner, prefixes, elements, elements)
            step *= 2
        for value, row in zip(op.results, rows):
            size = BYTES[value.type.element]
            self.take(value.type.element, self.address(value), row, [outer, length, inner], [inner * size, outer * inner * size, size])

    def gather_rows(self, op, sizes):
        """Addresses of copies of the sources, with the axis as the first dimension."""
        outer, length, inner = sizes
        rows = []
        for index, source in enumerate(op.operands):
            size = BYTES[source.type.element]
            rows.append(self.temporary(op, index))
            self.take(source.type.element, rows[-1], self.address(source), [length, outer, inner], [inner * size, length * inner * size, size])
        return rows

    def behind_rows(self, op, rows, count):
        return [self.scalar("arith.addi", [row, self.number(count * BYTES[source.type.element])]) for row, source in zip(rows, op.operands)]

    def combine(self, op, count, left, right, targets):
        """The combiner on `count` elements at once. The targets may be rows that it reads."""
        block = op.regions[0][0]
        places = dict(zip(block.arguments, left + right))
        for inner in block.operations[:-1]:
            places[inner.results[0]] = self.temporary(op, inner)
            wide = Op(inner.name)
            wide.attributes, wide.number, wide.location, wide.parent = inner.attributes, inner.number, inner.location, inner.parent
            wide.operands = [Value(Type(f"tensor<{count}x{value.type.element}>"), None, index) for index, value in enumerate(inner.operands)]
            wide.results = [Value(Type(f"tensor<{count}x{inner.type.element}>"), wide, 0)]
            self.lanes(wide, places[inner.results[0]], [places[value] for value in inner.operands])
        for value, target in zip(block.operations[-1].operands, targets):
            self.take(value.type.element, target, places[value], [count])

    def take(self, element, result, source, sizes, strides=None):
        """Copies elements, by addresses; without strides they follow each other."""
        copy = Op("tile.transpose")
        copy.parent = self.kernel
        copy.results = [Value(Type(f"tensor<{'x'.join(map(str, sizes))}x{element}>"), copy, 0)]
        self.spread(copy, result, source, sizes, strides or [BYTES[element]])
