#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts bank conflicts of shared memory in kernels of PTX; needs no GPU.

Usage: gpu_banks.py FILE.ptx

Follows the text once for all threads of a block, by number: what the addresses of shared memory are computed from.
Parameters, ids of blocks, loop variables and values that all threads load alike are guesses that are the same for all
threads; an address that depends on other loaded data is not counted. Both ways of a branch are followed where its
condition is a guess. Prints each access: how often the banks are accessed for a block, and the least for its width.

How lanes are served: words of 4 bytes in 32 banks; accesses of 8 bytes by half warps, those of 16 by quarter warps,
rows of matrices by eights; lanes with the same word are served together.
"""
import collections
import re
import sys

WARP, BANKS, WORD = 32, 32, 4
LOOP_WEIGHT = 10  # of an access in a loop
GUESS = 1 << 20   # a parameter: a multiple of what is likely to divide it, and large
SPECIAL = re.compile(r"%(tid|ntid|ctaid|nctaid|laneid|warpid|nwarpid|clusterid|cluster_\w+|dynamic_smem_size)\b")
SHARED = re.compile(r"^(ld|st|ldmatrix|stmatrix|cp\.async|atom|red)\.")
UNKNOWN = ("ld", "ldmatrix", "atom", "call", "vote", "match", "activemask", "elect", "tex", "mma", "wgmma", "redux",
           "ldu", "clock")


class Value:
    """A number for all threads, or one for each; nothing where it is data. `guess`: up to what nobody knows."""
    __slots__ = ("x", "guess")

    def __init__(self, x, guess=False):
        self.x, self.guess = x, guess

    def lane(self, i):
        return self.x if isinstance(self.x, int) else self.x[i]


DATA = Value(None, True)
Instruction = collections.namedtuple("Instruction", "guard negated opcode operands loop line")
Label = collections.namedtuple("Label", "name")
Access = collections.namedtuple("Access", "opcode line loop bytes wavefronts least")  # no wavefronts: data


def split_operands(text):
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "{[(" and 1 or c in ")]}" and -1 or 0
        if c == "," and not depth:
            parts.append(text[begin:i].strip())
            begin = i + 1
    last = text[begin:].strip()
    return parts + [last] if last else parts


def entries(text):
    """Name, header and body of each kernel."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    for match in re.finditer(r"\.entry\s+([\w$.]+)", text):
        begin = text.index("{", match.end())
        depth, end = 1, begin + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield match.group(1), text[match.end():begin], text[begin + 1:end - 1]


def shared_symbols(text):
    """Bases of the variables in shared memory; each begins in the first bank."""
    bases, at = {}, 0
    for match in re.finditer(r"\.shared\s+(?:\.align\s+\d+\s+)?\.\w+\s+([\w$.]+)\s*\[(\d*)\]", text):
        if match.group(1) not in bases:
            bases[match.group(1)] = at
            at += -(-int(match.group(2) or 0) // 1024) * 1024
    return bases


class Reader:
    """The statements of a body; names of inner scopes become their own."""

    def __init__(self, body):
        self.code, self.scopes, self.count, self.line = [], [], 0, 0
        self.read(body)
        self.mark_loops()

    def rename(self, text):
        for names, scope in self.scopes:
            for name in names:
                text = re.sub(r"(?<![\w%$.])" + re.escape(name) + r"(?![\w$])", f"{name}@{scope}", text)
        return text

    def read(self, body):
        at = 0
        space, label = re.compile(r"\s*"), re.compile(r"([\w$.]+)\s*:(?!:)")
        directive = re.compile(r"\.(loc|pragma|file)\b([^\n;]*)[;\n]")
        while True:
            at = space.match(body, at).end()
            if at >= len(body):
                return
            if body[at] == "{":
                self.scopes.append((set(), self.count))
                self.count += 1
                at += 1
                continue
            if body[at] == "}":
                self.scopes.pop()
                at += 1
                continue
            if (match := label.match(body, at)):
                self.code.append(Label(self.rename(match.group(1))))
                at = match.end()
                continue
            if (match := directive.match(body, at)):
                if match.group(1) == "loc":
                    self.line = int(match.group(2).split()[1])
                at = match.end()
                continue
            end = body.find(";", at)
            end = len(body) if end < 0 else end
            self.statement(" ".join(body[at:end].split()))
            at = end + 1

    def statement(self, text):
        if text.startswith("."):
            match = re.match(r"\.reg\s+\.\w+\s+(.*)", text)
            if match and self.scopes:
                self.scopes[-1][0].update(name.strip() for name in match.group(1).split(",") if "<" not in name)
            return
        match = re.match(r"(?:@(!?)\s*([\w%$.@]+)\s+)?([a-z][\w.:]*)\s*(.*)$", self.rename(text) if self.scopes else text)
        if match:
            self.code.append(Instruction(match.group(2), bool(match.group(1)), match.group(3),
                                         split_operands(match.group(4)), False, self.line))

    def mark_loops(self):
        places = {item.name: i for i, item in enumerate(self.code) if isinstance(item, Label)}
        for i, item in enumerate(self.code):
            if isinstance(item, Instruction) and item.opcode.startswith("bra"):
                for at in range(places.get(item.operands[-1], i), i):
                    if isinstance(self.code[at], Instruction):
                        self.code[at] = self.code[at]._replace(loop=True)


def bits_of(kind):
    match = re.search(r"\d+", kind)
    return 1 if kind == "pred" else int(match.group()) if match else 32


def signed(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def bit_permute(a, b, c):
    both, result = (a & 0xffffffff) | (b & 0xffffffff) << 32, 0
    for i in range(4):
        pick = c >> 4 * i
        byte = both >> 8 * (pick & 7) & 255
        if pick & 8:
            byte = 255 if byte & 128 else 0
        result |= byte << 8 * i
    return result


def lop3(a, b, c, table):
    result = 0
    for i in range(8):
        if table >> i & 1:
            result |= (a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c)
    return result


def divide(x, y):
    return 0 if not y else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def funnel(left, wrap):
    def shift(low, high, by):
        by = by & 31 if wrap else min(by, 32)
        both = (low & 0xffffffff) | (high & 0xffffffff) << 32
        return both >> (32 - by) if left else both >> by
    return shift


COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
           "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "lo": lambda a, b: a < b, "ls": lambda a, b: a <= b,
           "hi": lambda a, b: a > b, "hs": lambda a, b: a >= b}
COMBINE = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}


def compile_opcode(opcode):
    """The function of integers that an instruction computes, or None."""
    name, *parts = opcode.split(".")
    kinds = [part for part in parts if re.fullmatch(r"[busf]\d+(x\d)?|pred|bf16", part)]
    kind = kinds[-1] if kinds else "b32"
    if any(k[0] == "f" or k.startswith("bf") for k in kinds) and name not in ("mov", "selp"):
        return None
    bits = bits_of(kind)
    read = (lambda x: signed(x, bits)) if kind[0] == "s" else (lambda x: x & ((1 << bits) - 1))
    if name == "setp":
        test = COMPARE.get(parts[0])
        both = COMBINE.get(parts[1]) if len(parts) > 2 else None
        if not test:
            return None
        if both:
            return lambda a, b, p: both(int(test(read(a), read(b))), p)
        return lambda a, b: int(test(read(a), read(b)))
    if name in ("mov", "cvta", "mapa") or (name == "cvt" and len(kinds) == 1):
        return lambda a, *rest: a
    if name == "cvt":
        source, target = kinds[-1], kinds[-2]
        wide = (1 << bits_of(target)) - 1
        return lambda a: (signed(a, bits_of(source)) if source[0] == "s" else a & ((1 << bits_of(source)) - 1)) & wide
    if name in ("mul", "mad") and "wide" in parts:
        result = (1 << 2 * bits) - 1
    else:
        result = (1 << bits) - 1
    high = bits if "hi" in parts and name in ("mul", "mad") else 0
    table = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b, "not": lambda a: ~a, "neg": lambda a: -a, "abs": lambda a: abs(read(a)),
        "cnot": lambda a: int(not a),
        "mul": lambda a, b: read(a) * read(b) >> high, "mad": lambda a, b, c: (read(a) * read(b) >> high) + c,
        "shl": lambda a, b: a << b if b < bits else 0, "shr": lambda a, b: read(a) >> min(b, bits),
        "min": lambda a, b: min(read(a), read(b)), "max": lambda a, b: max(read(a), read(b)),
        "div": lambda a, b: divide(read(a), read(b)), "rem": lambda a, b: read(a) - read(b) * divide(read(a), read(b)),
        "selp": lambda a, b, p: a if p else b, "lop3": lop3, "prmt": bit_permute,
        "bfe": lambda a, b, c: (read(a) >> (b & 255)) & ((1 << (c & 255)) - 1) if kind[0] != "s" else
        signed(read(a) >> (b & 255), c & 255) if c & 255 else 0,
        "bfi": lambda a, b, c, d: (b & ~(((1 << d) - 1) << c)) | (a & ((1 << d) - 1)) << c,
        "popc": lambda a: bin(a).count("1"), "clz": lambda a: bits - (a & ((1 << bits) - 1)).bit_length(),
        "brev": lambda a: int(f"{a & ((1 << bits) - 1):0{bits}b}"[::-1], 2),
        "shf": funnel("l" in parts, "wrap" in parts),
    }
    function = table.get(name)
    return function and (lambda *args: function(*args) & result)


def shuffle(opcode, values, count):
    """What shfl gives each thread, without its predicate."""
    source, by, control = values[:3]
    mode, results = opcode.split(".")[2], []
    for i in range(count):
        lane, warp = i % WARP, i - i % WARP
        distance, mask = by.lane(i) & 31, control.lane(i) >> 8 & 31
        low = lane & mask
        top = low | control.lane(i) & 31 & ~mask
        at = {"up": lane - distance, "down": lane + distance, "bfly": lane ^ distance,
              "idx": low | distance & ~mask}[mode]
        inside = at >= top if mode == "up" else at <= top
        at = warp + (at if inside else lane)
        results.append(source.lane(min(max(at, 0), count - 1)))
    return results


class Kernel:
    def __init__(self, header, body, bases):
        size = re.search(r"\.(?:reqntid|maxntid)\s+([\d, ]+)", header)
        counts = [int(n) for n in size.group(1).split(",")] if size else [128]
        self.threads = 1
        for n in counts:
            self.threads *= n
        self.counts = (counts + [1, 1])[:3]
        self.bases, self.code = bases, Reader(body).code
        self.values, self.parked, self.accesses = {}, {}, []
        self.active = None  # threads that are here; None: all
        self.defined = collections.Counter(name for item in self.code if isinstance(item, Instruction)
                                           for name in self.results(item))
        self.needed = self.slice()
        self.functions = {}

    @staticmethod
    def names(text):
        return re.findall(r"[%A-Za-z_$][\w$.@]*", text)

    @classmethod
    def results(cls, item):
        """Registers that an instruction writes."""
        if not item.operands or item.opcode.split(".")[0] in ("st", "red", "bra", "ret", "bar", "stmatrix", "cp"):
            return []
        return [name.strip() for name in re.split(r"[|,]", item.operands[0].strip("{}()")) if name.strip()]

    def slice(self):
        """What addresses and conditions are computed from."""
        makers = collections.defaultdict(list)
        work, needed = [], set()
        for item in self.code:
            if isinstance(item, Label):
                continue
            for name in self.results(item):
                makers[name].append(item)
            if item.guard:
                work.append(item.guard)
            if self.is_shared(item):
                work += [name for operand in item.operands if "[" in operand for name in self.names(operand)]
        while work:
            name = work.pop()
            if name in needed:
                continue
            needed.add(name)
            for item in makers[name]:
                work += [used for operand in item.operands[1:] for used in self.names(operand)]
        return needed

    @staticmethod
    def is_shared(item):
        return bool(SHARED.match(item.opcode)) and (".shared" in item.opcode and ".global.shared" not in item.opcode)

    def special(self, text):
        name, _, axis = text[1:].partition(".")
        if name == "tid":
            step, size = {"x": (1, self.counts[0]), "y": (self.counts[0], self.counts[1]),
                          "z": (self.counts[0] * self.counts[1], self.counts[2])}[axis or "x"]
            return Value([i // step % size for i in range(self.threads)] if size > 1 else 0)
        if name == "ntid":
            return Value(self.counts["xyz".index(axis or "x")])
        if name in ("laneid", "warpid"):
            return Value([i % WARP if name == "laneid" else i // WARP for i in range(self.threads)])
        return Value(1 if name.startswith("n") or "nct" in name else 0, True)

    def operand(self, text):
        text = text.strip()
        if text.startswith("!"):
            value = self.operand(text[1:])
            return self.apply(lambda a: 1 - a, [value])
        if SPECIAL.match(text):
            return self.special(text)
        if re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|\d+)U?", text):
            return Value(int(text.rstrip("U"), 0))
        if text.startswith("0f") or text.startswith("0d"):
            return DATA
        if text in ("true", "false"):
            return Value(int(text == "true"))
        if text in self.bases:
            return Value(self.bases[text])
        return self.values.get(text, DATA)

    def address(self, text):
        total = None
        for sign, part in re.findall(r"([+-]?)\s*([\w%$.@]+)", text.strip("[] ")):
            value = self.operand(part)
            if sign == "-":
                value = self.apply(lambda a: -a, [value])
            total = value if total is None else self.apply(lambda a, b: a + b, [total, value])
        return total

    def apply(self, function, values):
        if any(value.x is None for value in values):
            return DATA
        guess = any(value.guess for value in values)
        if all(isinstance(value.x, int) for value in values):
            return Value(function(*(value.x for value in values)), guess)
        lists = [value.x if not isinstance(value.x, int) else [value.x] * self.threads for value in values]
        return Value([function(*args) for args in zip(*lists)], guess)

    def set(self, name, value):
        if name == "_":
            return
        if self.defined[name] > 1:
            old = self.values.get(name)
            if old and self.active is not None and old.x is not None and value.x is not None:
                value = Value([value.lane(i) if here else old.lane(i) for i, here in enumerate(self.active)])
            value = Value(value.x, True)
        self.values[name] = value

    def run(self):
        for item in self.code:
            if isinstance(item, Label):
                parked = self.parked.pop(item.name, None)
                if self.active is None or not any(self.active) and not parked:
                    self.active = None  # reached from below
                elif parked:
                    self.active = [a or b for a, b in zip(self.active, parked)]
                    if all(self.active):
                        self.active = None
            elif item.opcode.startswith("bra"):
                self.branch(item)
            elif item.opcode in ("ret", "exit", "trap") and not item.guard:
                self.active = [False] * self.threads
            elif self.is_shared(item):
                self.access(item)
                for name in self.results(item):
                    self.load(item, name)
            else:
                self.execute(item)
        return self.accesses

    def here(self, item):
        """Threads that execute an instruction; those that its condition may let."""
        active = [True] * self.threads if self.active is None else self.active
        if not item.guard:
            return active
        condition = self.operand(item.guard)
        if condition.x is None or condition.guess:
            return active
        return [a and bool(condition.lane(i)) != item.negated for i, a in enumerate(active)]

    def branch(self, item):
        target = item.operands[-1]
        going = self.here(item)
        parked = self.parked.get(target, [False] * self.threads)
        self.parked[target] = [a or b for a, b in zip(parked, going)]
        stays = False
        if item.guard:
            condition = self.operand(item.guard)
            stays = condition.x is None or condition.guess
        if not stays:
            active = [True] * self.threads if self.active is None else self.active
            self.active = [a and not b for a, b in zip(active, going)]
            if all(self.active):
                self.active = None

    def load(self, item, name):
        """What all lanes of the block load alike is a guess, else it is data."""
        if name not in self.needed:
            return
        address = next((self.address(op) for op in item.operands if op.startswith("[")), DATA)
        uniform = address.x is not None and (isinstance(address.x, int) or len(set(address.x)) == 1)
        self.set(name, Value(0, True) if uniform else DATA)

    def execute(self, item):
        name = item.opcode.split(".")[0]
        results = self.results(item)
        if not any(result in self.needed for result in results):
            return
        if item.opcode.startswith("ld.param"):
            for result in results:
                self.set(result, Value(GUESS, True) if "retval" not in item.operands[1] else DATA)
            return
        if name in UNKNOWN:
            for result in results:
                self.load(item, result) if name == "ld" and "[" in "".join(item.operands[1:]) else self.set(result, DATA)
            return
        if name == "mov" and ("{" in item.operands[0] or "{" in item.operands[1]):
            self.pack(item)
            return
        values = [self.operand(operand) for operand in item.operands[1:]]
        if name == "shfl":
            value = values[0]
            if all(v.x is not None for v in values[:3]):
                moved = shuffle(item.opcode, values, self.threads)
                same = len(set(moved)) == 1
                value = Value(moved[0] if same else moved, any(v.guess for v in values[:3]))
            else:
                value = DATA
            self.set(results[0], value)
            for result in results[1:]:
                self.set(result, Value(1, True))
            return
        function = self.functions.get(item.opcode)
        if item.opcode not in self.functions:
            function = self.functions[item.opcode] = compile_opcode(item.opcode)
        if function is None:
            value = DATA
        elif name == "selp" and values[2].x is not None and values[2].guess:
            value = Value(values[0].x, True)
        else:
            value = self.apply(function, values)
        self.set(results[0], value)
        for result in results[1:]:
            self.set(result, self.apply(lambda a: 1 - a, [value]) if name == "setp" else DATA)

    def pack(self, item):
        bits = bits_of(item.opcode.split(".")[-1])
        target, source = item.operands[:2]
        if "{" in source:
            parts = split_operands(source.strip("{} "))
            each, mask = bits // len(parts), (1 << bits // len(parts)) - 1
            self.set(target, self.apply(lambda *xs: sum((x & mask) << i * each for i, x in enumerate(xs)),
                                        [self.operand(part) for part in parts]))
            return
        parts = split_operands(target.strip("{} "))
        each, value = bits // len(parts), self.operand(source)
        for i, part in enumerate(parts):
            self.set(part, self.apply(lambda x, i=i: x >> i * each & ((1 << each) - 1), [value]))

    def access(self, item):
        parts = item.opcode.split(".")
        rows = 0
        if parts[0] in ("ldmatrix", "stmatrix"):
            rows = next((int(part[1:]) for part in parts if re.fullmatch(r"x[124]", part)), 1)
            width = 16
        elif parts[0] == "cp":
            if len(item.operands) < 3 or "bulk" in parts:
                return
            width = int(item.operands[2], 0)
        else:
            vector = next((int(part[1:]) for part in parts if re.fullmatch(r"v[248]", part)), 1)
            width = vector * bits_of(parts[-1]) // 8
        address = self.address(next(op for op in item.operands if op.startswith("[")))
        active = self.here(item)
        if address.x is None:
            self.accesses.append(Access(item.opcode, item.line, item.loop, width, None, None))
            return
        wavefronts = least = 0
        for warp in range(0, self.threads, WARP):
            lanes = range(warp, min(warp + WARP, self.threads))
            if rows:
                lanes = lanes[:8 * rows]
            places = [address.lane(i) if active[i] else None for i in lanes]
            a, b = count(places, width)
            wavefronts, least = wavefronts + a, least + b
        if least:
            self.accesses.append(Access(item.opcode, item.line, item.loop, width, wavefronts, least))


def count(addresses, width):
    """How often a warp's access meets the banks, and the least that lanes of this width need."""
    each = max(1, BANKS // max(1, width // WORD))
    wavefronts = least = 0
    for begin in range(0, len(addresses), each):
        words = {word for address in addresses[begin:begin + each] if address is not None
                 for word in range(address // WORD, (address + width - 1) // WORD + 1)}
        if words:
            wavefronts += max(collections.Counter(word % BANKS for word in words).values())
            least += 1
    return wavefronts, least


def kernels(text):
    """Accesses of each kernel by its name."""
    bases = shared_symbols(text)
    return {name: Kernel(header, body, bases).run() for name, header, body in entries(text)}


def totals(accesses):
    """Wavefronts and their least number, an access in a loop counted several times, and accesses by data."""
    result = {"wavefronts": 0, "least": 0, "data": 0, "shared": len(accesses)}
    for access in accesses:
        if access.wavefronts is None:
            result["data"] += 1
            continue
        weight = LOOP_WEIGHT if access.loop else 1
        result["wavefronts"] += weight * access.wavefronts
        result["least"] += weight * access.least
    return result


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        for name, accesses in kernels(file.read()).items():
            for access in accesses:
                found = f"{access.wavefronts} of {access.least}" if access.wavefronts is not None else "by data"
                print(f"{name}: line {access.line}: {access.opcode}, {access.bytes} bytes"
                      f"{', in a loop' if access.loop else ''}: {found}")
            sums = totals(accesses)
            print(f"{name}: {sums['wavefronts']} of {sums['least']}, {sums['data']} accesses by data")
    return 0


if __name__ == "__main__":
    sys.exit(main())
