# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a class for a machine with a scratchpad with the description of the chip, where both say the same thing. Needs nothing beside
it; later releases of Kiln bring newer copies."""
import difflib
import functools
import re
import sys
import types


@functools.lru_cache(maxsize=16)
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


def check_memories(text, memories, size, align):
    """Refuses a memory of the class that is larger than that of the description, or whose tiles begin where that does not let them. `size`
    is that of the one scratchpad of a class without `memories`, `align` what counts where a memory has none of its own."""
    described = {memory.get("name", "").strip('"'): memory for memory in fields_of(text, "memory")}
    if not memories:
        own = [name for name, memory in described.items() if memory.get("kind") == "explicit" and memory.get("scope") != "device"]
        memories = {own[0]: (0, size)} if len(own) == 1 else {}
    for name, (_, most, *own) in memories.items():
        memory, step = described.get(name, {}), (own or [align])[0]
        if memory.get("size", "").isdigit() and most > int(memory["size"]):
            raise ValueError(f"expected memory '{name}' to have at most the {memory['size']} bytes of the description, found {most}")
        if memory.get("align", "").isdigit() and step % max(int(memory["align"]), 1):
            raise ValueError(f"expected tiles of memory '{name}' to begin at multiples of {memory['align']} bytes, as the description says, "
                             f"found align = {step}")


def check_product(text, block, homes, memories):
    """Refuses blocks and homes of products that no matrix instruction of the description has."""
    instructions = fields_of(text, "matrix_instruction")
    for size, name, dim in zip(block, ("rows", "columns", "steps"), "mnk"):
        sizes = [int(number) for one in instructions for number in re.findall(r"\d+", one.get(dim, "").partition(" by ")[0])]
        if sizes and size > max(sizes):
            raise ValueError(f"expected block to have at most {max(sizes)} {name}, as `{dim}` of the description, found {size}")
    for home, operand in zip(homes, ("lhs", "rhs", "acc")):
        described = {found.group(1) for one in instructions if (found := re.search(r'home\s*=\s*"([^"]*)"', one.get(operand, "")))}
        if (home is not None or len(memories) > 1) and described and home not in described:
            raise ValueError(f"expected the home of {operand} to be '{sorted(described)[0]}', as the description has it, found {home!r}")


@functools.lru_cache(maxsize=64)
def instruction_of(text, elements):
    """The name of the first matrix instruction of the description for elements of the left, the right operand and the accumulator;
    None where it has none. An instruction of `si8` or `ui8` is one of `i8`."""
    for one in fields_of(text, "matrix_instruction"):
        lists = [re.search(r"types\s*=\s*\[([^\]]*)\]", one.get(operand, "")) for operand in ("lhs", "rhs", "acc")]
        if all(found and element in [type.strip().lstrip("su") for type in found.group(1).split(",")] for found, element in zip(lists, elements)):
            return one.get("name", "").strip('"')
    return None


def lacks_product(text, elements):
    """Whether the description has matrix instructions, and none for these elements."""
    return bool(fields_of(text, "matrix_instruction")) and instruction_of(text, elements) is None


@functools.lru_cache(maxsize=None)
def check_names(writer, base):
    """Refuses a name of a vendor's classes, up to the base class of the SDK, that is almost one which they leave as it is. A class that
    passes is not looked at again."""
    classes = writer.__mro__[:writer.__mro__.index(base)]
    for own in classes:
        above = own.__base__
        known = [name for name in dir(above) if not name.startswith("_")]
        for name in vars(own):
            if name.startswith("_") or hasattr(above, name):
                continue
            left = [other for other in known if getattr(own, other) is getattr(above, other)]
            near = difflib.get_close_matches(name, left, 1, 0.7)
            if near and name[0] == near[0][0] and abs(len(name) - len(near[0])) <= 2 and not used(name, classes, base):
                raise ValueError(f"expected '{own.__name__}' to have names of its base class or to use its own, found '{name}', "
                                 f"did you mean '{near[0]}'")


def used(name, classes, base):
    """Whether the classes of a vendor, or functions and other classes of their modules, use an attribute."""
    shared = {one.__module__ for one in base.__mro__}
    values = [value for own in classes for value in vars(own).values()]
    for module in {own.__module__ for own in classes} - shared:
        for value in list(getattr(sys.modules.get(module), "__dict__", {}).values()):
            if isinstance(value, (type, types.FunctionType)) and value.__module__ not in shared:
                values += vars(value).values() if isinstance(value, type) else [value]
    return any(names(code, name) for value in values for code in codes(value))


def names(code, name):
    """Whether the code of a function, or of one within it, names an attribute, as `self.NAME` or for `getattr`."""
    return name in code.co_names or name in code.co_consts or any(names(one, name) for one in code.co_consts if isinstance(one, types.CodeType))


def codes(value):
    """The code of what a class holds: of functions, properties, static methods and methods of the class, and of tables of functions."""
    if isinstance(value, (dict, list, tuple)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from codes(one)
    elif isinstance(value, types.FunctionType):
        yield value.__code__
        yield from codes(getattr(value, "__wrapped__", None))
    elif value is not None and not isinstance(value, type):
        for part in ("fget", "fset", "fdel", "__func__", "func"):  # the last of functools
            inner = getattr(value, part, None)
            if isinstance(inner, types.FunctionType):
                yield from codes(inner)
