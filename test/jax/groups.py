# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which devices exchange with each other, where an exchange names axes of the mesh, as in JAX 0.11: against places in an array of the
devices with one dimension for each part of an axis."""
import itertools

from kiln.partition import _groups


def whole(name):
    return f'#stablehlo.axis_ref<name = "{name}">'


def part(name, before, size):
    return f'#stablehlo.axis_ref<name = "{name}", sub_axis_info = ({before}){size}>'


def expected(sizes, inside):
    """Devices of a mesh of `sizes`, row-major, in groups that differ along the dimensions `inside`, the last one fastest."""
    def number(place):
        result = 0
        for size, at in zip(sizes, place):
            result = result * size + at
        return result
    outside = [d for d in range(len(sizes)) if d not in inside]
    groups = []
    for fixed in itertools.product(*(range(sizes[d]) for d in outside)):
        group = []
        for moved in itertools.product(*(range(sizes[d]) for d in inside)):
            at = dict(zip(outside + inside, fixed + moved))
            group.append(number([at[d] for d in range(len(sizes))]))
        groups.append(group)
    return groups


XY = {"x": 2, "y": 4}
CASES = {
    "a whole axis": ([whole("x")], XY, [[0, 4], [1, 5], [2, 6], [3, 7]]),
    "the last axis": ([whole("y")], XY, [[0, 1, 2, 3], [4, 5, 6, 7]]),
    "two axes": ([whole("x"), whole("y")], XY, [[0, 1, 2, 3, 4, 5, 6, 7]]),
    "two axes in the other order": ([whole("y"), whole("x")], XY, [[0, 4, 1, 5, 2, 6, 3, 7]]),
    "the outer part of an axis": ([part("y", 1, 2)], XY, [[0, 2], [1, 3], [4, 6], [5, 7]]),
    "the inner part of an axis": ([part("y", 2, 2)], XY, [[0, 1], [2, 3], [4, 5], [6, 7]]),
    "two parts in the other order": ([part("y", 2, 2), part("y", 1, 2)], XY, [[0, 2, 1, 3], [4, 6, 5, 7]]),
    "a part and an axis": ([part("y", 2, 2), whole("x")], XY, [[0, 4, 1, 5], [2, 6, 3, 7]]),
    "the middle of an axis": ([part("x", 2, 3)], {"x": 12}, expected([2, 3, 2], [1])),
    "of three axes the first and the last": ([whole("z"), whole("x")], {"x": 2, "y": 3, "z": 5}, expected([2, 3, 5], [2, 0])),
    "no axis": ([], XY, [[0], [1], [2], [3], [4], [5], [6], [7]]),
}

for name, (axes, mesh, want) in CASES.items():
    got = _groups(f"#stablehlo.replica_group_mesh_axes<mesh_name = @mesh, axes = [{', '.join(axes)}]>", mesh)
    assert got.tolist() == want, (name, got.tolist(), want)
    assert got.dtype == "int64" and got.flags.c_contiguous, name
print(f"{len(CASES)} groups are right")
