# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as lists of instructions for a machine with registers of scalars and of tiles: derive from LinearWriter and give it
the tables of the machine. Needs kiln_grid.py, kiln_wire.py and kiln_isolated.py beside it; later releases of Kiln bring newer copies."""
from kiln_grid import Grid
from kiln_isolated import Decline, check_operations, check_view, machine_text, machine_words
from kiln_wire import Dense, Number, padding_bits


class LinearWriter(Grid):
    """Writes one kernel: `code` gets (name, operands) for each instruction. The names that the defaults below use are const, pid,
    programs, dim, mul, param, fill, splat, load and store; an override may write others. A number of a type of `elements` is a tile of
    one element, so the table of vectors is for both."""
    scalars = {}  # {"arith.addi": "add"}: on numbers of type index
    vectors = {}  # {"arith.addf": "vadd"}: on tiles, and on the elements of a claimed operation
    elements = ("f32",)  # of tiles and views
    most = 4096  # elements of a tile

    def __init__(self, kernel):
        self.kernel, self.code, self.registers = kernel, [], {}
        check_operations(type(self), ("scalars", "vectors"))
        for argument in kernel.arguments:
            if argument.type.kind == "scalar":
                self.parameter(argument)
            else:
                check_view(kernel, argument, self.elements)
        self.block(kernel.body)

    def emit(self, name, *operands):
        self.code.append((name, operands))

    def define(self, value=None):
        """The register of a value; a new one without a value."""
        return self.registers.setdefault(object() if value is None else value, len(self.registers))

    def number(self, value):
        """A register with a number that the compiler knows."""
        register = self.define()
        self.emit("const", register, value)
        return register

    def scalar(self, name, operands):
        """A register with the result of an operation of the table of scalars."""
        if name not in self.scalars:
            raise Decline(self.kernel, f"no instruction for '{name}'")
        register = self.define()
        self.emit(self.scalars[name], register, *operands)
        return register

    def use(self, values):
        return [self.registers[value] for value in values]

    def block(self, operations):
        for op in operations:
            for result in op.results:
                if result.type.kind == "tensor" and (result.type.element not in self.elements or result.type.count > self.most):
                    raise Decline(op, f"it makes a {result.type}, which is no tile of at most {self.most} {' or '.join(self.elements)}")
            self.write(op)

    def write(self, op):
        """One operation. Looks it up in the tables, then for a method of its name: tile_load for tile.load."""
        method = getattr(self, op.name.replace(".", "_"), None)
        if op.name in self.vectors and op.type.element in self.elements:
            self.check_counts(op)
            operands = self.use(op.operands)
            self.emit(self.vectors[op.name], self.define(op.results[0]), *operands)
        elif op.name in self.scalars and str(op.type) == "index":
            operands = self.use(op.operands)
            self.emit(self.scalars[op.name], self.define(op.results[0]), *operands)
        elif method:
            method(op)
        else:
            raise Decline(op, f"no instruction for '{op.name}'")

    def check_counts(self, op):
        if any(value.type.count != op.type.count for value in op.operands):
            raise Decline(op, "an operand of tiles that is a number")

    def parameter(self, argument):
        """An argument that is a number: its bits, to a register of a number or of a tile of one element."""
        if argument.type.element not in ("index", *self.elements):
            raise Decline(self.kernel, f"an argument that is a number of type {argument.type}")
        self.emit("param", self.define(argument), argument.index)

    def tile_return(self, op):
        pass

    def tile_splat(self, op):
        self.emit("splat", self.define(op.results[0]), self.registers[op.operands[0]], op.type.count)

    def tensor_extract(self, op):
        """A number of a tile of one element is that tile."""
        tile = op.operands[0]
        if tile.type.count != 1 or op.type.element not in self.elements:
            raise Decline(op, f"it reads one of the elements of a {tile.type}")
        self.registers[op.results[0]] = self.registers[tile]

    def tile_program_id(self, op, name="pid"):
        for result in op.results:
            self.emit(name, self.define(result), result.index)

    def tile_num_programs(self, op):
        self.tile_program_id(op, "programs")

    def tile_dim(self, op):
        self.emit("dim", self.define(op.results[0]), op.operands[0].index, int(op.get("dim")))

    def tile_num_blocks(self, op):
        """A size of a view, divided by `block` and rounded up."""
        size, block = self.define(), int(op.get("block"))
        self.emit("dim", size, op.operands[0].index, int(op.get("dim")))
        more = self.scalar("arith.addi", [size, self.number(block - 1)])
        self.registers[op.results[0]] = self.scalar("arith.divsi", [more, self.number(block)])

    def arith_constant(self, op):
        value = op.get("value")
        if isinstance(value, Number) and str(value.type) == "index":
            self.emit("const", self.define(op.results[0]), value.value)
        elif isinstance(value, Number) and str(value.type) in self.elements:
            self.emit("fill", self.define(op.results[0]), 1, value.bits)
        elif isinstance(value, Dense) and value.splat is not None:
            self.emit("fill", self.define(op.results[0]), op.type.count, value.splat.bits)
        else:
            raise Decline(op, "its numbers differ" if isinstance(value, Dense) else f"a constant number of type {op.type}")

    def tile_load(self, op):
        view, coords, _ = op.segments()
        outside = padding_bits(op)
        if outside is None:
            raise Decline(op, "it pads with a number that is no constant")
        places = self.places(op, op.type, coords)
        self.emit("load", self.define(op.results[0]), view[0].index, outside, len(places) // 3, *places)

    def tile_store(self, op):
        if op.get("combine") != 0:
            raise Decline(op, "it combines with what is there")
        tile, view, *coords = op.operands
        places = self.places(op, tile.type, coords)
        self.emit("store", self.registers[tile], view.index, 0, len(places) // 3, *places)

    def places(self, op, tile, coords):
        """For each dimension of the view: how many elements, the register of the first one's coordinate, and the step."""
        shape = [1] * (len(coords) - len(tile.shape)) + tile.shape
        steps = op.attributes["step"].values if "step" in op.attributes else [1] * len(coords)
        places = []
        for coord, block, step in zip(coords, shape, steps):
            offset = self.registers[coord]
            if not op.get("element_offsets") and block != 1:  # the coordinate counts blocks
                size, offset = self.define(), self.define()
                self.emit("const", size, block)
                self.emit("mul", offset, self.registers[coord], size)
            places += [block, offset, step]
        return places

    def prim_claim(self, op):
        """What the target has claimed: operations of prim, by the same tables and methods (prim_softmax)."""
        for argument, operand in zip(op.regions[0][0].arguments, op.operands):
            self.registers[argument] = self.registers[operand]
        self.block(op.body[:-1])
        for result, value in zip(op.results, op.body[-1].operands):
            self.registers[result] = self.registers[value]

    def words(self, codes):
        return machine_words(self.kernel.symbol, len(self.registers), self.code, codes)

    def text(self):
        return machine_text(self.kernel.symbol, self.code)
