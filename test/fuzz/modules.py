# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of modules that are written in the generic form: operations lose attributes, get other types, operands and places, and
numbers that are huge or negative. What results is nearly valid, so that most of it reaches the verifier and the passes."""
import re

NUMBERS = [b"-1", b"0", b"1", b"2", b"3", b"7", b"33", b"4096", b"1048576", b"2147483647", b"4294967296", b"9223372036854775807",
           b"-9223372036854775808"]
SIZES = [b"0", b"1", b"2", b"3", b"7", b"48", b"128", b"65536", b"1073741824", b"4611686018427387904", b"?"]
ELEMENTS = [b"i1", b"i8", b"i16", b"i32", b"i64", b"index", b"f16", b"bf16", b"f32", b"f64", b"f8E4M3FN", b"f8E5M2", b"i4", b"i17", b"complex<f32>"]
NUMBER = re.compile(rb"(?<=[ =\[:(,<])-?\d+(?=[ ,\])}:>])")
TYPE = re.compile(rb"(?:!?[a-z][\w.]*<[^<>()\[\]{}=]*(?:<[^<>(){}=]*>)?[^<>()\[\]{}=]*>|\b(?:i\d+|index|f\d\w*|bf16)\b)")
OPERATION = re.compile(rb'^(\s*)(?:(%[\w#:, %]+) = )?"([\w.]+)"\(([^()]*)\)')
CLOSING = {b"(": b")", b"{": b"}", b"[": b"]", b"<": b">"}


def split(text):
    """The parts of a list at its commas, brackets and strings left whole."""
    parts, depth, quoted, begin = [], 0, False, 0
    for at in range(len(text)):
        one = text[at:at + 1]
        if one == b'"':
            quoted = not quoted
        elif quoted:
            continue
        elif one in CLOSING:
            depth += 1
        elif one in CLOSING.values() and text[at - 1:at] != b"-":
            depth -= 1
        elif one == b"," and depth == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
    return parts + [text[begin:].strip()]


def dictionary(line):
    """(begin, end) of what stands between the brackets of an operation's first attributes, or None."""
    begin = line.find(b"<{")
    begin = begin + 1 if begin >= 0 else line.find(b" {") + 1
    if not begin:
        return None
    depth, quoted = 0, False
    for at in range(begin, len(line)):
        one = line[at:at + 1]
        if one == b'"':
            quoted = not quoted
        elif not quoted and one == b"{":
            depth += 1
        elif not quoted and one == b"}":
            depth -= 1
            if depth == 0:
                return begin + 1, at
    return None


class Module:
    """The lines of a module, and what is known of them."""

    def __init__(self, text, rng):
        self.lines, self.rng = text.split(b"\n"), rng

    def operations(self, want=lambda line, found: True):
        """The numbers of lines that begin an operation that is wanted."""
        found = ((n, line, OPERATION.match(line)) for n, line in enumerate(self.lines))
        return [n for n, line, one in found if one and one.group(3) != b"builtin.module" and want(line, one)]

    def pick(self, want=lambda line, found: True):
        found = self.operations(want)
        return self.rng.choice(found) if found else None

    def end(self, at):
        """The line behind the operation of a line, with its regions."""
        if not self.lines[at].endswith(b"({"):
            return at + 1
        space = OPERATION.match(self.lines[at]).group(1)
        for n in range(at + 1, len(self.lines)):
            if self.lines[n].startswith(space + b"}") and not self.lines[n].endswith(b"({"):
                return n + 1
        return len(self.lines)

    def attributes(self):
        at = self.pick(lambda line, _: dictionary(line) is not None)
        if at is None:
            return None
        begin, end = dictionary(self.lines[at])
        return at, begin, end, split(self.lines[at][begin:end])

    def values(self):
        """{value: type} of what a line defines by one type."""
        made = {}
        for line in self.lines:
            for name, type_ in re.findall(rb"(%\w+): ((?:[^,<>()]|<(?:[^<>]|<[^<>]*>)*>)+)", line):
                made[name] = type_.strip()
            one = re.match(rb"\s*(%\w+) = .* -> ([^()]+)$", line)
            if one:
                made[one.group(1)] = one.group(2)
        return made

    def replace_in(self, at, begin, end, text):
        self.lines[at] = self.lines[at][:begin] + text + self.lines[at][end:]

    def remove_attribute(self):
        found = self.attributes()
        if found:
            at, begin, end, parts = found
            del parts[self.rng.randrange(len(parts))]
            self.replace_in(at, begin, end, b", ".join(parts))

    def other_attribute(self):
        """The attribute of another operation, beside those of this one or in the place of its namesake."""
        found, other = self.attributes(), self.attributes()
        if found:
            at, begin, end, parts = found
            part = self.rng.choice(other[3])
            key = part.split(b" = ")[0]
            kept = [one for one in parts if one.split(b" = ")[0] != key]
            self.replace_in(at, begin, end, b", ".join(kept + [part]))

    def other_value(self):
        """The value of one attribute for another of the same operation."""
        found = self.attributes()
        if found:
            at, begin, end, parts = found
            one, two = self.rng.randrange(len(parts)), self.rng.choice(parts)
            parts[one] = parts[one].split(b" = ")[0] + b" = " + two.split(b" = ", 1)[-1]
            self.replace_in(at, begin, end, b", ".join(parts))

    def number(self):
        at = self.pick(lambda line, _: NUMBER.search(line))
        if at is not None:
            one = self.rng.choice(list(NUMBER.finditer(self.lines[at])))
            self.replace_in(at, one.start(), one.end(), self.rng.choice(NUMBERS))

    def list_length(self):
        at = self.pick(lambda line, _: re.search(rb"array<i\d+: [^>]*>", line))
        if at is not None:
            one = self.rng.choice(list(re.finditer(rb"array<(i\d+): ([^>]*)>", self.lines[at])))
            parts = split(one.group(2))
            spot = self.rng.randrange(len(parts))
            if self.rng.randrange(2):
                parts.insert(spot, parts[spot])
            else:
                del parts[spot]
            self.replace_in(at, one.start(), one.end(), b"array<%s%s>" % (one.group(1), b": " + b", ".join(parts) if parts else b""))

    def size(self):
        """A size, in one place, in one line, or wherever it is written."""
        at = self.pick(lambda line, _: re.search(rb"(?<=[<x])(\d+|\?)(?=x)", line))
        if at is None:
            return
        one = self.rng.choice(list(re.finditer(rb"(?<=[<x])(\d+|\?)(?=x)", self.lines[at])))
        large, how = self.rng.choice(SIZES), self.rng.randrange(3)
        if how == 0:
            self.replace_in(at, one.start(), one.end(), large)
            return
        old = re.compile(rb"(?<=[<x])%s(?=x)" % re.escape(one.group()))
        for n in range(len(self.lines)) if how == 1 else [at]:
            self.lines[n] = old.sub(large, self.lines[n])

    def change_type(self):
        """A type, in one place or wherever it is written."""
        at = self.pick(lambda line, _: TYPE.search(line))
        if at is None:
            return
        one = self.rng.choice(list(TYPE.finditer(self.lines[at])))
        if self.rng.randrange(2):
            new = self.rng.choice(TYPE.findall(self.lines[self.pick(lambda line, _: TYPE.search(line))]))
        else:
            new = re.sub(rb"(?:complex<f32>|\b(?:index|bf16|[if]\d\w*))(?=>*$)", self.rng.choice(ELEMENTS), one.group())
        if self.rng.randrange(3) == 0:
            self.replace_in(at, one.start(), one.end(), new)
        else:
            self.lines = [line.replace(one.group(), new) for line in self.lines]

    def element(self):
        """An element type, wherever it is written."""
        at = self.pick(lambda line, _: TYPE.search(line))
        if at is not None:
            old = re.search(rb"\w+(?=>*$)", self.rng.choice(TYPE.findall(self.lines[at])))
            if old:
                new = self.rng.choice(ELEMENTS)
                self.lines = [re.sub(rb"\b(?<!\")%s\b(?=[>,) ]|$)" % re.escape(old.group()), new, line) for line in self.lines]

    def exchange_operands(self):
        at = self.pick(lambda _, found: found.group(4).count(b"%") > 1)
        if at is not None:
            found = OPERATION.match(self.lines[at])
            parts = split(found.group(4))
            one, two = self.rng.sample(range(len(parts)), 2)
            parts[one], parts[two] = parts[two], parts[one]
            self.replace_in(at, found.start(4), found.end(4), b", ".join(parts))

    def other_operand(self):
        """Another value, mostly of the same type."""
        at = self.pick(lambda _, found: b"%" in found.group(4))
        values = self.values()
        if at is not None:
            found = OPERATION.match(self.lines[at])
            parts = split(found.group(4))
            spot = self.rng.randrange(len(parts))
            like = [name for name, type_ in values.items() if type_ == values.get(parts[spot]) and name != parts[spot]]
            if not like or self.rng.randrange(6) == 0:
                like = list(values)
            if like:
                parts[spot] = self.rng.choice(like)
                self.replace_in(at, found.start(4), found.end(4), b", ".join(parts))

    def operand_count(self):
        at = self.pick(lambda _, found: b"%" in found.group(4))
        if at is None:
            return
        found = OPERATION.match(self.lines[at])
        parts, types = split(found.group(4)), re.search(rb" : \((.*)\) -> ", self.lines[at])
        listed = split(types.group(1)) if types else []
        if len(listed) != len(parts):
            return
        spot = self.rng.randrange(len(parts))
        if self.rng.randrange(2):
            parts.insert(spot, parts[spot])
            listed.insert(spot, listed[spot])
        else:
            del parts[spot], listed[spot]
        self.replace_in(at, types.start(1), types.end(1), b", ".join(listed))
        self.replace_in(at, found.start(4), found.end(4), b", ".join(parts))

    def move(self):
        at = self.pick()
        if at is not None:
            end = self.end(at)
            taken = self.lines[at:end]
            del self.lines[at:end]
            spot = self.pick()
            if self.rng.randrange(3) == 0 or spot is None:
                spot = min(max(1, at + self.rng.choice([-3, -2, -1, 1, 2, 3])), len(self.lines) - 1)
            self.lines[spot:spot] = taken

    def remove(self):
        """An operation; another value of its type takes the place of its result."""
        at = self.pick()
        if at is not None:
            values, end = self.values(), self.end(at)
            name = re.match(rb"\s*(%\w+) = ", self.lines[at])
            del self.lines[at:end]
            if name:
                like = [one for one, type_ in values.items() if type_ == values.get(name.group(1)) and one != name.group(1)]
                if like:
                    other = self.rng.choice(like)
                    self.lines = [re.sub(rb"%s\b" % re.escape(name.group(1)), other, line) for line in self.lines]

    def again(self):
        """An operation twice, under another name."""
        at = self.pick()
        if at is not None:
            taken = self.lines[at:self.end(at)]
            for name in set(re.findall(rb"^\s*(%\w+)(?=[ :,].*=)|(?<=\()(%\w+)(?=: )|(?<=, )(%\w+)(?=: )", b"\n".join(taken), re.MULTILINE)):
                for one in filter(None, name):
                    taken = [re.sub(rb"%s\b" % re.escape(one), one + b"_again", line) for line in taken]
            self.lines[at:at] = taken

    def empty_region(self):
        at = self.pick(lambda line, _: line.endswith(b"({"))
        if at is not None:
            del self.lines[at + 1:max(self.end(at) - 1, at + 1)]

    def other_name(self):
        """The name of another operation."""
        at, other = self.pick(), self.pick()
        if at is not None:
            found = OPERATION.match(self.lines[at])
            same = self.pick(lambda _, one: one.group(4).count(b"%") == found.group(4).count(b"%"))
            name = OPERATION.match(self.lines[same if self.rng.randrange(4) else other]).group(3)
            self.replace_in(at, found.start(3), found.end(3), name)

    def text(self):
        return b"\n".join(self.lines)


CHANGES = [Module.remove_attribute, Module.other_attribute, Module.other_value, Module.number, Module.number, Module.list_length,
           Module.size, Module.size, Module.change_type, Module.element, Module.exchange_operands, Module.other_operand,
           Module.other_operand, Module.operand_count, Module.move, Module.remove, Module.again, Module.empty_region, Module.other_name]


def change(text, rng):
    """Returns a module with one to three changes."""
    module = Module(text, rng)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        rng.choice(CHANGES)(module)
    return module.text()
