# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page for each operation of Kiln's dialects: definition, meaning, lowering on each target, accuracy, tests.

Everything is found in the tree: definitions in the generated reference, the rest by the operation's class and name."""
import collections
import glob
import os
import re

DIALECTS = {"prim": "operations on whole tensors", "tile": "block programs", "stage": "where tiles live and what moves when",
            "simt": "code of threads, warps and blocks", "program": "host programs"}
OP = re.compile(r"^### `((\w+)\.([\w.]+))` \(::([\w:]+)\)\n(.*?)(?=^### |\Z)", re.MULTILINE | re.DOTALL)

# What a mention of the operation's class means, by the folder of the file.
MEANING = [("dialects/{dialect}/Eval", "evaluation, which defines the result and is the target `reference`")]
LOWERING = [("lib/Compiler/Transforms", "rewritten on the same level"),
            ("lib/Compiler/Schedule", "scheduled into tile kernels"),
            ("conversions/PrimToTile", "converted to tile kernels and host programs"),
            ("lib/Compiler/Staging", "storage, copies and matmuls decided"),
            ("lib/Compiler/Tiling", "block sizes chosen")]
# A row of the table of targets: its name, its folders, and what it says where they lower nothing.
EARLIER = "absent, or lowered before the code generator sees it"
TARGETS = [("`reference`", ["dialects/{dialect}/Eval"], EARLIER), ("`cpu`", ["lib/CodeGen/Cpu", "targets/cpu"], EARLIER),
           ("all GPUs", ["lib/CodeGen/Gpu"], EARLIER), ("`nvidia`", ["targets/nvidia"], "nothing of its own"),
           ("`amd`", ["targets/amd"], "nothing of its own")]


# Interfaces by which passes treat an operation without naming it; upstream's say little about Kiln's passes.
UPSTREAM = re.compile(r"MemoryEffect|Speculat|InferType|BytecodeOp|SymbolUser|RegionBranch|OpAsm|CallOp|RegionKind|LoopLike")
# An entry of a code generator's table, as `table.add<tile::ScanOp>(lowerScan)`, and the definition of such a function.
ENTRY = re.compile(r"\.add<(?:\w+::)*(\w+)(?: \*)?>\(\s*(?:\"[^\"]*\",\s*)?(?:k(\w+),\s*)?(lower\w+)")
LOWERS = re.compile(r"^(?:static )?LogicalResult (?:\w+::)?(lower\w+)\(", re.MULTILINE)
# A function that takes the operation, a pattern for it, or its entry in a table: most likely the place to read first.
TAKES = r"(?:[(,]\s*(?:\w+::)?{op}(?: \w+)?\s*[,)]|(?:Pattern|Rewrite|add|findSingleOp|lower\w*|Rule)<[^<>;]*\b{op}\b)"


class Tree:
    """The sources, read once: which files use which class of operations and which interface, and which tests name which
    operation. A file that only creates an operation does not lower it."""

    def __init__(self, source):
        self.source = source
        self.uses, self.takes, self.makes, self.interfaces, self.tests, self.accuracy = {}, {}, {}, {}, {}, {}
        self.entries, self.bodies = {}, {}  # functions of tables by operation or interface, and the files that define them
        self.holders = collections.Counter()  # how many operations have an interface
        for folder in ("dialects", "lib", "conversions", "targets"):
            for path in sorted(glob.glob(f"{source}/{folder}/**/*.cpp", recursive=True)):
                self.read_source(os.path.relpath(path, source), self.read(path))
        names = "|".join(DIALECTS)
        for path in sorted(glob.glob(f"{source}/test/**/*.mlir", recursive=True)):
            words = re.findall(rf"\b(?:{names})\.\w+", self.read(path))
            for word in set(words):
                self.tests.setdefault(word, {})[os.path.relpath(path, source)] = words.count(word)
        rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", self.read(f"{source}/docs/accuracy.md"), re.MULTILINE)
        self.accuracy = {name: errors for name, *errors in rows}

    @staticmethod
    def read(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def read_source(self, path, text):
        for word in set(re.findall(r"\b\w+OpInterface\b", text)):
            self.interfaces.setdefault(word, []).append(path)
            if re.search(TAKES.format(op=word), text):
                self.takes.setdefault(("", word), []).append(path)
        folder = os.path.dirname(path)
        for op, kind, function in ENTRY.findall(text):
            self.entries[folder, kind + "OpInterface" if kind else op] = function
        for function in LOWERS.findall(text):
            self.bodies[folder, function] = path
        # Which dialect a class without a namespace belongs to.
        home = [name for name in DIALECTS if re.search(rf"(?:using namespace|namespace) kiln::{name}\b|using kiln::{name}::", text)
                or path.startswith(f"dialects/{name}/")]
        for space, op, creates in set(re.findall(r"(?:\b(\w+)::)?\b([A-Z]\w*Op)\b(::create)?", text)):
            for dialect in [space] if space else home:
                if creates:
                    self.makes.setdefault((dialect, op), []).append(path)
                    continue
                self.uses.setdefault((dialect, op), []).append(path)
                if re.search(TAKES.format(op=op), text):
                    self.takes.setdefault((dialect, op), []).append(path)

    def files(self, dialect, op_class, folders):
        """Files of the folders that use the operation, those first that take it as an argument or have a pattern for it."""
        takes = self.takes.get((dialect, op_class), [])
        found = {path for path in self.uses.get((dialect, op_class), []) if path.startswith(tuple(folder + "/" for folder in folders))}
        body = self.body(op_class)
        # A table of lowerings leads on to the file of each.
        return sorted(found, key=lambda path: (not body(path), not is_lowering(path), path not in takes, path.endswith("Lowerings.cpp"),
                                               path)), takes

    def body(self, name):
        """Whether a file has the function that the table of its folder names for an operation or an interface."""
        def holds(path):
            folder = os.path.dirname(path)
            return self.bodies.get((folder, self.entries.get((folder, name)))) == path
        return holds

    def staged(self, interface, folder):
        """The file of a folder that makes an operation, which the folder's table lowers, of those with an interface, and the
        file of that lowering; none if several files make it."""
        for (_, made), paths in self.makes.items():
            here = {path for path in paths if os.path.dirname(path) == folder}
            body = self.bodies.get((folder, self.entries.get((folder, made))))
            if body and len(here) == 1 and here <= set(self.takes.get(("", interface), [])):
                return [*here, body]
        return []

    def mentions(self, op_class, places, dialect):
        """Lines of a list: each place with the files there that use the class."""
        for folder, says in places:
            files, takes = self.files(dialect, op_class, [folder.format(dialect=dialect)])
            if files:
                yield f"- {says}: " + listed(files, takes, 6)


def is_lowering(path):
    """Whether a file of a target is called after the lowering that it has."""
    return path.startswith("targets/") and os.path.basename(path).startswith(("Lower", "Convert"))


def listed(files, takes, most):
    """Files as text; those to read first are bold."""
    more = f" and {len(files) - most} more" if len(files) > most else ""
    return ", ".join(f"**`{path}`**" if path in takes else f"`{path}`" for path in files[:most]) + more


def by_interface(tree, interfaces, folders):
    """The files that reach the operation by the first of its interfaces that they ask: one that a table lowers before others."""
    def is_lowered(interface):
        return any(path.startswith(tuple(folder + "/" for folder in folders)) and tree.body(interface)(path)
                   for path in tree.interfaces.get(interface, []))
    for interface in sorted(interfaces, key=lambda interface: not is_lowered(interface)):
        takes = tree.takes.get(("", interface), [])
        files = [path for path in tree.interfaces.get(interface, []) if path.startswith(tuple(folder + "/" for folder in folders))]
        if files:
            body = tree.body(interface)
            staged = [path for folder in folders for path in tree.staged(interface, folder)]
            if staged and not any(body(path) for path in files):
                return f"by `{interface}`: " + listed(staged, staged, 6)
            # The function of a table may take any operation, so that it does not name the interface.
            takes = takes + [path for path in files if body(path)]
            return f"by `{interface}`: " + listed(sorted(files, key=lambda path: (not body(path), path not in takes, path)), takes, 6)
    return ""


def interfaces_of(definition):
    """Kiln's interfaces of an operation."""
    line = re.search(r"^Interfaces: (.*)$", definition, re.MULTILINE)
    return [name for name in re.findall(r"\b(\w+OpInterface)\b", line.group(1) if line else "") if not UPSTREAM.search(name)]


def lowering(tree, op_class, dialect, interfaces):
    """The passes for every target, then a row for each target with the files that lower the operation there."""
    shared = list(tree.mentions(op_class, LOWERING, dialect))
    text = "\n## Lowering\n\nA file in bold has a function or a pattern for this operation. The file that lowers it stands first.\n\n"
    if shared:
        text += "For every target:\n\n" + "\n".join(shared) + "\n\n"
    text += "| target | in |\n|---|---|\n"
    for target, folders, nothing in TARGETS:
        folders = [folder.format(dialect=dialect) for folder in folders]
        files, takes = tree.files(dialect, op_class, folders)
        found = listed(files, takes, 6) if files else by_interface(tree, interfaces, folders)
        text += f"| {target} | {found or nothing} |\n"
    return text


def tests_of(tree, name, dialect, mnemonic):
    """Tests of the operation: at its own level first, then one of each other folder, each time the test that is most about it."""
    counts = tree.tests.get(name, {})

    def rank(path):
        stem = os.path.splitext(os.path.basename(path))[0]
        return ("/Inputs/" in path, mnemonic.split("_")[0] not in stem, -counts[path], path)

    own = sorted((path for path in counts if path.startswith(f"test/{dialect}/")), key=rank)
    others = {}
    for path in sorted(counts, key=rank):
        others.setdefault(path.split("/")[1], path)
    others.pop(dialect, None)
    shown = own[:4] + sorted(others.values())[:8]
    return [f"- `{path}`" for path in shown] + ([f"- and {len(counts) - len(shown)} more"] if len(counts) > len(shown) else [])


def section(title, lines, without):
    lines = list(lines)
    return f"\n## {title}\n\n" + ("\n".join(lines) if lines else without) + "\n"


def page(tree, name, dialect, mnemonic, op_class, definition, source_td):
    short = op_class.split("::")[-1]
    # Headings of the generated reference, such as "#### Operands:", are a level higher here, without the colon.
    text = re.sub(r"^#### (.*?):?$", r"### \1", f"# `{name}`\n\n{definition.strip()}\n", flags=re.MULTILINE)
    text = text.replace("\n\nSyntax:\n", "\n\n## Definition\n\nSyntax:\n", 1)
    if "\n## Definition\n" not in text:
        head, _, rest = text.partition("_\n")
        text = head + "_\n\n## Definition\n" + rest
    text += f"\nDefined in `{source_td}`, class `{op_class}`.\n"
    text += section("Meaning", tree.mentions(short, MEANING, dialect),
                    "The definition above. The evaluation reaches it by an interface, not by its name.")
    # What few operations are says the most.
    interfaces = sorted(interfaces_of(definition), key=lambda name: tree.holders[name])
    text += lowering(tree, short, dialect, interfaces)
    frontends = sorted({path for path in tree.makes.get((dialect, short), []) + tree.uses.get((dialect, short), [])
                        if path.startswith("conversions/") and not path.startswith("conversions/PrimToTile/")})
    if frontends and dialect in ("prim", "tile"):
        text += section("Frontends that produce it", [f"- `{path}`" for path in frontends[:8]], "")
    text += "\n## Accuracy\n\n"
    if dialect == "prim" and mnemonic in tree.accuracy:
        f32, f16, bf16 = tree.accuracy[mnemonic]
        text += (f"Worst measured error on the target `cpu`, in units of the last place: {f32} (f32), {f16} (f16), {bf16} (bf16). "
                 "[Numerics](../numerics.md) states the bound that holds for every target.\n")
    else:
        text += "The definition states what is exact and what has a bound; [numerics](../numerics.md) has the rules for all operations.\n"
    text += section("Tests", tests_of(tree, name, dialect, mnemonic), "Tests reach it through a frontend: `grep -r` for what produces it.")
    return text


def definitions(source):
    """Files with definitions, by the name of an operation."""
    found = {}
    for td in glob.glob(f"{source}/include/kiln/**/*.td", recursive=True):
        for dialect, mnemonic in re.findall(r"^def (\w+?)_\w+\s*:[^;{]*?<\"([\w.]+)\"", Tree.read(td), re.MULTILINE):
            found.setdefault(f"{dialect.lower()}.{mnemonic}", os.path.relpath(td, source))
    return found


def write(source, reference, out):
    """Writes a page for each operation, and an index; returns entries of the navigation."""
    os.makedirs(out, exist_ok=True)
    tree, tds = Tree(source), definitions(source)
    for path in glob.glob(f"{reference}/*.md"):
        for *_, definition in OP.findall(Tree.read(path)):
            tree.holders.update(interfaces_of(definition))
    nav, index = [{"All operations": "ops/index.md"}], "# Operations\n\nA page for each operation: definition, meaning, lowering, accuracy, tests.\n"
    for dialect, says in DIALECTS.items():
        found = {}
        for path in sorted(glob.glob(f"{reference}/{dialect}.md") + glob.glob(f"{reference}/{dialect}-*Ops.md")):
            for name, op_dialect, mnemonic, op_class, definition in OP.findall(Tree.read(path)):
                if op_dialect == dialect:
                    found[name] = (mnemonic, op_class, definition)
        index += f"\n## {dialect}\n\n{says[0].upper()}{says[1:]}.\n\n| operation | summary |\n|---|---|\n"
        entries = []
        for name, (mnemonic, op_class, definition) in sorted(found.items()):
            file = f"ops/{name}.md"
            definition = re.sub(r"\]\(\.\./", "](../", definition)
            with open(os.path.join(out, name + ".md"), "w", encoding="utf-8") as stream:
                # Behind pages that explain, before the tables of the reference.
                stream.write("---\nsearch:\n  boost: 0.5\n---\n\n" + page(tree, name, dialect, mnemonic, op_class, definition, tds.get(name, f"include/kiln/Dialect/{dialect.capitalize()}")))
            summary = re.search(r"_(.*?)_\n", definition)
            index += f"| [`{name}`]({name}.md) | {summary.group(1) if summary else ''} |\n"
            entries.append({name: file})
        nav.append({dialect: entries})
    with open(os.path.join(out, "index.md"), "w", encoding="utf-8") as stream:
        stream.write(index)
    return nav
