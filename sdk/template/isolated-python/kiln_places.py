# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places of tiles in a scratchpad: which tiles share storage, how long each lives, and its address. Needs kiln_rows.py, kiln_transfers.py,
kiln_isolated.py and what these need beside it; later releases of Kiln bring newer copies."""
from kiln_isolated import Decline
from kiln_rows import RESHAPES
from kiln_transfers import BYTES


class Storage:
    """Where a tile lies. `buffers` is 2 for a tile that the next iteration's load fills meanwhile; each takes `extent` bytes."""

    def __init__(self, type, layout=None):
        self.type, self.layout, self.buffers, self.memory, self.reach = type, layout, 1, None, ()
        self.first, self.last, self.offset, self.extent, self.register = 1 << 60, -1, None, 0, None

    @property
    def bytes(self):
        return self.type.count * BYTES[self.type.element]


class Places:
    """Gives each tile of a kernel an address. ScratchpadWriter of kiln_scratchpad.py derives from it; the class variables that describe
    the memories are there."""

    def assign(self, operations, loop):
        """Gives each tile storage; several tiles have one where the one ends as the other begins."""
        for op in operations:
            if op.name == "scf.for":
                self.assign_loop(op)
            for result in op.results:
                if result.type.kind == "tensor" and result not in self.storages:
                    self.assign_value(op, result)
            if self.by_fold(op):
                self.reserve(op)
            if op.name == "tile.load":
                self.storages[op.results[0]].buffers = 2 if self.is_ahead(op) else 1
            elif op.name in ("scf.if", "scf.while"):
                for region in op.regions:
                    for block in region:
                        self.assign(block.operations, loop)
        for op in operations:
            for value in op.operands + op.results:
                if value in self.storages:
                    self.extend(self.storages[value], op, value)
            if op.name == "tile.dot":
                self.assign_memories(op)

    def assign_memories(self, op):
        for index, value in enumerate([*op.operands, *op.results]):
            home, storage = self.home(op, min(index, 2)), self.storages[value]
            if home and home not in self.memories:
                raise ValueError(f"expected home to be one of {', '.join(self.memories)}, found '{home}'")
            if home and storage.memory not in (None, home):
                raise Decline(op, f"a tile has to be in '{storage.memory}' and in '{home}'")
            storage.memory = home or storage.memory

    def assign_value(self, op, result):
        type = result.type
        most = max([size for _, size, *_ in self.memories.values()] or [self.bytes])
        if type.element not in self.elements:
            raise Decline(op, f"it makes a {type}, whose elements are not of {' or '.join(self.elements)}")
        if type.count * BYTES[type.element] > most:
            raise Decline(op, f"it makes a {type}, which the scratchpad does not hold")
        layouts = {id(layout): layout for layout in (self.layout_for(use, result) for use in self.uses.get(result, []))}
        panels = [layout for layout in layouts.values() if layout]
        if panels and (len(layouts) > 1 or op.name != "tile.load"):
            raise Decline(op, "a product reads it in panels, and something else in rows")
        if panels and (type.shape[panels[0].dim] % panels[0].width or type.shape[1 - panels[0].dim] % panels[0].group):
            raise Decline(op, f"it makes a {type}, and a product reads whole panels of {panels[0].width} {('rows', 'columns')[panels[0].dim]} "
                              f"in groups of {panels[0].group} steps")
        self.storages[result] = Storage(type, panels[0] if panels else None)
        if not self.by_fold(op):
            largest = max((value.type for value in op.operands + op.results if value.type.kind == "tensor"),
                          key=lambda type: type.count * BYTES[type.element])
            for index in range(self.temporaries.get(op.name, 0)):
                self.assign_temporary(op, index, largest)
        for operand in self.reused(op):
            if len(self.uses[operand]) == 1 and self.is_near(op, operand):
                self.storages[result] = self.storages[operand]
                break

    def reused(self, op):
        """The operands whose place the result of an operation may take, if no other operation uses them."""
        if op.name in RESHAPES:
            return [operand for operand in op.operands if operand.op is not None]
        operands = op.operands[2:3] if op.name == "tile.dot" else op.operands if op.name in self.elementwise else []
        return [operand for operand in operands if operand.type is op.type]

    def assign_temporary(self, op, index, type):
        """A tile beside those of an operation."""
        if (op, index) not in self.storages:
            if type.element not in self.elements:
                raise Decline(op, f"it makes a {type}, whose elements are not of {' or '.join(self.elements)}")
            storage = Storage(type)
            storage.first = storage.last = op.number
            self.storages[op, index] = storage

    def temporary(self, op, index=0):
        """The address of a tile for the time of one operation, of those that `temporaries` asks for."""
        return self.address((op, index))

    def layout_for(self, op, value):
        if op.name != "tile.dot" or value not in op.operands[:2]:
            return None
        index = op.operands.index(value)
        panels, steps = self.layout(op, index), self.block[2]
        if panels and (panels.dim != index or panels.width < 1 or panels.group < 1 or steps % panels.group):
            raise ValueError(f"expected layout of operand {index} to be rows or Panels({index}, width, group) whose groups divide the "
                             f"{steps} steps of a block, found Panels({panels.dim}, {panels.width}, {panels.group})")
        return panels

    @staticmethod
    def is_near(op, value):
        """Whether a value is made in the block of an operation, or is what the loop around carries."""
        return value.op.parent is op.parent if value.op else value in op.parent.regions[0][0].arguments

    def assign_loop(self, loop):
        body = loop.regions[0][0]
        for init, argument, result in zip(loop.operands[3:], body.arguments[1:], loop.results):
            if argument.type.kind != "tensor":
                continue
            if len(self.uses[init]) == 1 and init.op and init.op.parent is loop.parent:
                storage = self.storages[init]
            else:
                storage = Storage(argument.type)
            self.storages[argument] = self.storages[result] = storage
        self.assign(body.operations, loop)

    def extend(self, storage, op, value):
        """A tile lives from its first to its last use, and through every loop that it is made before."""
        last, parent = op, op.parent
        while parent is not None and (value.op is None or parent is not value.op.parent):
            last = parent if parent.name in ("scf.for", "scf.while") else last
            parent = parent.parent
        end = max(inner.number for inner in last.walk()) if last is not self.kernel else op.number
        around = op.parent if storage.buffers > 1 else op
        if around is not op:
            end = max(end, max(inner.number for inner in around.walk()))
        storage.first, storage.last = min(storage.first, self.begins.get(around, around.number)), max(storage.last, end)

    def allocate(self):
        """Places all tiles; loads begin ahead only where there is room for two of each."""
        self.restrict()
        storages = list({id(storage): storage for storage in self.storages.values()}.values())
        if self.place_storages(storages):
            for storage in storages:
                storage.buffers = 1
            late = self.place_storages(storages)
            if late:
                raise Decline(self.kernel, late)

    def restrict(self):
        """Keeps tiles that the vector unit reads or writes in memories that it reaches."""
        transfers = ("tile.load", "tile.load_gather", "tile.store", "tile.store_scatter", "tile.dot", "arith.constant", "scf.for", "scf.yield")
        used = [(op, value) for op in self.kernel.walk() if op.name not in transfers and not self.is_in_place(op)
                for value in op.operands + op.results]
        used += [(key[0], key) for key in self.storages if isinstance(key, tuple)]  # temporary ones
        for op, value in used if self.vector_memories else ():
            storage = self.storages.get(value)
            if storage and storage.memory and storage.memory not in self.vector_memories:
                raise Decline(op, f"a tile has to be in '{storage.memory}', which '{op.name}' does not reach")
            if storage:
                storage.reach = self.vector_memories

    def place_storages(self, storages):
        """Places the largest first; the result is the reason where one has no place."""
        placed, memories = [], self.memories or {"": (0, self.bytes)}
        for storage in sorted(storages, key=lambda one: (one.memory is None, -one.bytes)):
            for name in [storage.memory] if storage.memory else storage.reach or memories:
                offset, most = memories[name][:2]
                storage.extent = self.extent(storage, name)
                size = storage.extent * storage.buffers
                for begin, end, other in sorted(placed, key=lambda one: one[0]):
                    if other.first <= storage.last and storage.first <= other.last and begin < offset + size and offset < end:
                        offset = end
                needed = offset + size - memories[name][0]
                if needed <= most:
                    break
            else:
                return f"needs {needed} bytes of the scratchpad{name and f' {name!r}'}, which has {most}"
            storage.offset = offset
            placed.append((offset, offset + size, storage))
        return None

    def address(self, value, offset=0):
        """A register with the address of a tile, or of what is `offset` bytes behind its first element."""
        storage = self.storages[value]
        if storage.register is None:
            return self.number(storage.offset + offset)
        return self.scalar("arith.addi", [storage.register, self.number(offset)]) if offset else storage.register
