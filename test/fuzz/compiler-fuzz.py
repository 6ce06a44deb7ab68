#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compiler-fuzz.py BUILD text|bytecode|ttir|assembly|tiling|script|description|announced|structure|stablehlo|onnx SECONDS|COUNTx [SEED]: mutates the inputs of the
test suite (ttir: its Triton kernels, and those under $KILN_SHARED; assembly: the texts of its inline assembly, each in a kernel;
tiling: files of measured block sizes, for one program; script: schedule scripts, for the programs of their tests; description: descriptions of chips, in place of a target's and as targets) and compiles them,
for SECONDS or COUNT of them. Every run must end with status 0 or 1, and with 1 there must be a diagnostic with a place. onnx mutates the files that the tests write, stablehlo the text and the artifacts of the tests of StableHLO.
structure keeps inputs well-formed and makes them hostile (structures.py).
announced makes numbers, shapes and splats of both kinds large and
values out of sums of the same sums. No run may take more than 5 seconds of a processor or 1 GiB more than what it was made from.
Stops at the first that does. An interrupt or SIGTERM ends it with the numbers so far."""
import os
import random
import re
import signal
import subprocess
import sys
import time

from limited import CAUGHT, PLACE, Compiler
from structures import change_message, change_structure

WORDS = [b"tensor<", b"memref<", b"!tile.view<", b">", b"(", b")", b"{", b"}", b"[", b"]", b"?", b"x", b"f32",
         b"bf16", b"i1", b"i48", b"index", b"-1", b"0", b"9223372036854775807", b"4294967296", b"dense<", b"nan",
         b"array<i64: ", b"#kiln.target<", b"affine_map<(d0) -> (d0)>", b"\"", b"%0", b"%arg0", b"@main", b"^bb0",
         b"loc(unknown)", b"!tt.ptr<", b"!tt.tensordesc<", b"tt.load", b"tt.splat", b"tt.call", b"i64", b"si8", b"f8E5M2", b"dense_resource<a>", b"tosa.const", b"prim.dot_general", b"tile.load", b"scf.for",
         b"#a", b"!a", b"#a = ", b" floordiv 2", b"affine_set<(d0) : (d0 >= 0)>", b"ml_program.global", b"llvm.func",
         b"transform.named_sequence", b"#dlti.dl_spec<index = 32 : i32>", b"#sparse_tensor.encoding<{map = (d0) -> (d0 : dense)}>",
         b"bufferization.to_tensor", b"gpu.module @k {}", b"!transform.any_op", b"!llvm.ptr"]
SCRIPT_WORDS = [b"kiln.match", b"kiln.set_blocks", b"kiln.set_instruction", b"kiln.set_storage", b"kiln.set_layout", b"kiln.set_stages",
                b"kiln.set_warps", b"kiln.set_schedule", b"optional", b"transform.include", b"transform.foreach", b"transform.yield",
                b"transform.alternatives", b"transform.sequence", b"transform.get_parent_op", b"transform.merge_handles",
                b"transform.apply_registered_pass", b"!transform.op<\"tile.kernel\">", b"!transform.any_value", b"!transform.param<i64>",
                b"\"tile.dot\"", b"\"func.func\"", b"@core.tile", b"@core.after-raise", b"failures(propagate)", b"%arg0", b"%0",
                b"\"keep\"", b"[]", b"-1", b"0", b"7", b"64", b"1048576", b"9223372036854775807"]


def mutate_text(data, pool, rng, words=WORDS, most=5):
    lines = data.split(b"\n")
    for _ in range(rng.randrange(1, most + 1)):
        at = rng.randrange(len(lines))
        kind = rng.randrange(7)
        if kind == 0:
            del lines[at]
            lines = lines or [b""]
        elif kind == 1:
            lines.insert(at, lines[rng.randrange(len(lines))])
        elif kind == 2:
            other = rng.choice(pool).split(b"\n")
            lines.insert(at, rng.choice(other))
        else:
            tokens = re.split(rb"(\W)", lines[at])
            spot = rng.randrange(len(tokens))
            if kind == 3:
                tokens[spot] = rng.choice(words)
            elif kind == 4:
                tokens.insert(spot, rng.choice(words))
            elif kind == 5:
                del tokens[spot]
            else:
                tokens[spot] = re.sub(rb"\d+", lambda _: rng.choice([b"0", b"1", b"7", b"-3", b"65537"]), tokens[spot])
            lines[at] = b"".join(tokens)
    data = b"\n".join(lines)
    return data[:rng.randrange(len(data) + 1)] if rng.randrange(12) == 0 else data


DESCRIPTION_WORDS = [b"#kiln.memory<", b"#kiln.unit<", b"#kiln.matrix_instruction<", b"#kiln.range<8 to 64 by 8>", b"#kiln.order<col>",
                     b"#kiln.interleave<4>", b"name = ", b"size = ", b"line = ", b"align = ", b"bits = ", b"registers = ", b"types = [",
                     b"home = ", b"layout = ", b"accumulate = false", b"stationary = lhs", b"temporaries = ", b"cycles = ", b"cores = ",
                     b"threads = ", b"lanes = ", b"limits = {", b"max_tile_elements", b"kind = explicit", b"kind = cached", b"scope = core",
                     b"f32", b"bf16", b"si8", b"i1", b"i48", b"f64", b"\"\"", b"<", b">", b"[", b"]", b"{", b"}", b",", b"0", b"1", b"3",
                     b"-1", b"7", b"4096", b"4294967296", b"1099511627776", b"9223372036854775807"]


def mutate_description(data, pool, rng):
    """Entries of lists of others, and other words and numbers."""
    for _ in range(rng.randrange(0, 3)):
        parts = re.findall(rb"#kiln\.\w+<[^<>]*>|\w+ = [\w-]+", rng.choice(pool)) or [b"cores = 0"]
        own = list(re.finditer(rb"#kiln\.\w+<[^<>]*>|\w+ = [\w-]+", data))
        if own:
            one = rng.choice(own)
            other = rng.choice(parts)
            data = data[:one.start()] + rng.choice([other, other + b", " + one.group(), re.sub(
                rb"\d+", lambda _: rng.choice(LARGE + [b"0", b"1", b"3"]), one.group())]) + data[one.end():]
    return mutate_text(data, pool, rng, DESCRIPTION_WORDS, 2) if rng.randrange(2) else data


def mutate_script(data, pool, rng):
    return mutate_text(data, pool, rng, SCRIPT_WORDS, 2)


LARGE = [b"64", b"65536", b"16777216", b"1073741824", b"4294967296", b"1099511627776", b"35184372088832"]


def mutate_announced(data, _pool, rng):
    """Few bytes that announce much."""
    for _ in range(rng.randrange(1, 4)):
        kind = rng.randrange(4)
        large = rng.choice(LARGE)
        if kind == 0:  # a constant, as a splat of many
            found = list(re.finditer(rb"dense<(\[[^>]*\]|[^>]*)> *: *(tensor|vector)<([^<>]*)>", data))
            if found:
                one = rng.choice(found)
                value = re.search(rb"[-+.\w]+", one.group(1))
                dims = one.group(3).split(b"x")
                dims[:-1] = [rng.choice([large, dim, b"2"]) for dim in dims[:-1]] or [large]
                text = b"dense<%s> : %s<%s>" % (value.group() if value else b"0", one.group(2), b"x".join(dims))
                data = data[:one.start()] + text + data[one.end():]
        elif kind == 1:  # a size, wherever it is written
            found = list(re.finditer(rb"\d+(?=x)", data))
            if found:
                size = rng.choice(found).group()
                data = re.sub(rb"\b%s(?=x)" % size, large, data)
        elif kind == 2:  # a number of an attribute
            found = list(re.finditer(rb"(?<=[ =\[:(,])\d+(?=[ ,\])}:>])", data))
            if found:
                one = rng.choice(found)
                data = data[:one.start()] + large + data[one.end():]
        else:  # a sum, of itself again and again
            lines = data.split(b"\n")
            found = [n for n, line in enumerate(lines) if re.match(rb"\s*%\w+ = [\w.]+ %\w+, %\w+ .*: [^()]*$", line)]
            if found:
                at = rng.choice(found)
                name = re.match(rb"\s*(%\w+)", lines[at]).group(1)
                chain = [lines[at].replace(name + b" =", name + b"_0 =", 1)]
                rest = re.sub(rb"^\s*%\w+ = ([\w.]+) %\w+, %\w+", rb"\1", lines[at]).split(b" ", 1)
                for n in range(1, 64):
                    made = name if n == 63 else b"%s_%d" % (name, n)
                    chain.append(b"%s = %s %s_%d, %s_%d %s" % (made, rest[0], name, n - 1, name, n - 1, rest[1]))
                lines[at:at + 1] = chain
                data = b"\n".join(lines)
    return data


def mutate_bytes(data, _pool, rng):
    data = bytearray(data)
    for _ in range(rng.randrange(1, 10)):
        at = rng.randrange(4, len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del data[at:at + rng.randrange(1, 4)]
        else:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 4)))
        if len(data) < 8:
            break
    return bytes(data)


def mutate_stablehlo(data, pool, rng):
    if data.startswith(b"ML\xefR"):
        return mutate_bytes(data, pool, rng)
    return rng.choice([mutate_text, mutate_announced, change_structure])(data, [one for one in pool if not one.startswith(b"ML\xefR")], rng)


def mutate_onnx(data, pool, rng):
    return rng.choice([mutate_bytes, change_message])(data, pool, rng)


KERNEL = b"""tt.func public @k(%%p: !tt.ptr<i32>) {
  %%r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %%f = arith.sitofp %%r : tensor<32xi32> to tensor<32xf32>
  %%s = tt.splat %%p : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %%a = tt.addptr %%s, %%r : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %%v = tt.elementwise_inline_asm "%s" {constraints = "=r,%s", packed_element = 1 : i32, pure = true} %s : %s -> tensor<32xi32>
  tt.store %%a, %%v : tensor<32x!tt.ptr<i32>>
  tt.return
}
"""


def mutate_assembly(data, pool, rng):
    """A kernel with a text, whose words are those of all texts."""
    for _ in range(rng.randrange(1, 5)):
        tokens = re.split(rb"(\W)", data)
        spot = rng.randrange(len(tokens))
        other = rng.choice(re.split(rb"(\W)", rng.choice(pool)))
        kind = rng.randrange(4)
        if kind == 0:
            tokens[spot] = other
        elif kind == 1:
            tokens.insert(spot, other)
        elif kind == 2:
            del tokens[spot]
        else:
            tokens[spot] = rng.choice([b"$0", b"$1", b"$9", b"-1", b"0x1ffffffff", b"r<99999999>", b"{", b"}", b"@p", b"0f7FC00000", b"9" * 30])
        data = b"".join(tokens)
    floats = rng.random() < 0.3
    count = rng.randrange(1, 4)
    text = data.replace(b"\\", b"").replace(b'"', b"").replace(b"\n", b" ")
    return KERNEL % (text, b",".join([b"f" if floats else b"r"] * count), b", ".join([b"%f" if floats else b"%r"] * count),
                     b", ".join([b"tensor<32xf32>" if floats else b"tensor<32xi32>"] * count))


def assembly_seeds(inputs):
    pool = []
    for name in sorted(os.listdir(inputs)):
        if name.startswith("inline_asm") and name.endswith(".py"):
            with open(os.path.join(inputs, name), "rb") as file:
                pool.extend(re.findall(rb'"([^"\n]*\$[^"\n]*;[^"\n]*)"', file.read()))
    return pool


PROGRAM = """func.func @main(%x: tensor<64x70xf32>, %w: tensor<70x96xf32>) -> tensor<64x96xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<64x70xf32>, tensor<70x96xf32> -> tensor<64x96xf32>
  return %0 : tensor<64x96xf32>
}
"""


def write_program(out):
    """The program that files of block sizes are for."""
    source = os.path.join(out, "program.mlir")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    return source


def program_of(script):
    """The program of the tests that a script is for."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    if b"prim.claim" in script:
        return os.path.join(root, "test", "script", "attention.mlir")
    return os.path.join(root, "examples", "matmul_leaky_relu.mlir")


def script_seeds(inputs):
    pool = []
    for name in sorted(os.listdir(inputs)):
        if name.endswith(".script"):
            with open(os.path.join(inputs, name), "rb") as file:
                pool.append(file.read())
    return pool


def tiling_seeds(build, out):
    """What the tuner writes of one product."""
    source, cache = write_program(out), os.path.join(out, "tiling-seed.json")
    if os.path.exists(cache):
        os.remove(cache)
    subprocess.run([os.path.join(build, "bin", "kiln-run"), source, "--target=cpu", "--tune", cache], capture_output=True, check=False)
    with open(cache, "rb") as file:
        return [file.read()]


def description_seeds(root, build):
    """What targets say of their chips, and descriptions of the tests."""
    pool = []
    for chip in ("cpu:x86-64-v3", "cpu:x86-64-v4", "nvidia:sm_80", "nvidia:sm_90a", "amd:gfx942", "amd:gfx1100", "reference"):
        run = subprocess.run([os.path.join(build, "bin", "kiln-compile"), "--describe=" + chip], capture_output=True, check=False)
        pool.append(run.stdout[run.stdout.find(b"#kiln.target<"):])  # the last of what it says
    for path in ("sdk/template/target/chip.mlir", "test/plugin/Inputs"):
        path = os.path.join(root, path)
        for name in [path] if os.path.isfile(path) else sorted(os.path.join(path, name) for name in os.listdir(path) if name.endswith(".mlir")):
            with open(name, "rb") as file:
                pool.append(file.read())
    return [text for text in pool if b"#kiln.target<" in text]


def onnx_seeds(inputs, build):
    """The files that the tests of ONNX write."""
    folder = os.path.join(build, "fuzz-compiler", "onnx")
    subprocess.run([sys.executable, os.path.join(inputs, "files.py"), folder], check=True)
    pool = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".onnx"):
            with open(os.path.join(folder, name), "rb") as file:
                pool.append(file.read())
    return pool


def seeds(build, kind):
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    if kind == "onnx":
        return onnx_seeds(os.path.join(root, "test", "onnx", "Inputs"), build)
    if kind == "assembly":
        return assembly_seeds(os.path.join(root, "test", "triton", "Inputs"))
    if kind == "tiling":
        return tiling_seeds(build, os.path.join(build, "fuzz-compiler"))
    if kind == "description":
        return description_seeds(root, build)
    if kind == "script":
        return script_seeds(os.path.join(root, "test", "script", "Inputs"))
    folders = [os.path.join(root, "test"), os.path.join(root, "examples")]
    if kind == "stablehlo":
        folders = [os.path.join(root, "test", "stablehlo")]
    if kind == "ttir":
        folders = [os.path.join(root, "test", "triton")]
        if "KILN_SHARED" in os.environ:
            folders.append(os.path.join(os.environ["KILN_SHARED"], "corpus"))
    if kind == "announced":
        folders.append(os.path.join(root, "test", "triton"))
    pool = []
    for folder in folders:
        for path, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                file_name = os.path.join(path, name)
                if name.endswith(".ttir") and kind in ("ttir", "announced") or name.endswith(".mlirbc") and kind == "stablehlo":
                    with open(file_name, "rb") as file:
                        pool.append(file.read())
                if not name.endswith(".mlir") or os.path.getsize(file_name) > 20000:
                    continue
                if kind != "bytecode":
                    with open(file_name, "rb") as file:
                        pool.extend(part for part in file.read().split(b"// -----") if part.strip())
                    continue
                run = subprocess.run([os.path.join(build, "bin", "kiln-opt"), file_name, "--emit-bytecode", "-o", "-"],
                                     capture_output=True, check=False)
                if run.returncode == 0 and len(run.stdout) > 16:
                    pool.append(run.stdout)
    return pool


def main() -> int:
    build, kind, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3].rstrip("x"))
    count = int(seconds) if sys.argv[3].endswith("x") else 0
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    out = os.path.join(build, "fuzz-compiler")
    os.makedirs(out, exist_ok=True)
    pool = seeds(build, kind)
    mutate = {"bytecode": mutate_bytes, "onnx": mutate_onnx, "announced": mutate_announced,
              "structure": change_structure, "stablehlo": mutate_stablehlo, "assembly": mutate_assembly, "script": mutate_script,
              "description": mutate_description}.get(kind, mutate_text)
    suffix = {"bytecode": ".mlirbc", "ttir": ".ttir", "assembly": ".ttir", "onnx": ".onnx", "tiling": ".json",
              "script": ".script"}.get(kind, ".mlir")
    path = os.path.join(out, f"{kind}-{os.getpid()}{suffix}")
    compiler = Compiler(build)
    runs = accepted = caught = peak = 0
    longest = 0.0
    end = time.time() + seconds
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        while runs < count if count else time.time() < end:
            seed = rng.choice(pool)
            with open(path, "wb") as file:
                file.write(mutate(seed, pool, rng))
            target = rng.choice(["cpu", "reference"])
            source = path
            if kind == "tiling":
                source, target = write_program(out), "cpu,tiling_cache=" + path
            if kind == "script":
                source = program_of(seed)
                target = rng.choice(["cpu:x86-64-v3", "nvidia:sm_90a,ptxas=none"]) + ",schedule_file=" + path
            if kind == "description":
                source, target = write_program(out), rng.choice(["cpu,", "cpu:x86-64-v3,", "nvidia:sm_90a,ptxas=none,"]) + "description=" + path
            options = ["--target=" + target, "-o", path + ".kiln"]
            run, memory, work = compiler.run(source, *options)
            if memory > 1024 or work > 4.5:
                with open(path + ".seed", "wb") as file:
                    file.write(seed)
                _, before, least = compiler.run(path + ".seed", *options)
                if memory > before + 1024 or work > 4.5 > least:
                    print(f"{path} for {target}: {memory} MiB, {work:.1f} s\n{run.stderr.decode(errors='replace')[:500]}")
                    return 1
            peak, longest = max(peak, memory), max(longest, work)
            runs += 1
            accepted += run.returncode == 0
            caught += bool(CAUGHT.search(run.stderr))
            if CAUGHT.search(run.stderr):
                os.replace(path, os.path.join(out, f"caught-{kind}-{os.getpid()}-{caught}"))
            if run.returncode not in (0, 1) or (run.returncode == 1 and not PLACE.search(run.stderr)):
                print(f"{path}: status {run.returncode}\n{run.stderr.decode(errors='replace')[:2000]}")
                return 1
    except KeyboardInterrupt:  # what was done is told
        pass
    print(f"{kind}: {runs} runs from {len(pool)} seeds, {accepted} accepted, {caught} crashes caught in the child"
          f", at most {peak} MiB and {longest:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
