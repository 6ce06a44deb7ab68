# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses of kernels as transfers between views and a scratchpad: as boxes, as planes of two dimensions that are inside of the view,
and into the panels that a matrix unit reads. Needs kiln_grid.py, kiln_wire.py and kiln_isolated.py beside it; later releases of Kiln
bring newer copies."""
from kiln_grid import Grid
from kiln_isolated import Decline, Label
from kiln_wire import Op, Type, Value, padding_bits

BYTES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}

COMBINES = ["", *"add max min umax umin and or xor inc dec mul".split()]  # of the attribute `combine` of a store


class Panels:
    """The layout `#kiln.interleave<group>` of an operand of a matrix instruction: panels of `width` rows (of the left one) or columns
    (of the right one); in a panel, groups of `group` steps, one after the other; in a group, element by element."""

    def __init__(self, panel_dim, width, group):
        self.dim, self.width, self.group = panel_dim, width, group


class Box:
    """What a transfer moves between a view and the scratchpad, by dimensions of the view: registers of the first coordinates,
    counts, and bytes between neighbours in the scratchpad (0 for a dimension that the tile lacks). `combine` of a store is one of
    `combines`, by which each element is combined with what is there, or empty."""
    combine = ""

    def __init__(self, is_in, view, offsets, counts, strides, address, padding):
        self.is_in, self.view, self.offsets, self.counts, self.strides = is_in, view, offsets, counts, strides
        self.address, self.padding = address, padding  # a register; bits of what is read outside of the view

    @property
    def element(self):
        return self.view.type.element


class Plane:
    """Rows and columns of a box that are inside of the view, for a machine whose transfers have two dimensions and check no bounds.
    row_dim, column_dim: of the view, None where it has none; rows, columns, address: registers."""

    def __init__(self, box, offsets, row_dim, column_dim, rows, columns, address):
        self.box, self.offsets, self.row_dim, self.column_dim = box, offsets, row_dim, column_dim
        self.rows, self.columns, self.address = rows, columns, address
        self.row_stride = box.strides[row_dim] if row_dim is not None else 0
        self.column_stride = box.strides[column_dim] if column_dim is not None else 0


class Transfers(Grid):
    """What ScratchpadWriter of kiln_scratchpad.py knows of transfers. It uses that class's methods of the machine."""
    combines = ()  # of "add", "max" and so on: how `begin` combines a store with what is there, as one operation for each element

    def boxes(self, op):
        """What a load or a store moves: one box, or for a tile in panels one for each group of steps of each panel."""
        is_in, combine = op.name == "tile.load", ""
        if is_in:
            (view,), coords, _ = op.segments()
            tile = op.results[0]
            padding = self.padding_of(op)
        else:
            (tile, view, *coords), padding = op.operands, 0
            combine = self.combine_of(op)
        if "step" in op.attributes and any(step != 1 for step in op.attributes["step"].values):
            raise Decline(op, "its 'step' leaves out elements")
        shape = [1] * (len(coords) - len(tile.type.shape)) + tile.type.shape
        offsets = self.use(coords)
        if not op.get("element_offsets"):
            offsets = [self.scalar("arith.muli", [offset, self.number(size)]) if size != 1 else offset
                       for offset, size in zip(offsets, shape)]
        storage = self.storages[tile]
        strides = [0] * (len(coords) - len(tile.type.shape)) + self.distances(tile.type.shape, tile)
        if not storage.layout:
            box = Box(is_in, view, offsets, shape, strides, self.address(tile), padding)
            box.combine = combine
            return [box]
        return self.panel_boxes(Box(is_in, view, offsets, shape, strides, None, padding), tile, storage.layout)

    def combine_of(self, op):
        """How a store combines with what is there, as one of `combines`; empty where it does not."""
        combine = COMBINES[int(op.get("combine"))]
        if combine and combine not in self.combines:
            raise Decline(op, f"it combines with what is there, by '{combine}'")
        return combine

    def padding_of(self, op):
        """The bits of what a load reads outside of its view."""
        padding = padding_bits(op)
        if padding is None:
            raise Decline(op, "it pads with a number that is no constant")
        return padding

    def tile_load_gather(self, op):
        (view,), offsets, (indices,), _ = op.segments()
        self.transfer_by_index(op, view, offsets, indices, op.results[0], self.padding_of(op), "")

    def tile_store_scatter(self, op):
        tile, view, *offsets, indices = op.operands
        self.transfer_by_index(op, view, offsets, indices, tile, 0, self.combine_of(op))

    def transfer_by_index(self, op, view, offsets, indices, tile, padding, combine):
        """One transfer for each element of a tile of indices, in a loop of the program: a row, where the first dimension is indexed."""
        dim, rank, strides = int(op.get("dim")), len(indices.type.shape), self.distances(tile.type.shape, tile)
        offsets, read = self.use(offsets), Op("tensor.extract")
        read.number, read.location, read.parent = op.number, op.location, op.parent
        read.results = [Value(Type(indices.type.element), read, 0)]
        index, address, first = self.new(), self.new(), self.new()
        self.move(address, self.address(tile))
        self.move(first, self.address(indices))
        end = self.scalar("arith.addi", [first, self.number(indices.type.count * BYTES[indices.type.element])])
        head, out = Label(), Label()
        self.place(head)
        self.jump(out, unless=self.compare("slt", first, end))
        self.move(index, self.read_element(read, first))
        counts = [*tile.type.shape[:dim], 1, *tile.type.shape[dim + rank:]]
        box = Box(op.name == "tile.load_gather", view, [*offsets[:dim], index, *offsets[dim:]], counts,
                  [*strides[:dim], 0, *strides[dim + rank:]], address, padding)
        box.combine = combine
        self.wait(self.begin(box))
        step = strides[dim + rank - 1] if rank else 0
        self.move(address, self.scalar("arith.addi", [address, self.number(step)]))
        self.move(first, self.scalar("arith.addi", [first, self.number(BYTES[indices.type.element])]))
        self.jump(head)
        self.place(out)

    def panel_boxes(self, whole, tile, panels):
        size, leading = BYTES[tile.type.element], len(whole.counts) - 2
        dim, steps = leading + panels.dim, leading + 1 - panels.dim
        boxes = []
        for panel in range(0, whole.counts[dim], panels.width):
            # Groups of one step follow each other at one distance.
            many = whole.counts[steps] if panels.group == 1 else panels.group
            for step in range(0, whole.counts[steps], many):
                counts, offsets, strides = list(whole.counts), list(whole.offsets), list(whole.strides)
                counts[dim], counts[steps] = panels.width, many
                strides[dim], strides[steps] = panels.group * size, size if panels.group > 1 else panels.width * size
                for at, first in ((dim, panel), (steps, step)):
                    if first:
                        offsets[at] = self.scalar("arith.addi", [offsets[at], self.number(first)])
                place = (panel * whole.counts[steps] + step * panels.width) * size
                boxes.append(Box(whole.is_in, whole.view, offsets, counts, strides, self.address(tile, place), whole.padding))
        return boxes

    def planes(self, box, row_bytes=None):
        """A box as planes along its last two dimensions of more than one element, one for each step of the others. What is outside of
        the view is in none: where `is_inside` is false, write the padding first. A machine whose rows have at most `row_bytes` gets
        several planes, side by side."""
        rank = len(box.counts)
        long = [dim for dim in range(rank) if box.counts[dim] > 1][-2:]
        rest = [dim for dim in reversed(range(rank)) if dim not in long]
        while len(long) < min(2, rank):
            long.insert(0, rest.pop(0))
        row_dim, column_dim = (None, *sorted(long))[-2:] if long else (None, None)
        zero, offsets, address = self.number(0), list(box.offsets), box.address
        counts = {None: self.number(1)}
        for dim in long:
            end = self.scalar("arith.minsi", [self.scalar("arith.addi", [box.offsets[dim], self.number(box.counts[dim])]),
                                              self.size(box.view, dim)])
            first = self.scalar("arith.maxsi", [box.offsets[dim], zero])
            counts[dim] = self.scalar("arith.maxsi", [self.scalar("arith.subi", [end, first]), zero])
            skipped = self.scalar("arith.subi", [first, box.offsets[dim]])
            address = self.scalar("arith.addi", [address, self.scalar("arith.muli", [skipped, self.number(box.strides[dim])])])
            offsets[dim] = first
        planes, others = [], [dim for dim in range(rank) if dim not in long]
        for at in _steps([box.counts[dim] for dim in others]):
            own, place, columns = list(offsets), 0, counts[column_dim]
            for dim, step in zip(others, at):
                own[dim] = self.scalar("arith.addi", [box.offsets[dim], self.number(step)]) if step else box.offsets[dim]
                inside = self.scalar("arith.andi", [self.compare("sle", zero, own[dim]),
                                                    self.compare("slt", own[dim], self.size(box.view, dim))])
                columns = self.scalar("arith.select", [inside, columns, zero])
                place += step * box.strides[dim]
            moved = self.scalar("arith.addi", [address, self.number(place)]) if place else address
            planes.append(Plane(box, own, row_dim, column_dim, counts[row_dim], columns, moved))
        return planes if row_bytes is None else [part for plane in planes for part in self.parts(plane, row_bytes)]

    def parts(self, plane, row_bytes):
        """A plane as planes whose rows have at most so many bytes of the view."""
        most, column_dim = row_bytes // BYTES[plane.box.element], plane.column_dim
        if most < 1:
            raise ValueError(f"expected rows of at least one {plane.box.element}, found {row_bytes} bytes")
        count = 1 if column_dim is None else plane.box.counts[column_dim]
        if count <= most:
            return [plane]
        parts = []
        for first in range(0, count, most):
            offsets, rest, address = list(plane.offsets), plane.columns, plane.address
            if first:
                offsets[column_dim] = self.scalar("arith.addi", [offsets[column_dim], self.number(first)])
                rest = self.scalar("arith.subi", [rest, self.number(first)])
                address = self.scalar("arith.addi", [address, self.number(first * plane.column_stride)])
            columns = self.scalar("arith.maxsi", [self.scalar("arith.minsi", [rest, self.number(most)]), self.number(0)])
            parts.append(Plane(plane.box, offsets, plane.row_dim, column_dim, plane.rows, columns, address))
        return parts

    def pad(self, box):
        """Writes the padding to the place of a box, at run time where `is_inside` is false. Elements of the tile have to follow each other."""
        size, step = BYTES[box.element], BYTES[box.element]
        for stride, count in sorted((stride, count) for stride, count in zip(box.strides, box.counts) if count > 1):
            if stride != step:
                raise Decline(self.kernel, "a transfer with gaps that may leave its view")
            step *= count
        padded, inside = Label(), Label()
        self.jump(padded, unless=self.is_inside(box))
        self.jump(inside)
        self.place(padded)
        self.fill(box.address, step // size, box.padding, box.element)
        self.place(inside)

    def is_inside(self, box):
        """A register with whether all elements of a box are inside of its view."""
        inside = None
        for dim, (offset, count) in enumerate(zip(box.offsets, box.counts)):
            end = self.scalar("arith.addi", [offset, self.number(count)])
            for test in (self.compare("sle", self.number(0), offset), self.compare("sle", end, self.size(box.view, dim))):
                inside = test if inside is None else self.scalar("arith.andi", [inside, test])
        return self.number(1) if inside is None else inside


def _steps(counts):
    """All coordinates within a box."""
    if not counts:
        yield ()
        return
    for first in range(counts[0]):
        for rest in _steps(counts[1:]):
            yield (first, *rest)
