# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers and places of instances, by arithmetic on numbers. Needs kiln_wire.py beside it; later releases of Kiln bring newer copies."""
from kiln_wire import Op, Type, Value


class Grid:
    """What both writers know of the grid. The methods `number`, `scalar`, `use`, `tile_program_id` and `tile_num_programs` are those of the
    class that derives from it."""

    def tile_instance_id(self, op):
        """The number of the instance: the coordinate along axis 0 of the grid runs fastest."""
        ids, counts = self.grid(op, "program_id"), self.grid(op, "num_programs")
        row = self.number_of("addi", ids[1], self.number_of("muli", counts[1], ids[2]))
        self.registers[op.results[0]] = self.number_of("addi", ids[0], self.number_of("muli", counts[0], row))

    def tile_num_instances(self, op):
        x, y, z = self.grid(op, "num_programs")
        self.registers[op.results[0]] = self.number_of("muli", self.number_of("muli", x, y), z)

    def tile_grid_coordinates(self, op):
        """The place of an instance of a number, in bands that keep what neighbours read in a cache."""
        number, *grid = self.use(op.operands)
        if "group" not in op.attributes:
            rows, x = self.divided(number, grid[0])
            z, y = self.divided(rows, grid[1])
            places = [x, y, z]
        else:
            along, places = int(op.get("along")), [None, None, None]
            places[2], place = self.divided(number, self.number_of("muli", grid[0], grid[1]))
            group = self.number_of("minsi", grid[along], self.number(int(op.get("group"))))
            band, rest = self.divided(place, self.number_of("muli", group, grid[1 - along]))
            first = self.number_of("muli", band, group)
            size = self.number_of("minsi", self.number_of("subi", grid[along], first), group)
            places[1 - along], inner = self.divided(rest, size)
            places[along] = self.number_of("addi", first, inner)
        self.registers.update(zip(op.results, places))

    def grid(self, op, name):
        """Registers with the coordinates (`program_id`) or the extents (`num_programs`) along the three axes."""
        made = Op(f"tile.{name}")
        made.number, made.location, made.parent = op.number, op.location, op.parent
        made.results = [Value(Type("index"), made, axis) for axis in range(3)]
        getattr(self, f"tile_{name}")(made)
        return self.use(made.results)

    def number_of(self, name, a, b):
        return self.scalar(f"arith.{name}", [a, b])

    def divided(self, a, b):
        """The quotient and the remainder of numbers that are not negative."""
        quotient = self.number_of("divsi", a, b)
        return quotient, self.number_of("subi", a, self.number_of("muli", quotient, b))
