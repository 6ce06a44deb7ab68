# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the inner loops of products in the assembly that kiln-compile writes.

inner_loops.py rate MCA CHIP:MODEL:TYPE:LEAST...    multiply-adds of each cycle, by llvm-mca with the timing of MODEL
inner_loops.py stack CHIP...                        accesses to the stack, for each row of the chips' descriptions
inner_loops.py crowd CHIP...                        the same with twice the registers that the chips have

LEAST is the number that is expected of each cycle; in vectors where it ends in v, and, with an r, cycles for each
register, of which it is the most. Works in the current folder.
"""
import os
import re
import subprocess
import sys

SIZE = 512
OPERATION = re.compile(r"^\s*(v?f?n?m(la|ad|acc|adc|sac|add\d*)\w*|[bsuf]+dot|u?su?dot|[bsuf]+mm?la|[bsuf]+mopa|"
                       r"vfwmacc\w*|vpdp\w+|vdpbf16ps|vpmadd\w+|tdp\w+)\b")
STACK = {"x86_64": r"\(%rsp", "aarch64": r"\[sp\b", "riscv64": r"\(sp\)"}
BRANCH = re.compile(r"^\s*(b|j|cb|tb)[\w.]*\s.*?([.]L\w+)\s*$")
LABEL = re.compile(r"^([.]L\w+):")
# Instructions that mean another one: with factors exchanged, or with the sum that follows.
ALSO = {"usdot": "sudot", "vpmaddwd": "vpdpwssd"}


def architecture(triple):
    return triple.split("-")[0]


def element(name):
    """The type of a kernel's elements; numbers of seven bits are bytes, too."""
    return {"si": "i", "ui": "i"}.get(name[:2], "") + {"7": "8"}.get(name[2:], name[2:]) if name[1] == "i" else name


def kernel(lhs, rhs, acc, size=SIZE):
    signs = " ".join(side for side, name in (("lhs_unsigned", lhs), ("rhs_unsigned", rhs)) if name.startswith("ui"))
    x, y, z = element(lhs), element(rhs), element(acc)
    shape = f"{size}x{size}x"
    return f"""
tile.kernel @product(%x: !tile.view<{shape}{x}> {{tile.readonly}}, %y: !tile.view<{shape}{y}> {{tile.readonly}}, %z: !tile.view<{shape}{z}>) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0{"" if z[0] == "i" else ".0"}> : tensor<{shape}{z}>
  %a = tile.load %x[%c0, %c0] : !tile.view<{shape}{x}> -> tensor<{shape}{x}>
  %b = tile.load %y[%c0, %c0] : !tile.view<{shape}{y}> -> tensor<{shape}{y}>
  %d = tile.dot %a, %b, %zero {signs} : tensor<{shape}{x}>, tensor<{shape}{y}>, tensor<{shape}{z}>
  tile.store %d, %z[%c0, %c0] : tensor<{shape}{z}>, !tile.view<{shape}{z}>
}}
"""


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr[-500:]}")
    return done.stdout


def assembly(target, *types):
    with open("product.mlir", "w", encoding="utf-8") as file:
        file.write(kernel(*types))
    return run(["kiln-compile", "product.mlir", "--target=" + target, "--no-fallback", "--quiet", "--emit=asm", "-o", "-"])


def inner_loops(text):
    """The instructions of loops that hold no other, each with the lines before it."""
    lines = text.split("\n")
    at = {match.group(1): i for i, line in enumerate(lines) if (match := LABEL.match(line))}
    found = []
    for end, line in enumerate(lines):
        branch = BRANCH.match(re.split(r"\s(?:#|//)", line)[0].rstrip())
        if branch and at.get(branch.group(2), end) < end:
            found.append((at[branch.group(2)], end))
    for begin, end in found:
        if not any(begin <= b and e <= end and (b, e) != (begin, end) for b, e in found):
            yield [line for line in lines[begin:end + 1] if re.match(r"\s+[a-z]", line)], lines[:begin]


def multiplications(loop):
    return sum(bool(OPERATION.match(line)) for line in loop)


def product_loop(text, instruction=""):
    """The loop with most multiplications, by one instruction where that is named."""
    names = [instruction, ALSO.get(instruction, instruction)]
    return max(inner_loops(text), key=lambda pair: (
        sum(any(name in line for name in names) for line in pair[0]) if instruction else 0, multiplications(pair[0])))


def description(chip):
    text = run(["kiln-compile", "--describe=cpu:" + chip])
    return text[text.index("#kiln.target<"):].split("\n\n")[0]


def rows(text):
    """The matrix instructions of a description: their text, name and types."""
    for row in re.finditer(r"#kiln\.matrix_instruction<name = \"([^\"]+)\".*?acc = <[^>]*>[^>]*>", text, re.DOTALL):
        yield row.group(0), row.group(1), re.findall(r"types = \[(\w+)", row.group(0))


def stack(chips, times=1):
    for chip in chips:
        whole = re.sub(r"(kind = vector, bits = \d+, registers = )(\d+)",
                       lambda found: found.group(1) + str(times * int(found.group(2))), description(chip))
        triple = re.search(r'triple = "([^"]*)"', whole).group(1)
        every = list(rows(whole))
        begin, end = whole.index(every[0][0]), whole.index(every[-1][0]) + len(every[-1][0])
        accesses, products = 0, 0
        # What is for numbers of fewer bits stands behind a guard, beside another instruction.
        beside = "".join(text + ", " for text, name, _ in every if name == "vpmaddwd")
        for text, name, types in every:
            narrow = any(one.endswith("7") for one in types)
            with open("row.txt", "w", encoding="utf-8") as file:
                file.write(whole[:begin] + (beside if narrow else "") + text + whole[end:])
            instruction = name.split(".")[0].removeprefix("fma")
            loop, _ = product_loop(assembly(f"cpu:{chip},description=row.txt", *types), instruction)
            bad = [line.strip() for line in loop if re.search(STACK[architecture(triple)], line)]
            names = (instruction, ALSO.get(instruction, instruction))
            if not multiplications(loop) or not any(one in line for one in names for line in loop):
                print(f"{chip}: {name} is not in its loop")
            if bad:
                print(f"{chip}: {name}: {len(bad)} of {len(loop)}: {bad[0]}")
            accesses, products = accesses + len(bad), products + 1
        print(f"{chip}: {products} rows, {accesses} accesses to the stack")


def grouped(loop, before):
    """Says to llvm-mca how many registers instructions of RISC-V are for, which the loop may not repeat."""
    set_before = [line for line in before if "vsetvli" in line or "vsetivli" in line]
    first = next((line for line in loop if "vset" in line), set_before[-1] if set_before else "")
    width = re.search(r"\b(e\d+), (mf?\d)", first)
    if not width:
        return loop, 1
    notes = [f"# LLVM-MCA-RISCV-LMUL {width.group(2).upper()}", f"# LLVM-MCA-RISCV-SEW {width.group(1).upper()}"]
    return notes + loop, int(width.group(2)[1:])


def rate(mca, cases):
    lengths = {"smmla": 32, "bfmmla": 16, "sdot": 16}
    for case in cases:
        chip, model, name, least = case.split(":")
        types = {"f32": ("f32", "f32", "f32"), "bf16": ("bf16", "bf16", "f32"), "bytes": ("si8", "si8", "i32")}[name]
        loop, before = product_loop(assembly("cpu:" + chip, *types))
        triple = re.search(r'triple = "([^"]*)"', description(chip)).group(1)
        number, registers = multiplications(loop), 1
        if architecture(triple) == "riscv64":
            loop, registers = grouped(loop, before)
        iterations = 200
        timed = run([mca, "-mtriple=" + triple, "-mcpu=" + model, f"-iterations={iterations}"], "\n".join(loop))
        cycles = int(re.search(r"Total Cycles:\s+(\d+)", timed).group(1)) / iterations
        if least.endswith("r"):
            each = cycles / number / registers
            print(f"{chip}: {name}: {each:.2f} cycles for each register: {'good' if each <= float(least[:-1]) else 'slow'}")
            continue
        each = number / cycles
        unit = "vectors"
        if not least.endswith("v"):
            instruction = next(OPERATION.match(line).group(1) for line in loop if OPERATION.match(line))
            bits = int(re.search(r"kind = vector, bits = (\d+)", description(chip)).group(1))
            each *= lengths[instruction] * bits / 128
            unit = name
        good = each >= float(least.rstrip("v"))
        print(f"{chip}: {name}: {each:.2f} {unit} a cycle: {'good' if good else 'slow'}")


def main():
    command, *rest = sys.argv[1:]
    if command == "rate":
        rate(rest[0], rest[1:])
    else:
        stack(rest, times=2 if command == "crowd" else 1)


if __name__ == "__main__":
    os.environ["KILN_NO_FALLBACK"] = "1"
    main()
