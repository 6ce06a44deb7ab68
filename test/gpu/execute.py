#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes functions of one thread, for all threads of a block in step, and checks what they write.
The standard input has a module in generic form (kiln-opt --mlir-print-op-generic) at the level of
threads; FILE, from which it was made, has for every function NAME comments

    // NAME: a: f16 = [i for i in range(64)], b: f16 = [0] * 64
    // NAME: expect b == a

The first line gives memory to the pointers among the parameters, in order, as the bits of numbers
or, for f32, as numbers; each integer among them is 0 unless `NAME: scalars = [..]` lists them, and the
block's number is 0 unless `NAME: block = N` says it, as `NAME: width = N` the blocks of a row, 0 if not. What
is expected is an expression on the memory after the call. Shared memory is watched: accesses of two
threads to one byte, one of them a write, need a barrier between them, of their warp or of the block.
Products that read it by themselves (simt.mma_async, of 128 threads) find their elements as Hopper's matrix
descriptors say, and want what they read published, and left alone until they are waited for.
Usage: execute.py FILE < MODULE"""
import re
import struct
import sys
from itertools import accumulate
from operator import mul

OP = re.compile(r'^\s*(?:(%\S+) = )?"([\w.]+)"\(([^)]*)\)(.*)$')
LANES = 32


def quotient(a, b, bits):
    """a / b without its fraction, of operands for which LLVM says what that is."""
    if b == 0 or (b == -1 and a == -1 << (bits - 1)):
        raise ValueError("%d / %d traps" % (a, b))
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


class Op:
    def __init__(self, line):
        match = OP.match(line)
        self.result, self.name, operands, self.rest = match.groups()
        self.result = self.result and self.result.split(":")[0]
        self.operands = [name.strip() for name in operands.split(",") if name.strip()]
        self.regions = []

    def finish(self):
        signature = self.rest[self.rest.rindex(" : ("):] if " : (" in self.rest else ""
        self.types = signature.split(") -> ")[0][4:]
        self.type = signature.split(") -> ")[-1].strip()
        self.source = self.types.split(", ")[0]

    def attribute(self, name, default=None):
        match = re.search(r"\b" + name + r" = (#?[\w.]+ ?[\w.]*>?|\"[^\"]*\"|-?[\w.+]+|<[^>]*>)", self.rest)
        return match.group(1) if match else default


class Block:
    def __init__(self, arguments):
        self.arguments, self.ops = arguments, []


def parse(lines):
    """The functions of a module: their names and bodies."""
    functions, stack = [], []
    for line in lines:
        text = line.strip()
        if OP.match(line):
            op = Op(line)
            if stack:
                if not stack[-1].regions[-1]:
                    stack[-1].regions[-1].append(Block([]))
                stack[-1].regions[-1][-1].ops.append(op)
            if text.endswith("({"):
                op.regions.append([])
                stack.append(op)
            else:
                op.finish()
        elif text.startswith("^"):
            arguments = re.findall(r"(%\w+): ([^,)]+(?:<\d+>)?)", text)
            stack[-1].regions[-1].append(Block(arguments))
        elif text.startswith("}, {"):
            stack[-1].regions.append([])
        elif text.startswith("})"):
            op = stack.pop()
            op.rest += text
            op.finish()
            if op.name == "llvm.func":
                functions.append(op)
    return functions


def width(kind):
    if kind.startswith("!llvm.ptr") or kind == "index":
        return 64
    if kind.startswith("vector"):
        count, element = re.match(r"vector<(\d+)x([^>]*)>", kind).groups()
        return int(count) * width(element)
    return int(re.search(r"\d+", kind.replace("bf16", "16").replace("f8E", "8 ")).group())


def element(kind):
    match = re.match(r"vector<(\d+)x([^>]*)>", kind)
    return (int(match.group(1)), match.group(2)) if match else (1, kind)


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def number(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


class Shared:
    """The memory of a block with what was done to each byte since the last barrier."""

    def __init__(self, size):
        self.size, self.bytes = size, bytearray(size)
        self.epoch = self.warp_epoch = 0
        self.writer, self.readers = {}, {}
        self.unpublished = {}  # byte -> the thread that wrote it

    def meet(self, thread, other, where):
        who, epoch, warp_epoch = other
        if who == thread or epoch != self.epoch:
            return
        if who // LANES == thread // LANES and warp_epoch != self.warp_epoch:
            return
        raise SystemExit(f"threads {who} and {thread} race at byte {where} of shared memory")

    def touch(self, thread, start, count, writes):
        if start < 0 or start + count > self.size:
            raise SystemExit(f"thread {thread} reaches byte {start} of {self.size}")
        if start % count:
            raise SystemExit(f"thread {thread} reaches {count} bytes at {start}")
        now = (thread, self.epoch, self.warp_epoch)
        for at in range(start, start + count):
            if at in self.writer:
                self.meet(thread, self.writer[at], at)
            if not writes:
                self.readers.setdefault(at, {})[thread] = now
                continue
            for reader in self.readers.pop(at, {}).values():
                self.meet(thread, reader, at)
            self.writer[at] = now
            self.unpublished[at] = thread

    def wait(self):
        self.epoch += 1
        self.writer, self.readers = {}, {}


class Machine:
    def __init__(self, threads, shared):
        self.threads, self.shared = threads, Shared(shared)
        self.memory = {}  # address of the first byte -> bytes
        self.values = {}
        self.counts, self.block, self.width = {}, 0, 0
        self.open, self.groups = {}, [[] for _ in range(threads)]  # copies under way
        self.begun, self.products = [], []  # what products read: lists of bytes by their places

    def span(self, address):
        for start, data in self.memory.items():
            if start <= address < start + len(data):
                return data, address - start
        raise SystemExit(f"no memory at {address}")

    def read(self, kind, space, thread, address):
        count, part = element(kind)
        each = max(8, width(part)) // 8
        if space == 3:
            self.shared.touch(thread, address, each * count, False)
            data, at = self.shared.bytes, address
        else:
            data, at = self.span(address)
        parts = [int.from_bytes(data[at + i * each:at + (i + 1) * each], "little") for i in range(count)]
        return parts if kind.startswith("vector") else parts[0]

    def write(self, kind, space, thread, address, value):
        count, part = element(kind)
        each = max(8, width(part)) // 8
        if space == 3:
            self.shared.touch(thread, address, each * count, True)
            data, at = self.shared.bytes, address
        else:
            data, at = self.span(address)
        for i, one in enumerate(value if kind.startswith("vector") else [value]):
            data[at + i * each:at + (i + 1) * each] = one.to_bytes(each, "little")

    def run(self, block, active):
        """What the terminator has, by thread."""
        for op in block.ops:
            self.counts[op.name] = self.counts.get(op.name, 0) + 1
            if op.name.endswith(("yield", "return", "condition")):
                return [self.values[name] for name in op.operands]
            self.execute(op, active)
        return []

    def execute(self, op, active):
        name, values = op.name, [self.values[operand] for operand in op.operands]
        if name in ("gpu.barrier", "simt.warp_barrier"):
            self.whole_warps(op, active, name == "gpu.barrier")
            if name == "gpu.barrier":
                self.shared.wait()
            else:
                self.shared.warp_epoch += 1
        elif name == "scf.if":
            self.branch(op, values[0], active)
        elif name == "scf.for":
            self.loop(op, values, active)
        elif name == "scf.while":
            self.repeat(op, values, active)
        elif name == "gpu.shuffle":
            self.whole_warps(op, active, False)
            mode = op.attribute("mode", "")
            base, result = values[0], {}
            for t in active:
                lane, argument = t % LANES, values[1][t]
                source = lane ^ argument if "xor" in op.rest else \
                    lane - argument if " up" in mode + op.rest else lane + argument if "down" in op.rest else argument
                inside = 0 <= source < LANES
                result[t] = base[t - lane + source] if inside else base[t]
            self.values[op.result + "#0"] = self.values[op.result] = result
        elif name == "simt.mma":
            self.whole_warps(op, active, False)
            self.multiply(op, values, active)
        elif name == "simt.copy_async":
            for t in active:
                self.copy(op, t, [value[t] for value in values])
        elif name == "simt.commit_copies":
            for t in active:
                self.groups[t].append(self.open.pop(t, []))
        elif name == "simt.wait_copies":
            keep = int(re.search(r"but = (\d+)", op.rest).group(1))
            for t in active:
                while len(self.groups[t]) > keep:
                    for copy in self.groups[t].pop(0):
                        self.finish_copy(t, *copy)
        elif name == "simt.publish":
            those = set(active)
            self.shared.unpublished = {at: t for at, t in self.shared.unpublished.items() if t not in those}
        elif name == "simt.mma_async":
            self.whole_warps(op, active, True)
            self.multiply_async(op, values)
        elif name == "simt.commit_products":
            self.products.append(self.begun)
            self.begun = []
        elif name == "simt.wait_products":
            keep = int(re.search(r"but = (\d+)", op.rest).group(1))
            while len(self.products) > keep:
                for at, byte in self.products.pop(0):
                    if self.shared.bytes[at] != byte:
                        raise SystemExit(f"byte {at} of shared memory was written while a product read it")
            for i, value in enumerate(values):
                self.values[f"{op.result}#{i}"] = value
        elif name in ("simt.load_matrix", "simt.store_matrix"):
            self.whole_warps(op, active, False)
            self.matrices(op, values, active)
        else:
            result = {t: self.compute(op, t, [value[t] for value in values]) for t in active}
            if op.result:
                self.values[op.result] = result

    def whole_warps(self, op, active, all_of_block):
        for t in active:
            first = 0 if all_of_block else t // LANES * LANES
            last = self.threads if all_of_block else first + LANES
            if not all(other in active for other in (first, last - 1)) or len(active) < last - first:
                raise SystemExit(f"{op.name} without all threads")

    def matrices(self, op, values, active):
        """Tile moves of 8 rows of 16 bytes: row r of matrix m is where lane 8 m + r says; a lane has word l % 4 of row
        l / 4, or, of moves whose name has "turned" or ".trans", two elements of column l / 4."""
        turned, reads = bool(re.search(r"turned|\.trans", op.rest)), op.name == "simt.load_matrix"
        count = op.type.count("i32") if reads else len(values) - 1
        rows = values[0] if reads else values[-1]
        for m in range(count):
            result = {}
            for t in active:
                lane = t % LANES
                word = 0
                for half in range(2):
                    row, column = lane // 4, 2 * (lane % 4) + half
                    if turned:
                        row, column = column, row
                    address = rows[t - lane + 8 * m + row] + 2 * column
                    if reads:
                        word |= self.read("i16", 3, t, address) << 16 * half
                    else:
                        self.write("i16", 3, t, address, values[m][t] >> 16 * half & 0xffff)
                result[t] = word
            if reads:
                self.values[op.result + (f"#{m}" if count > 1 else "")] = result

    def copy(self, op, t, x):
        """Bytes are there when they are waited for, and not before; the place is taken from now on."""
        count = int(re.search(r"bytes = (\d+)", op.rest).group(1))
        sizes = [int(n) for n in re.search(r"Sizes = array<i32: (.*?)>", op.rest).group(1).split(", ")]
        if sizes[2] and not x[2]:
            return
        valid = x[-1] if sizes[3] else count
        if sizes[3] and op.types.rstrip(")").endswith("i1"):
            valid = count * valid
        data = b""
        if valid:
            memory, at = self.span(x[0])
            data = bytes(memory[at:at + valid])
        if x[0] % count or len(data) < valid:
            raise SystemExit(f"thread {t} copies {valid} of {count} bytes from {x[0]}")
        self.shared.touch(t, x[1], count, True)
        self.shared.bytes[x[1]:x[1] + count] = b"\xde" * count
        self.open.setdefault(t, []).append((x[1], data.ljust(count, b"\0")))

    def finish_copy(self, t, address, data):
        self.shared.touch(t, address, len(data), True)
        self.shared.bytes[address:address + len(data)] = data

    def multiply(self, op, values, active):
        """The fragments of mma.m16n8k*: rows by four lanes each, words along the sum."""
        sizes = [int(n) for n in re.search(r"Sizes = array<i32: (.*?)>", op.rest).group(1).split(", ")]
        kinds = [kind.strip() for kind in op.types.split(",")]
        lhs, rhs, acc = values[:sizes[0]], values[sizes[0]:sizes[0] + sizes[1]], values[-sizes[2]:]
        kind = kinds[0]
        word = max(1, 32 // width(kind))
        depth = sizes[1] * 4

        def value(bits):
            if kind.startswith("i"):
                return signed(bits, width(kind))
            if kind == "f16":
                return struct.unpack("<e", struct.pack("<H", bits))[0]
            return number(bits << (32 - width(kind)))

        for first in sorted({t // LANES * LANES for t in active}):
            a, b = {}, {}
            for lane in range(LANES):
                group, place = lane // 4, lane % 4
                for r, register in enumerate(lhs):
                    part, within = divmod(r, word)
                    a[group + 8 * (part % 2), place * word + within + 4 * word * (part // 2)] = \
                        value(register[first + lane])
                for r, register in enumerate(rhs):
                    part, within = divmod(r, word)
                    b[place * word + within + 4 * word * part, group] = value(register[first + lane])
            for lane in range(LANES):
                for r, register in enumerate(acc):
                    row, column = lane // 4 + 8 * (r // 2), 2 * (lane % 4) + r % 2
                    total = sum(a[row, k] * b[k, column] for k in range(depth))
                    old = register[first + lane]
                    new = (signed(old, 32) + total) & 0xffffffff if kinds[-1].startswith("i") else \
                        bits_of(number(old) + total)
                    self.values.setdefault(f"{op.result}#{r}", {})[first + lane] = new

    def multiply_async(self, op, values):
        """64 rows and two columns for each sum of a thread. Elements lie as the canonical layouts of matrix
        descriptors have them: strides first, then chunks permuted by bits of the address."""
        matrices = []
        for name in ("lhs_matrix", "rhs_matrix"):
            text = re.search(name + r" = #simt.matrix<(.*?)>[,}]", op.rest).group(1)
            numbers = {key: int(re.search(key + r" = (\d+)", text).group(1)) for key in ("row", "group", "panel", "bytes")}
            steps = [int(n) for n in re.search(r"steps = \[(.*?)\]", text).group(1).split(", ")]
            matrices.append((numbers, steps, "summed = true" in text))
        each, depth, sums = 2, 16, values[2:]
        for first in range(0, self.threads, 128):
            factors = []
            for (numbers, steps, summed), address, across in zip(matrices, values, (64, 2 * len(sums))):
                start, row, factor = address[first], numbers["row"], [[] for _ in range(across)]
                if any(address[t] != start for t in range(first, first + 128)):
                    raise SystemExit("a product whose threads have several addresses")
                for i, step in enumerate(steps):
                    for x in range(across):
                        for k in range(depth):
                            along, rows = (k * each, x) if summed else (x * each, k)
                            panel, along = (0, along) if summed else divmod(along, row)
                            at = start + step + panel * numbers["panel"] + rows // 8 * numbers["group"] + rows % 8 * row + along
                            at ^= (at >> 7 & row // 16 - 1) << 4
                            if not start <= at < start + numbers["bytes"]:
                                raise SystemExit(f"a product reads {at - start} bytes behind its factor")
                            for byte in (at, at + 1):
                                if byte in self.shared.unpublished:
                                    raise SystemExit(f"a product reads byte {byte} of shared memory, which was not published")
                                self.begun.append((byte, self.shared.bytes[byte]))
                            factor[x].append(struct.unpack("<e", self.shared.bytes[at:at + 2])[0])
                            self.shared.touch(first, at, each, False)
                factors.append(factor)
            a, b = factors
            for t in range(first, first + 128):
                for r, register in enumerate(sums):
                    row = t % 128 // 32 * 16 + t % 32 // 4 + 8 * (r // 2 % 2)
                    column = 2 * (t % 4) + r % 2 + 8 * (r // 4)
                    total = sum(map(mul, a[row], b[column]))
                    self.values.setdefault(f"{op.result}#{r}", {})[t] = bits_of(number(register[t]) + total)

    def branch(self, op, condition, active):
        made = []
        for region, wanted in zip(op.regions, (1, 0)):
            those = [t for t in active if condition[t] == wanted]
            if not region or not those:
                continue
            for i, value in enumerate(self.run(region[0], those)):
                made += [{}] if i == len(made) else []
                made[i].update({t: value[t] for t in those})
        if op.result:
            for i, value in enumerate(made):
                self.values[f"{op.result}#{i}"] = value
            self.values[op.result] = made[0] if made else {}

    def loop(self, op, values, active):
        low, high, step = (value[active[0]] for value in values[:3])
        state, body = values[3:], op.regions[0][0]
        for i in range(low, high, step):
            self.values[body.arguments[0][0]] = {t: i for t in active}
            for (name, _), value in zip(body.arguments[1:], state):
                self.values[name] = value
            state = self.run(body, active)
        for i, value in enumerate(state):
            self.values[f"{op.result}#{i}"] = value
            self.values[op.result] = value

    def repeat(self, op, state, active):
        """A loop whose condition all threads share."""
        before, after = (region[0] for region in op.regions)
        while True:
            for (name, _), value in zip(before.arguments, state):
                self.values[name] = value
            condition, *state = self.run(before, active)
            if not condition[active[0]]:
                break
            for (name, _), value in zip(after.arguments, state):
                self.values[name] = value
            state = self.run(after, active)
        for i, value in enumerate(state):
            self.values[f"{op.result}#{i}"] = value
            self.values[op.result] = value

    def compute(self, op, t, x):
        name, kind = op.name, op.type
        bits = 0 if kind == "()" else width(element(kind)[1])
        mask = (1 << bits) - 1
        source = width(element(op.source)[1]) if op.source else 0
        if name in ("arith.constant", "llvm.mlir.constant"):
            text = re.search(r"value = ([^\s}>]+)", op.rest).group(1)
            if text in ("true", "false"):
                return int(text == "true")
            if kind == "f32" and not text.startswith("0x"):
                return bits_of(float(text))
            return int(float(text) if "." in text else int(text, 0)) & mask
        if name == "llvm.mlir.poison":
            return [0xdead & mask] * element(kind)[0] if kind.startswith("vector") else 0xdead & mask
        if name == "llvm.mlir.zero" or name == "llvm.mlir.addressof":
            return 0
        if name == "gpu.grid_dim":
            return self.width if "dim x" in op.rest else 1
        if name == "gpu.block_id":
            return self.block if "dim x" in op.rest else 0
        if name == "gpu.thread_id":
            return t
        if name in ("simt.uniform", "arith.index_castui", "arith.index_cast", "arith.extui", "arith.trunci",
                    "llvm.ptrtoint", "llvm.inttoptr"):
            return x[0] & mask
        if name == "arith.extsi":
            return signed(x[0], source) & mask
        if name == "arith.truncf" and kind == "f16":
            return struct.unpack("<H", struct.pack("<e", number(x[0])))[0]
        if name in ("arith.bitcast", "llvm.bitcast"):
            whole = x[0]
            if isinstance(whole, list):
                whole = sum(part << (i * source) for i, part in enumerate(whole))
            count = element(kind)[0]
            return [(whole >> (i * bits)) & mask for i in range(count)] if kind.startswith("vector") else whole
        simple = {
            "addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b,
            "andi": lambda a, b: a & b, "ori": lambda a, b: a | b, "xori": lambda a, b: a ^ b,
            "shli": lambda a, b: a << b, "shrui": lambda a, b: a >> b,
            "shrsi": lambda a, b: signed(a, source) >> b,
            "ceildivsi": lambda a, b: -(-signed(a, source) // signed(b, source)),
            "divsi": lambda a, b: quotient(signed(a, source), signed(b, source), source),
            "remsi": lambda a, b: signed(a, source) - quotient(signed(a, source), signed(b, source), source) * signed(b, source),
            "divui": lambda a, b: a // max(b, 1), "remui": lambda a, b: a % max(b, 1),
            "maxsi": lambda a, b: max(signed(a, source), signed(b, source)),
            "minui": min, "maxui": max,
            "minsi": lambda a, b: min(signed(a, source), signed(b, source)),
            "addf": lambda a, b: bits_of(number(a) + number(b)), "mulf": lambda a, b: bits_of(number(a) * number(b)),
        }
        if name.startswith("arith.") and name[6:] in simple:
            return simple[name[6:]](*x) & mask
        if name == "arith.cmpi":
            way = int(re.search(r"predicate = (\d+)", op.rest).group(1))
            plain = way < 2 or way > 5
            a, b = (value % 2**source if plain else signed(value, source) for value in x)
            return int([a == b, a != b, a < b, a <= b, a > b, a >= b][way if way < 6 else way - 4])
        if name == "arith.select":
            return x[1] if x[0] else x[2]
        if name == "llvm.intr.ctpop":
            return bin(x[0]).count("1")
        if name == "llvm.insertelement":
            return x[0][:x[2]] + [x[1]] + x[0][x[2] + 1:]
        if name == "llvm.extractelement":
            return x[0][x[1]]
        if name == "llvm.getelementptr":
            each = max(8, width(re.search(r"elem_type = ([^,]+),", op.rest).group(1))) // 8
            indices = [int(n) for n in re.search(r"i32: (.*?)>", op.rest).group(1).split(", ")]
            index = indices[0]
            if index == -2147483648:
                index = signed(x[1], width(op.types.split(", ")[1]))
            return x[0] + index * each
        space = 3 if "ptr<3>" in op.types else 1
        if name in ("simt.load", "llvm.load"):
            masked = re.search(r"Sizes = array<i32: 1, 1, (\d)[,>]", op.rest)
            if masked and not x[1]:
                return x[2] if masked.group(1) == "1" else 0xdead & mask
            return self.read(kind, space, t, x[0])
        if name in ("simt.store", "llvm.store"):
            if len(x) < 3 or x[2]:
                self.write(op.types.rsplit(", !llvm.ptr", 1)[0], space, t, x[1], x[0])
            return None
        raise SystemExit(f"no meaning is known for {name}")


def call(function, notes):
    """Runs one function; says what does not hold."""
    name = function.attribute("sym_name").strip('"')
    own = [note for who, note in notes if who == name]
    if not own:
        return name
    threads = int(re.search(r"thread_block<threads = (\d+)", function.rest).group(1))
    shared = int(re.search(r", shared_bytes = (\d+)", function.rest).group(1))
    machine = Machine(threads, shared)
    tiles, scalars, names, kinds = [], [], {}, {}
    for note in own:
        if note.startswith("scalars = "):
            scalars = eval(note[10:])
        elif note.startswith("block = "):
            machine.block = int(note[8:])
        elif note.startswith("width = "):
            machine.width = int(note[8:])
        elif not note.startswith("expect "):
            for part in re.split(r", (?=\w+: \w+ = )", note):
                tile, kind, values = re.match(r"(\w+): (\w+) = (.*)", part).groups()
                tiles.append((tile, kind, list(eval(values, dict(names)))))
                names[tile] = tiles[-1][2]
    entry = function.regions[0][0]
    where = []
    for i, (tile, kind, values) in enumerate(tiles):
        each = width(kind) // 8
        where.append(0x10000 * (i + 1) * 16)
        kinds[tile] = (where[-1], each, kind)
        machine.memory[where[-1]] = bytearray(b"".join(
            (bits_of(v) if kind == "f32" else int(v) & ((1 << 8 * each) - 1)).to_bytes(each, "little") for v in values))
    for argument, kind in entry.arguments:
        value = where.pop(0) if kind.startswith("!llvm.ptr") else scalars.pop(0) if scalars else 0
        machine.values[argument] = {t: value for t in range(threads)}
    machine.run(entry, list(range(threads)))
    for tile, (start, each, kind) in kinds.items():
        data = machine.memory[start]
        words = [int.from_bytes(data[i:i + each], "little") for i in range(0, len(data), each)]
        names[tile] = [number(word) for word in words] if kind == "f32" else words
    names.update(count=lambda op: machine.counts.get(op, 0), shared=shared, accumulate=accumulate,
                 number16=lambda bits: struct.unpack("<e", struct.pack("<H", bits))[0])
    for note in own:
        if note.startswith("expect ") and not eval(note[7:], dict(names)):
            print(f"{name}: {note}")
            for tile, values in names.items():
                if isinstance(values, list):
                    print(tile, values[:256])
            raise SystemExit(1)
    print(f"{name}: as expected")
    return name


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        notes = re.findall(r"^\s*// ([a-z]\w*): (.*)$", file.read(), re.MULTILINE)
    functions = parse(sys.stdin.read().splitlines())
    called = {call(function, notes) for function in functions}
    if missing := {name for name, _ in notes} - called:
        raise SystemExit(f"no function for {missing}")


main()
