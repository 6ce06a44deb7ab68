# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page for each operation of Kiln's dialects: definition, meaning, lowering on each target, accuracy, tests.

Everything is found in the tree: definitions in the generated reference, the rest by the operation's class and name."""
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
TARGETS = [("reference", ["dialects/{dialect}/Eval"]), ("cpu", ["lib/CodeGen/Cpu", "targets/cpu"]),
           ("nvidia", ["lib/CodeGen/Gpu", "targets/nvidia"]), ("amd", ["lib/CodeGen/Gpu", "targets/amd"])]
FRONTENDS = [("conversions", "frontends that produce it")]


class Tree:
    """The sources, read once: which files mention which class of operations, and which tests name which operation."""

    def __init__(self, source):
        self.source = source
        self.classes, self.tests, self.accuracy = {}, {}, {}
        for folder in ("dialects", "lib", "conversions", "targets"):
            for path in sorted(glob.glob(f"{source}/{folder}/**/*.cpp", recursive=True)):
                for word in set(re.findall(r"\b[A-Z]\w*Op\b", self.read(path))):
                    self.classes.setdefault(word, []).append(os.path.relpath(path, source))
        names = "|".join(DIALECTS)
        for path in sorted(glob.glob(f"{source}/test/**/*.mlir", recursive=True)):
            for word in set(re.findall(rf"\b(?:{names})\.\w+", self.read(path))):
                self.tests.setdefault(word, []).append(os.path.relpath(path, source))
        rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", self.read(f"{source}/docs/accuracy.md"), re.MULTILINE)
        self.accuracy = {name: errors for name, *errors in rows}

    @staticmethod
    def read(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def mentions(self, op_class, places, dialect):
        """Lines of a list: each place with the files there that mention the class."""
        for folder, says in places:
            folder = folder.format(dialect=dialect)
            files = [path for path in self.classes.get(op_class, []) if path.startswith(folder + "/")
                     and (folder != "conversions" or not path.startswith("conversions/PrimToTile/"))]
            if files:
                more = f" and {len(files) - 6} more" if len(files) > 6 else ""
                yield f"- {says}: " + ", ".join(f"`{path}`" for path in files[:6]) + more


def lowering(tree, op_class, dialect):
    """The passes for every target, then a row for each target with the files that name the operation there."""
    shared = list(tree.mentions(op_class, LOWERING, dialect))
    text = "\n## Lowering\n\n"
    if shared:
        text += "For every target:\n\n" + "\n".join(shared) + "\n\n"
    text += "| target | in |\n|---|---|\n"
    for target, folders in TARGETS:
        folders = [folder.format(dialect=dialect) for folder in folders]
        files = [path for path in tree.classes.get(op_class, []) if path.startswith(tuple(folder + "/" for folder in folders))]
        text += f"| `{target}` | {', '.join(f'`{path}`' for path in files[:8]) or 'reached by an interface, or lowered before'} |\n"
    return text


def section(title, lines, without):
    lines = list(lines)
    return f"\n## {title}\n\n" + ("\n".join(lines) if lines else without) + "\n"


def page(tree, name, dialect, mnemonic, op_class, definition, source_td):
    short = op_class.split("::")[-1]
    text = f"# `{name}`\n\n{definition.strip()}\n".replace("\n#### ", "\n### ")
    text = text.replace("\n\nSyntax:\n", "\n\n## Definition\n\nSyntax:\n", 1)
    if "\n## Definition\n" not in text:
        head, _, rest = text.partition("_\n")
        text = head + "_\n\n## Definition\n" + rest
    text += f"\nDefined in `{source_td}`, class `{op_class}`.\n"
    text += section("Meaning", tree.mentions(short, MEANING, dialect),
                    "The definition above. The evaluation reaches it by an interface, not by its name.")
    text += lowering(tree, short, dialect)
    frontends = list(tree.mentions(short, FRONTENDS, dialect)) if dialect == "prim" else []
    if frontends:
        text += section("Frontends", frontends, "")
    text += "\n## Accuracy\n\n"
    if dialect == "prim" and mnemonic in tree.accuracy:
        f32, f16, bf16 = tree.accuracy[mnemonic]
        text += (f"Worst measured error on the target `cpu`, in units of the last place: {f32} (f32), {f16} (f16), {bf16} (bf16). "
                 "[Numerics](../numerics.md) states the bound that holds for every target.\n")
    else:
        text += "The definition states what is exact and what has a bound; [numerics](../numerics.md) has the rules for all operations.\n"
    # Tests at the operation's own level first.
    tests = sorted(tree.tests.get(name, []), key=lambda path: (not path.startswith(f"test/{dialect}/"), path))
    text += section("Tests", [f"- `{path}`" for path in tests[:12]]
                    + ([f"- and {len(tests) - 12} more"] if len(tests) > 12 else []),
                    "Tests reach it through a frontend: `grep -r` for what produces it.")
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
