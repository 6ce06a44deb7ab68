# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes with a name that is almost one of the base class and is used in some way, which are accepted; and what is asked only once.
Usage: own_names.py FOLDER, where FOLDER has kiln_described.py"""
import sys

sys.path.insert(0, sys.argv[1])
from kiln_core import CoreWriter
from kiln_described import check_names
from kiln_isolated import Server, Target
from kiln_scratchpad import ScratchpadWriter

# How the name is used, by a class, a subclass of it or a function beside it.
USES = """
Writer.wide = lambda self: self.spreads()
Writer.wide = property(lambda self: self.spreads())
Writer.wide = property(None, lambda self, value: self.spreads(value))
Writer.wide = staticmethod(lambda writer: writer.spreads())
Writer.wide = classmethod(lambda own, writer: own.spreads(writer))
Writer.wide = functools.cached_property(lambda self: self.spreads())
Writer.wide = {"wide": lambda self: self.spreads()}
Writer.wide = lambda self: getattr(self, "spreads")()
wide = lambda writer: writer.spreads()
Base = Writer; Writer = type("Writer", (Base,), {"wide": lambda self: self.spreads()})
Other = type("Other", (Writer,), {"wide": lambda self: self.spreads()})
""".strip().splitlines()
KERNEL = '''  "tile.kernel"() <{function_type = () -> (), sym_name = "NAME"}> ({
    "tile.return"() : () -> () loc(unknown)
  }) : () -> () loc(unknown)
'''


def refused(use):
    """What is said of a class with `spreads`, in a module of its own."""
    module = type(sys)("vendor")
    sys.modules["vendor"] = module
    module.CoreWriter = CoreWriter
    exec("import functools\nclass Writer(CoreWriter):\n    def spreads(self, *values): return 1\n" + use, vars(module))
    try:
        check_names(module.Writer, ScratchpadWriter)
    except ValueError as error:
        return str(error)
    return None


class Counted(Target):
    asked = 0

    def describe(self, spec):
        self.asked += 1
        return "#kiln.target<>"


assert "found 'spreads', did you mean 'spread'" in refused(""), refused("")
for use in USES:
    assert refused(use) is None, (use, refused(use))

hits = check_names.cache_info().hits
check_names(CoreWriter, ScratchpadWriter)
check_names(CoreWriter, ScratchpadWriter)
assert check_names.cache_info().hits == hits + 1

counted = Counted()
text = '"builtin.module"() ({\n' + KERNEL.replace("NAME", "a") + KERNEL.replace("NAME", "b") + "}) : () -> () loc(unknown)\n"
found = list(Server(counted, None, None)._kernels({}, text.encode()))
assert [kernel.symbol for kernel, _ in found] == ["a", "b"] and counted.asked == 1, (len(found), counted.asked)
assert all(kernel.description == "#kiln.target<>" for kernel, _ in found)
