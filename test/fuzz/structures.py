# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of structure: inputs that a parser reads and that are hostile to what follows. Sizes that are negative or overflow, deep
nests, names that are there twice, functions that call themselves, and very many of something."""
import copy
import re

SIZES = [b"-1", b"0", b"2147483648", b"4294967295", b"9223372036854775807", b"9223372036854775808", b"18446744073709551615",
         b"18446744073709551616", b"1" + b"0" * 40]
DEPTHS = [3, 30, 300, 900, 3000]


def closing(text, at):
    """The place of the bracket that closes the one at `at`, or -1."""
    pairs = {b"(": b")", b"{": b"}", b"[": b"]", b"<": b">"}
    first = text[at:at + 1]
    depth = 0
    for place in range(at, len(text)):
        one = text[place:place + 1]
        if one == first:
            depth += 1
        elif one == pairs[first] and text[place - 1:place] != b"-":
            depth -= 1
            if not depth:
                return place
    return -1


def functions(text):
    """(begin, head's end, end, name, names of arguments, types, results) of the functions that are written with a body."""
    for found in re.finditer(rb"func\.func (?:private |public )?@(\w+)\(", text):
        close = closing(text, found.end() - 1)
        brace = text.find(b"{\n", close)
        head = text[close + 1:brace]
        if close < 0 or brace < 0 or b"\n" in head:
            continue
        end = closing(text, brace)
        arguments = re.findall(rb"(%\w+): ((?:[^,<>]|<[^<>]*>)+)", re.sub(rb" *\{[^{}]*\}", b"", text[found.end():close]))
        results = re.sub(rb" *attributes.*| *\{[^{}]*\}", b"", head).strip()
        results = results[2:].strip() if results.startswith(b"->") else b"()"
        yield found.start(), brace + 2, end + 1, found.group(1), [a for a, _ in arguments], [t.strip() for _, t in arguments], results


def change_size(text, rng):
    found = list(re.finditer(rb"(?<=[<x,\[(= ])(\d+|\?)(?=[x,\])>])", text))
    if not found:
        return text
    size, large = rng.choice(found), rng.choice(SIZES)
    if rng.randrange(2):
        return text[:size.start()] + large + text[size.end():]
    return re.sub(rb"(?<=[<x])%s(?=x)" % re.escape(size.group()), large, text)


def repeat_name(text, rng):
    """Something again, under the same name."""
    kind = rng.randrange(5)
    made = list(functions(text))
    if kind == 0 and made:
        begin, _, end, *_ = rng.choice(made)
        return text[:end] + b"\n" + text[begin:end] + b"\n" + text[end:]
    if kind == 1:
        names = sorted(set(re.findall(rb"[@%]\w+", text)))
        if names:
            return re.sub(re.escape(rng.choice(names)) + rb"\b", rng.choice(names), text)
    if kind == 2:
        entries = list(re.finditer(rb"\b\w+ = [^,{}<>\[\]]+(?=[,}>])", text))
        if entries:
            one = rng.choice(entries)
            return text[:one.end()] + b", " + one.group() + text[one.end():]
    if kind == 3:
        arguments = list(re.finditer(rb"%\w+: [^,()]+(?=[,)])", text))
        if arguments:
            one = rng.choice(arguments)
            return text[:one.end()] + b", " + one.group() + text[one.end():]
    lines = text.split(b"\n")
    at = rng.randrange(len(lines))
    return b"\n".join(lines[:at + 1] + lines[at:])


def call_in_circle(text, rng):
    """A function that calls itself, or the one before it."""
    made = list(functions(text))
    if not made:
        return text
    _, body, _, *_ = rng.choice(made)
    *_, name, arguments, types, results = rng.choice(made)
    count = 0 if results == b"()" else max(1, results.count(b"tensor<") + results.count(b"!"))
    call = b"  %s%sfunc.call @%s(%s) : (%s) -> %s\n" % (
        b"%circle" if count else b"", b":%d = " % count if count else b"", name, b", ".join(arguments), b", ".join(types), results)
    return text[:body] + call * rng.choice([1, 1, 2, 40]) + text[body:]


def nest(text, rng):
    """Something inside of itself, many times."""
    depth = rng.choice(DEPTHS)
    kind = rng.randrange(7)
    if kind == 0:
        return b"module {\n" * depth + text + b"\n}" * depth
    if kind == 1:
        found = list(re.finditer(rb"\[[^\[\]]*\]", text))
        if found:
            one = rng.choice(found)
            return text[:one.start()] + b"[" * depth + one.group() + b"]" * depth + text[one.end():]
    if kind == 2:
        found = list(re.finditer(rb"tensor<[^<>]*>", text))
        if found:
            one = rng.choice(found)
            around = rng.choice([(b"tuple<", b">"), (b"tensor<2x", b">"), (b"complex<", b">"), (b"() -> (", b")"), (b"memref<1x", b">")])
            return text[:one.start()] + around[0] * depth + one.group() + around[1] * depth + text[one.end():]
    if kind == 3:
        place = b"loc(unknown)"
        for _ in range(min(depth, 3000)):
            place = rng.choice([b'callsite(%s at unknown)', b'"a"(%s)', b'fused[%s, unknown]']) % place.removeprefix(b"loc(").removesuffix(b")")
            place = b"loc(" + place + b")"
        lines = text.split(b"\n")
        at = [n for n, line in enumerate(lines) if re.match(rb"\s+%\w+ = .*[>\w]$", line)]
        if at:
            lines[rng.choice(at)] += b" " + place
        return b"\n".join(lines)
    made = list(functions(text))
    if kind == 4 and made:
        begin, body, end, *_ = rng.choice(made)
        rest = text[body:end]
        stop = rest.rfind(b"return")
        if stop > 0:
            return (text[:body] + b"  %deep = arith.constant true\n" + b"scf.if %deep {\n" * depth + b"}\n" * depth + rest + text[end:])
    if kind == 5:
        return b"#deep = affine_map<(d0) -> (" + b"(" * depth + b"d0" + b" + 1)" * depth + b")>\n" + text
    return b"#deep = {a = " * 0 + b'"test.deep"() {a = ' + b"{a = " * depth + b"1" + b"}" * depth + b"} : () -> ()\n" + text


def multiply_parts(text, rng):
    """Very many of something that there may be."""
    many = rng.choice([2, 100, 900, 5000, 60000])
    kind = rng.randrange(5)
    made = list(functions(text))
    if kind == 0 and made:
        begin, _, _, name, *_ = rng.choice(made)
        at = text.find(b"(", begin) + 1
        return text[:at] + b", ".join(b"%%many%d: f32" % n for n in range(many)) + b", " * (text[at:at + 1] != b")") + text[at:]
    if kind == 1:
        found = list(re.finditer(rb"\[-?\d+(?:, -?\d+)*\]", text))
        if found:
            one = rng.choice(found)
            return text[:one.end() - 1] + b", 1" * many + text[one.end() - 1:]
    if kind == 2:
        found = list(re.finditer(rb"(tensor|vector|memref|view)<(?=[\d?])", text))
        if found:
            one = rng.choice(found)
            return text[:one.end()] + b"1x" * many + text[one.end():]
    if kind == 3:
        lines = text.split(b"\n")
        at = [n for n, line in enumerate(lines) if re.match(rb"\s+%\w+ = ", line)]
        if at:
            one = rng.choice(at)
            name = re.match(rb"\s+(%\w+)", lines[one]).group(1)
            lines[one:one] = [re.sub(re.escape(name) + rb"\b", name + b"_m%d" % n, lines[one], count=1) for n in range(min(many, 5000))]
        return b"\n".join(lines)
    found = list(re.finditer(rb"(?<=\()%\w+(?=[,)])", text))
    if found:
        one = rng.choice(found)
        return text[:one.end()] + (b", " + one.group()) * many + text[one.end():]
    return text


CHANGES = [change_size, change_size, repeat_name, call_in_circle, nest, multiply_parts]


def change_structure(text, _pool, rng):
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        text = rng.choice(CHANGES)(text, rng)
    return text[:4 << 20]


# Messages of protocol buffers, without their schema.


def read_number(data, at):
    number = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("no number")
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def write_number(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_message(data, depth=0):
    """[[field, kind, value]]; a value of bytes that is a message becomes one."""
    fields, at = [], 0
    while at < len(data):
        tag, at = read_number(data, at)
        field, kind = tag >> 3, tag & 7
        if not 0 < field < 1000:
            raise ValueError("no field")
        if kind == 0:
            value, at = read_number(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = data[at:at + size], at + size
        elif kind == 2:
            size, at = read_number(data, at)
            value, at = data[at:at + size], at + size
            if depth < 12 and len(value) > 1 and not re.fullmatch(rb"[\w./:]+", value):
                try:
                    value = read_message(value, depth + 1)
                except ValueError:
                    pass
        else:
            raise ValueError("no kind")
        if at > len(data):
            raise ValueError("too short")
        fields.append([field, kind, value])
    return fields


def write_message(fields):
    out = bytearray()
    for field, kind, value in fields:
        out += write_number(field << 3 | kind)
        if kind == 0:
            out += write_number(value)
            continue
        value = write_message(value) if isinstance(value, list) else value
        out += write_number(len(value)) + value if kind == 2 else value
    return bytes(out)


def every_field(fields, found):
    for at, one in enumerate(fields):
        found.append((fields, at))
        if isinstance(one[2], list):
            every_field(one[2], found)
    return found


def change_message(data, _pool, rng):
    """A file of protocol buffers with numbers, names and parts that are others', repeated, missing, or inside of themselves."""
    try:
        message = read_message(data)
    except ValueError:  # one of the seeds is no message
        return data
    for _ in range(rng.choice([1, 1, 2, 3])):
        found = every_field(message, [])
        fields, at = rng.choice(found)
        one = fields[at]
        other = rng.choice(found)
        other = other[0][other[1]]
        kind = rng.randrange(6)
        if isinstance(one[2], int):
            one[2] = rng.choice([0, 1, 2, 7, -1, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, other[2] if isinstance(other[2], int) else 3])
        elif kind == 0:
            del fields[at]
        elif kind == 1:
            fields[at:at] = [one] * rng.choice([1, 2, 1000])
        elif kind == 2:
            fields[at] = [one[0], other[1], copy.deepcopy(other[2])]
        elif kind == 3 and isinstance(one[2], list):
            inside = write_message([one])
            for _ in range(rng.choice([3, 50, 1000])):
                inside = write_number(one[0] << 3 | 2) + write_number(len(inside)) + inside
            fields[at] = [one[0], 2, inside]
        elif kind == 4 and isinstance(one[2], bytes):
            texts = [f[a][2] for f, a in found if isinstance(f[a][2], bytes) and f[a][1] == 2]
            one[2] = rng.choice([b"", rng.choice(texts), one[2] * 1000, bytes(8), b"\xff" * 8])
        elif isinstance(one[2], list):
            rng.shuffle(one[2])
        if len(write_message(message)) > 4 << 20 or not message:
            break
    return write_message(message)
