# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a class for a machine with a scratchpad with the description of the chip, where both say the same thing. Needs nothing beside
it; later releases of Kiln bring newer copies."""
import difflib
import re


def fields_of(text, kind):
    """The fields of each `#kiln.KIND<...>` of a description, by their names; what is in brackets stays text."""
    found = []
    for match in re.finditer(rf"#kiln\.{kind}\s*<", text):
        depth, begin, parts = 0, match.end(), []
        for at in range(begin, len(text)):
            depth += (text[at] in "<[{") - (text[at] in ">]}")
            if depth < 0 or (text[at] == "," and not depth):
                parts.append(text[begin:at])
                begin = at + 1
                if depth < 0:
                    break
        found.append({name.strip(): value.strip() for name, equals, value in (part.partition("=") for part in parts) if equals})
    return found


def check_memories(text, memories):
    """Refuses a memory of the class that is larger than that of the description."""
    sizes = {memory.get("name", "").strip('"'): memory.get("size") for memory in fields_of(text, "memory")}
    for name, (_, size, *_) in memories.items():
        described = sizes.get(name)
        if described and described.isdigit() and size > int(described):
            raise ValueError(f"expected memory '{name}' to have at most the {described} bytes of the description, found {size}")


def check_product(text, block, homes):
    """Refuses blocks and homes of products that no matrix instruction of the description has."""
    instructions = fields_of(text, "matrix_instruction")
    for size, name, dim in zip(block, ("rows", "columns", "steps"), "mnk"):
        sizes = [int(number) for one in instructions for number in re.findall(r"\d+", one.get(dim, "").partition(" by ")[0])]
        if sizes and size > max(sizes):
            raise ValueError(f"expected block to have at most {max(sizes)} {name}, as `{dim}` of the description, found {size}")
    for home, operand in zip(homes, ("lhs", "rhs", "acc")):
        described = {found.group(1) for one in instructions if (found := re.search(r'home\s*=\s*"([^"]*)"', one.get(operand, "")))}
        if home is not None and described and home not in described:
            raise ValueError(f"expected the home of {operand} to be '{sorted(described)[0]}', as the description has it, found '{home}'")


def check_names(own, base):
    """Refuses a name of a vendor's class that is almost one of the base class which it leaves as it is."""
    known = [name for name in dir(base) if not name.startswith("_")]
    for name in vars(own):
        if name.startswith("_") or hasattr(base, name):
            continue
        left = [other for other in known if getattr(own, other) is getattr(base, other)]
        near = difflib.get_close_matches(name, left, 1, 0.7)
        if near and name[0] == near[0][0] and abs(len(name) - len(near[0])) <= 2 and not used(own, name):
            raise ValueError(f"expected '{own.__name__}' to have names of its base class or to use its own, found '{name}', "
                             f"did you mean '{near[0]}'")


def used(own, name):
    """Whether a method of a class, or a function within one, names an attribute."""
    def names(code):
        return name in code.co_names or any(names(one) for one in code.co_consts if hasattr(one, "co_names"))
    return any(names(value.__code__) for value in vars(own).values() if hasattr(value, "__code__"))
