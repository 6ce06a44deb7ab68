# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for a machine that computes in a scratchpad, which transfers fill: derive from ScratchpadWriter and write what the
machine does. The class places tiles (kiln_places.py), begins the loads of a loop's next iteration before it computes this one, and cuts
products into the blocks of a matrix unit. Needs kiln_described.py, kiln_folds.py, kiln_grid.py, kiln_places.py, kiln_rows.py,
kiln_transfers.py, kiln_wire.py and kiln_isolated.py beside it; later releases of Kiln bring newer copies."""
from itertools import groupby

from kiln_described import check_memories, check_names, check_product, instruction_of, lacks_product
from kiln_isolated import Decline, Label, check_operations, check_view, machine_text, machine_words
from kiln_places import Places
from kiln_rows import Rows
from kiln_transfers import BYTES, Transfers
from kiln_wire import Dense, Number

TF32 = 1  # of the attribute `input_precision`


class ScratchpadWriter(Transfers, Rows, Places):
    """Writes one kernel. The methods below "the machine" are the vendor's, and those that Rows names; registers are numbers."""
    bytes, align = 65536, 64  # of the scratchpad; tiles begin at multiples of `align`
    memories = {}  # of a machine with several scratchpads: address and bytes of each by its name, and its own `align` where it differs
    vector_memories = ()  # names of those that the vector unit reaches, for tiles that more than transfers, `fill` and products use; empty: all
    block = (16, 16, 16)  # rows, columns and steps of the matrix unit
    elements = ("f32",)  # of tiles and views
    reads_tf32 = False  # whether the matrix unit drops all but 10 bits of a mantissa, as a product with precision tf32 says
    reads_unsigned = False  # whether `multiply` looks at `lhs_unsigned` and `rhs_unsigned` of a product of integers
    most_runs = 64  # of equal elements in a constant tile, each of which is a `fill`
    elementwise = {}  # names of the operations on tiles that `lanes` writes, element by element
    temporaries = {}  # by the name of an operation: how many more tiles its method needs, whose addresses `temporary` returns

    # The machine

    def number(self, value):
        """A register with a constant: of type index, or the bits of a float, which have no sign."""
        raise NotImplementedError

    def scalar(self, name, operands, predicate=0, op=None):
        """A register with the result of an operation on numbers, by its name in arith; `op` is that of the kernel, if one is."""
        raise NotImplementedError

    def parameter(self, argument):
        """A register with an argument that is a number: its bits, of an integer with copies of the sign before them."""
        raise Decline(self.kernel, f"an argument that is a number of type {argument.type}")

    def size(self, view, dim):
        """A register with a size of a view."""
        raise NotImplementedError

    def compare(self, predicate, a, b):
        """A register with the truth of `slt` or `sle`."""
        return self.scalar("arith.cmpi", [a, b], {"slt": 2, "sle": 3}[predicate])

    def move(self, to, register):
        raise NotImplementedError

    def jump(self, label, unless=None):
        """Jumps, always or where a register is false."""
        raise NotImplementedError

    def begin(self, box):
        """Begins a transfer. The result is a register, for `wait`."""
        raise NotImplementedError

    def wait(self, transfer):
        raise NotImplementedError

    def fill(self, address, count, bits, element):
        """Writes an element again and again."""
        raise NotImplementedError

    def splat(self, op, result, number):
        """The same with a number that a register holds."""
        raise Decline(op, "no instruction for 'tile.splat' of a number that is no constant")

    def read_element(self, op, address):
        """A register with the element of a tile at an address, which is in a register."""
        raise Decline(op, "no instruction that reads an element of a tile into a register")

    def multiply(self, op, addresses, row_bytes, sizes):
        """acc += lhs * rhs, a block of the matrix unit; sizes of rows, columns and steps are numbers."""
        raise NotImplementedError

    def lanes(self, op, result, operands):
        """One operation of `elementwise` on whole tiles: addresses of the result and the operands. An operand may lie where the
        result does."""
        raise NotImplementedError

    def layout(self, op, index):
        """The layout in which a product reads an operand (0 left, 1 right): Panels, or None for rows."""
        return None

    def home(self, op, index):
        """The memory of `memories` from which a product reads an operand (0 left, 1 right), and to which it adds (2); None for any."""
        return None

    # Kernels

    def __init__(self, kernel):
        self.kernel, self.code, self.registers, self.storages, self.count = kernel, [], {}, {}, 0
        self.begins = {}
        for argument in kernel.arguments:
            if argument.type.kind == "scalar":
                self.registers[argument] = self.parameter(argument)
            else:
                check_view(kernel, argument, self.elements)
        self.check()
        self.uses = {}
        self.collect(kernel)
        for op in kernel.walk():
            for block in [block for region in op.regions for block in region]:
                self.move_constants(block)
        self.assign(kernel.body, None)
        self.allocate()
        self.write_block(kernel.body)

    def check(self):
        """Refuses what the vendor's class says of its machine, where it contradicts itself."""
        if len(self.block) != 3 or min(self.align, *self.block) < 1:
            raise ValueError(f"expected align and the three sizes of block to be at least 1, found {self.align} and {self.block}")
        unknown = [name for name in self.vector_memories if name not in self.memories]
        if unknown:
            raise ValueError(f"expected vector_memories to be of {', '.join(self.memories) or 'memories'}, found '{unknown[0]}'")
        ends = {"": 0}
        for name, (begin, size, *align) in sorted(self.memories.items(), key=lambda one: one[1][0]):
            if begin < 0 or size < 0 or begin % (align or [self.align])[0]:
                raise ValueError(f"expected memory '{name}' to begin at a multiple of {(align or [self.align])[0]}, found {begin} and {size} bytes")
            before = max(ends, key=ends.get)
            if size and begin < ends[before]:
                raise ValueError(f"expected memory '{name}' to begin where '{before}' ends, at {ends[before]}, or behind, found {begin}")
            ends[name] = begin + size
        check_memories(self.kernel.description, self.memories, self.bytes, self.align)
        check_names(type(self), ScratchpadWriter)
        check_operations(type(self), ("elementwise", "reductions", "scans", "temporaries"))

    def extent(self, storage, memory):
        """The bytes that one buffer of a tile takes in a memory."""
        align = [*self.memories.get(memory, (0, 0)), self.align][2]
        return -(-storage.bytes // align) * align

    def emit(self, name, *operands):
        self.code.append((name, operands))

    def words(self, codes):
        return machine_words(self.kernel.symbol, self.count, self.code, codes)

    def text(self):
        return machine_text(self.kernel.symbol, self.code)

    def new(self):
        self.count += 1
        return self.count - 1

    def place(self, label):
        label.at = len(self.code)

    def collect(self, parent):
        for op in parent.walk():
            for operand in op.operands:
                self.uses.setdefault(operand, []).append(op)

    def move_constants(self, block):
        """Writes constant tiles no earlier than the first operation of their block that uses them, so that they take room from there on."""
        users, rest = {}, []
        for op in block.operations:
            if op.name == "arith.constant" and op.type.kind == "tensor" and op.results[0] in self.uses:
                inner = self.uses[op.results[0]]
                user = next(other for other in block.operations if other in inner or any(one in inner for one in other.walk()))
                users.setdefault(user, []).append(op)
                self.begins[op] = user.number
            else:
                rest.append(op)
        block.operations = [moved for op in rest for moved in [*users.get(op, []), op]]

    # Operations

    def use(self, values):
        return [self.registers[value] for value in values]

    def write_block(self, operations):
        for op in operations:
            self.write(op)

    def write(self, op):
        method = getattr(self, op.name.replace(".", "_"), None)
        if method:
            method(op)
        elif op.name == "arith.select" and op.operands[0].type.kind == "scalar" and op.type.kind == "tensor":
            condition, *tiles = op.operands
            self.branch(self.registers[condition], [lambda tile=tile: self.choose(op.results, [tile]) for tile in tiles])
        elif op.name in self.elementwise and op.type.kind == "tensor":
            if any(value not in self.storages for value in op.operands):
                raise Decline(op, "an operand of tiles that is a number")
            self.lanes(op, self.address(op.results[0]), [self.address(value) for value in op.operands])
        elif op.operands and op.results and all(value.type.kind == "scalar" for value in op.operands + op.results):
            self.registers[op.results[0]] = self.scalar(op.name, self.use(op.operands), int(op.get("predicate") or 0), op)
        else:
            raise Decline(op, f"no instruction for '{op.name}'")

    def tile_return(self, op):
        pass

    def arith_constant(self, op):
        value = op.get("value")
        if isinstance(value, bool):
            self.registers[op.results[0]] = self.number(int(value))
        elif isinstance(value, Number):
            self.registers[op.results[0]] = self.number(value.bits if str(value.type)[0] in "fb" else value.value)
        elif isinstance(value, Dense):
            self.fill_runs(op, value)
        else:
            raise Decline(op, "it is no constant of numbers")

    def fill_runs(self, op, value):
        """A constant tile: one `fill` for each run of equal elements."""
        if value.splat is not None:
            runs = [(value.splat.bits, op.type.count)]
        else:
            runs = [(bits, len(list(run))) for bits, run in groupby(number.bits for number in value.values)]
        if len(runs) > self.most_runs:
            raise Decline(op, f"its numbers differ in {len(runs)} runs, more than most_runs = {self.most_runs}")
        first = 0
        for bits, count in runs:
            self.fill(self.address(op.results[0], first * BYTES[op.type.element]), count, bits, op.type.element)
            first += count

    def tile_num_blocks(self, op):
        size = self.size(op.operands[0], int(op.get("dim")))
        self.registers[op.results[0]] = self.scalar("arith.ceildivsi", [size, self.number(int(op.get("block")))])

    def tile_dim(self, op):
        self.registers[op.results[0]] = self.size(op.operands[0], int(op.get("dim")))

    def tensor_extract(self, op):
        """A number from a tile: coordinates are registers."""
        tile, *coords = op.operands
        address = self.address(tile)
        for coord, distance in zip(coords, self.distances(tile.type.shape, tile)):
            behind = self.scalar("arith.muli", [self.registers[coord], self.number(distance)])
            address = self.scalar("arith.addi", [address, behind])
        self.registers[op.results[0]] = self.read_element(op, address)

    def tile_load(self, op):
        if self.storages[op.results[0]].buffers == 1:
            for transfer in [self.begin(box) for box in self.boxes(op)]:
                self.wait(transfer)

    def tile_store(self, op):
        for transfer in [self.begin(box) for box in self.boxes(op)]:
            self.wait(transfer)

    def tile_dot(self, op):
        lhs, rhs, acc = op.operands
        result = op.results[0]
        if len(acc.type.shape) != 2:
            raise Decline(op, f"a product of {len(acc.type.shape)} dimensions")
        if (op.get("lhs_unsigned") or op.get("rhs_unsigned")) and not self.reads_unsigned:
            raise Decline(op, "a product of unsigned integers")
        if op.get("input_precision") == TF32 and not self.reads_tf32:
            raise Decline(op, "a product with precision tf32")
        elements = tuple(operand.type.element for operand in op.operands)
        if lacks_product(self.kernel.description, elements):
            raise Decline(op, f"no matrix instruction for {elements[0]} * {elements[1]} + {elements[2]}")
        check_product(self.kernel.description, self.block, [self.home(op, index) for index in range(3)], self.memories)
        if self.storages[acc] is not self.storages[result]:
            self.copy(acc, result)
        sizes = [*acc.type.shape, lhs.type.shape[1]]
        for row in range(0, sizes[0], self.block[0]):
            for column in range(0, sizes[1], self.block[1]):
                for step in range(0, sizes[2], self.block[2]):
                    at = [self.part(lhs, 0, row, step), self.part(rhs, 1, step, column), self.part(result, None, row, column)]
                    count = [min(most, size - first) for most, size, first in zip(self.block, sizes, (row, column, step))]
                    self.multiply(op, [self.address(value, offset) for value, offset, _ in at], [rows for _, _, rows in at], count)
        instruction = instruction_of(self.kernel.description, elements)
        if instruction:
            self.kernel.lowered(op, instruction)

    def part(self, value, index, row, column):
        """Where a block of an operand begins: the value, the offset in bytes, and bytes between rows; of an operand in panels,
        between groups of steps."""
        storage = self.storages[value]
        size = BYTES[value.type.element]
        if not storage.layout:
            rows = self.distances(value.type.shape, value)[0]
            return value, row * rows + column * size, rows
        panels = storage.layout
        steps = value.type.shape[1 - panels.dim]
        panel, step = (row, column) if panels.dim == 0 else (column, row)
        return value, (panel * steps + step * panels.width) * size, panels.width * panels.group * size

    def copy(self, source, target):
        """A tile to other storage: by `spread`, unless the machine has another way. A machine without either declines."""
        if not self.can_spread():
            raise Decline(target.op or source.op, "no instruction that copies a tile within the scratchpad")
        self.take(source.type.element, self.address(target), self.address(source), [source.type.count])

    # Loops and conditions

    def slice(self, load, loop):
        """The operations of a loop's body that the coordinates of a load follow from; None where one is no scalar."""
        found, pending = set(), list(load.segments()[1])
        while pending:
            value = pending.pop()
            if value.op is None or value.op.parent is not loop:
                if value.op is None and value in loop.regions[0][0].arguments[1:]:
                    return None  # what the loop carries is not known ahead
                continue
            op = value.op
            if op.regions or any(one.type.kind not in ("scalar", "view") for one in op.operands + op.results):
                return None
            if op not in found:
                found.add(op)
                pending += op.operands
        return sorted(found, key=lambda op: op.number)

    def is_ahead(self, load):
        """Whether a load may begin an iteration early: it stands in a loop that stores nothing."""
        loop = load.parent
        if loop.name != "scf.for" or load.get("is_volatile"):
            return False
        reads = {f"tile.{name}" for name in "load dim num_blocks dot reduce yield reshape broadcast transpose".split()}
        pure = all(op.name in reads or op.name in self.elementwise or op.name.split(".")[0] in ("scf", "arith", "math") for op in loop.walk())
        return pure and self.slice(load, loop) is not None

    def fetch(self, loop, loads, induction, tags):
        """Begins the loads of an iteration into the buffers that are free."""
        argument = loop.regions[0][0].arguments[0]
        before, self.registers[argument] = self.registers.get(argument), induction
        for op in sorted({op for load in loads for op in self.slice(load, loop)}, key=lambda op: op.number):
            self.write(op)
        for load in loads:
            for tag, box in zip(tags[load], self.boxes(load)):
                self.move(tag, self.begin(box))
        self.registers[argument] = before

    def scf_for(self, op):
        if op.get("unsignedCmp"):
            raise Decline(op, "a loop of unsigned numbers")
        body = op.regions[0][0]
        lower, upper, step = self.use(op.operands[:3])
        for init, argument, result in zip(op.operands[3:], body.arguments[1:], op.results):
            if argument.type.kind == "tensor":
                if self.storages[init] is not self.storages[argument]:
                    self.copy(init, argument)
            else:
                self.registers[argument] = self.registers[result] = self.new()
                self.move(self.registers[argument], self.registers[init])
        induction = self.registers[body.arguments[0]] = self.new()
        self.move(induction, lower)
        loads = [load for load in body.operations
                 if load.name == "tile.load" and self.storages[load.results[0]].buffers == 2]
        buffers, tags, arrived = self.make_buffers(loads)
        head, end = Label(), Label()
        if loads:
            none = Label()
            self.jump(none, unless=self.compare("slt", lower, upper))
            self.fetch(op, loads, lower, tags)
            self.place(none)
        self.place(head)
        self.jump(end, unless=self.compare("slt", induction, upper))
        following = self.scalar("arith.addi", [induction, step])
        if loads:
            for load in loads:
                for to, register in zip(arrived[load], tags[load]):
                    self.move(to, register)
            last = Label()
            self.jump(last, unless=self.compare("slt", following, upper))
            self.exchange(loads, buffers)
            self.fetch(op, loads, following, tags)
            self.exchange(loads, buffers)
            self.place(last)
            for load in loads:
                for tag in arrived[load]:
                    self.wait(tag)
        self.write_block(body.operations[:-1])
        self.carry(op, body, body.arguments[1:])
        self.move(induction, following)
        if loads:
            self.turn(loads, buffers)
        self.jump(head)
        self.place(end)

    def scf_while(self, op):
        before, after = (region[0] for region in op.regions)
        if any(value.type.kind == "tensor" for value in [*op.operands, *op.results]):
            raise Decline(op, "a loop until a condition that carries tiles")
        for init, argument in zip(op.operands, before.arguments):
            self.registers[argument] = self.new()
            self.move(self.registers[argument], self.registers[init])
        for result, argument in zip(op.results, after.arguments):
            self.registers[result] = self.registers[argument] = self.new()
        head, end = Label(), Label()
        self.place(head)
        self.write_block(before.operations[:-1])
        condition, *values = self.use(before.operations[-1].operands)
        for result, register in zip(op.results, values):
            self.move(self.registers[result], register)
        self.jump(end, unless=condition)
        self.write_block(after.operations[:-1])
        self.carry(op, after, before.arguments)
        self.jump(head)
        self.place(end)

    def make_buffers(self, loads):
        """The registers of two buffers for each load, and of the transfers that fill the next and this iteration's."""
        buffers, tags, arrived = {}, {}, {}
        for load in loads:
            storage = self.storages[load.results[0]]
            storage.register, other = self.new(), self.new()
            self.move(storage.register, self.number(storage.offset))
            self.move(other, self.number(storage.offset + storage.extent))
            buffers[load] = other
            tags[load] = [self.new() for _ in range(self.transfers(load))]
            arrived[load] = [self.new() for _ in tags[load]]
        return buffers, tags, arrived

    def transfers(self, load):
        """How many boxes a load has."""
        panels, shape = self.storages[load.results[0]].layout, load.type.shape
        if not panels:
            return 1
        return shape[panels.dim] // panels.width * (1 if panels.group == 1 else shape[1 - panels.dim] // panels.group)

    def exchange(self, loads, buffers):
        """What is written next uses the other buffer."""
        for load in loads:
            storage = self.storages[load.results[0]]
            storage.register, buffers[load] = buffers[load], storage.register

    def turn(self, loads, buffers):
        """Exchanges the buffers for the next iteration."""
        for load in loads:
            one, other, between = self.storages[load.results[0]].register, buffers[load], self.new()
            for to, register in ((between, one), (one, other), (other, between)):
                self.move(to, register)

    def carry(self, op, body, arguments):
        """What the next iteration begins with. Scalars change all at once."""
        values = body.operations[-1].operands
        moved = []
        for value, argument in zip(values, arguments):
            if argument.type.kind != "tensor":
                moved.append((self.registers[argument], self.new()))
                self.move(moved[-1][1], self.registers[value])
            elif self.storages[value] is not self.storages[argument]:
                if any(self.storages[value] is self.storages.get(other) for other in arguments):
                    raise Decline(op, "tiles that change places")
                self.copy(value, argument)
        for to, register in moved:
            self.move(to, register)

    def scf_if(self, op):
        for result in op.results:
            if result.type.kind != "tensor":
                self.registers[result] = self.new()
        condition, = self.use(op.operands)
        self.branch(condition, [lambda region=region: self.write_branch(op, region) for region in op.regions])

    def write_branch(self, op, region):
        for block in region:
            *body, last = block.operations or [None]
            self.write_block(body)
            self.choose(op.results, last.operands if last else [])

    def branch(self, condition, writers):
        """What the one writes where a register is true, and what the other one writes where it is false."""
        otherwise, end = Label(), Label()
        self.jump(otherwise, unless=condition)
        for write, label in zip(writers, (otherwise, end)):
            write()
            if label is otherwise:
                self.jump(end)
            self.place(label)

    def choose(self, results, values):
        """What a condition yields, in the branch that computed it."""
        for result, value in zip(results, values):
            if result.type.kind != "tensor":
                self.move(self.registers[result], self.registers[value])
            elif self.storages[result] is not self.storages[value]:
                self.copy(value, result)
