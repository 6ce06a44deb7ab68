# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the planes of boxes, and the boxes of tiles in panels, with all of their elements. The registers are numbers here.
Usage: scratchpad.py FOLDER, which has kiln_scratchpad.py"""
import itertools
import random
import sys

sys.path.insert(0, sys.argv[1])
from kiln_scratchpad import ScratchpadWriter
from kiln_transfers import Box, Panels
from kiln_wire import Op, Type, Value

SCALARS = {"addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b, "minsi": min, "maxsi": max,
           "andi": lambda a, b: a & b, "divsi": lambda a, b: a // b, "select": lambda c, a, b: a if c else b}


class Evaluated(ScratchpadWriter):
    def __init__(self, sizes):
        self.sizes = sizes

    def number(self, value):
        return value

    def scalar(self, name, operands, predicate=0, op=None):
        name = name.split(".")[1]
        if name == "cmpi":
            return int(operands[0] < operands[1] if predicate == 2 else operands[0] <= operands[1])
        return SCALARS[name](*operands)

    def size(self, view, dim):
        return self.sizes[dim]

    def address(self, value, offset=0):
        return offset


def elements(counts):
    return itertools.product(*map(range, counts))


def moved(box, sizes):
    """What a transfer that clips moves: (coordinates, address)."""
    for at in elements(box.counts):
        coords = tuple(offset + step for offset, step in zip(box.offsets, at))
        if all(0 <= coord < size for coord, size in zip(coords, sizes)):
            yield coords, box.address + sum(stride * step for stride, step in zip(box.strides, at))


def of_planes(planes):
    for plane in planes:
        for row, column in elements([plane.rows, plane.columns]):
            coords = list(plane.offsets)
            for dim, step in ((plane.row_dim, row), (plane.column_dim, column)):
                if dim is not None:
                    coords[dim] += step
            yield tuple(coords), plane.address + row * plane.row_stride + column * plane.column_stride


rng = random.Random(1)
for case in range(500):
    rank = rng.randrange(0, 5)
    counts = [rng.choice([1, 1, 2, 3, 5]) for _ in range(rank)]
    sizes = [rng.randrange(0, 7) for _ in range(rank)]
    strides = [4 * rng.randrange(1, 50) for _ in range(rank)]
    box = Box(True, Value(Type("!tile.view<?xf32>"), None, 0), [rng.randrange(-4, 7) for _ in range(rank)], counts, strides, 1000, 0)
    writer = Evaluated(sizes)
    found, wanted = sorted(of_planes(writer.planes(box))), sorted(moved(box, sizes))
    assert found == wanted, (counts, sizes, box.offsets, found, wanted)
    most = rng.choice([1, 2, 3])
    narrow = writer.planes(box, row_bytes=4 * most + 3)
    assert sorted(of_planes(narrow)) == wanted and all(plane.columns <= most for plane in narrow), (counts, sizes, box.offsets, most)
    whole = 1
    for count in counts:
        whole *= count
    assert bool(writer.is_inside(box)) == (len(wanted) == whole), (counts, sizes, box.offsets)

LAYOUTS = [(0, (32, 48), 16, 8), (0, (32, 48), 8, 48), (0, (16, 16), 16, 1), (1, (24, 32), 16, 1), (1, (24, 32), 8, 4)]
for dim, (rows, columns), width, group in LAYOUTS:
    tile = Value(Type(f"tensor<{rows}x{columns}xbf16>"), None, 0)
    whole = Box(True, Value(Type("!tile.view<?x?x?xbf16>"), None, 0), [3, 5, 7], [1, rows, columns], [0, 2 * columns, 2], None, 0)
    writer, panels = Evaluated([100, 100, 100]), Panels(dim, width, group)
    found = sorted(pair for box in writer.panel_boxes(whole, tile, panels) for pair in moved(box, writer.sizes))
    wanted = []
    for at in elements([rows, columns]):
        panel, step = at[dim], at[1 - dim]
        steps = columns if dim == 0 else rows
        address = (panel // width * steps + step // group * group) * width + panel % width * group + step % group
        wanted.append(((3, 5 + at[0], 7 + at[1]), 2 * address))
    assert found == sorted(wanted), (dim, width, group, found[:5], sorted(wanted)[:5])
print("500 boxes, 5 layouts: 0 differ")


class Placed(Evaluated):
    """One instance of a grid."""

    def __init__(self, ids, extents):
        self.registers, self.ids, self.extents = {}, ids, extents

    def tile_program_id(self, op):
        self.registers.update(zip(op.results, self.ids))

    def tile_num_programs(self, op):
        self.registers.update(zip(op.results, self.extents))

    def result(self, name, operands=(), **attributes):
        op = Op(name)
        op.operands = [Value(Type("index"), None, 0) for _ in operands]
        self.registers.update(zip(op.operands, operands))
        op.results, op.attributes = [Value(Type("index"), op, index) for index in range(3)], attributes
        getattr(self, name.replace(".", "_"))(op)
        return tuple(self.registers.get(result) for result in op.results)


# The definition of tile.grid_coordinates: every number is another place of the grid, in bands along an axis.
for extents in itertools.product((1, 3, 5), (1, 4), (1, 2)):
    for bands in [{}, *({"group": group, "along": along} for group in (1, 2, 8) for along in (0, 1))]:
        places = set()
        for z, y, x in elements(extents[::-1]):
            one = Placed((x, y, z), extents)
            number, *_ = one.result("tile.instance_id")
            assert number == x + extents[0] * (y + extents[1] * z)
            assert one.result("tile.num_instances")[0] == extents[0] * extents[1] * extents[2]
            place = one.result("tile.grid_coordinates", (number, *extents), **bands)
            if bands:
                along, other, n = extents[bands["along"]], extents[1 - bands["along"]], number % (extents[0] * extents[1])
                group = min(bands["group"], along)
                band, rest = divmod(n, group * other)
                size = min(along - band * group, group)
                assert (place[bands["along"]], place[1 - bands["along"]]) == (band * group + rest % size, rest // size)
            else:
                assert place == (x, y, z)
            places.add(place)
        assert places == {at[::-1] for at in elements(extents[::-1])}
print("84 orders of a grid")
