#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wire-fuzz.py BUILD|FOLDER COUNT [SEED]: changes kernels in the wire form and reads them as programs of isolated targets in Python do.
Each gives kernels or an error of the reader, within 5 seconds and 1 GiB. FOLDER has kernels in files; BUILD makes them from cases of
the conformance suite. Stops at the first that does not, and keeps it. The same seed makes the same texts."""
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "sdk", "template", "isolated-python"))
sys.dont_write_bytecode = True
import kiln_wire  # noqa: E402

SECONDS, PEAK = 5, 1 << 30
CASES = r"^tile/(arith\.(addf|constant|select)|tile\.(load|store|dot|reduce|scan|sort)|scf\.(for|if))/(f32|i8|bf16)/"
WORDS = ["(", ")", "<", ">", "[", "]", "{", "}", "<{", "}>", "({", "})", "^bb0(", "%0", "%arg0", "%0#1", ":2", " = ", ":", "->", ",", '"',
         '"tile.kernel"', '"tile.load"', '"arith.constant"', "tensor<", "!tile.view<", "!tile.ptr<f32>", "x", "?", "i64", "f8E4M3FN", "i0",
         "dense<", "array<i64: ", "array<i1: true>", "dense<\"0x00\">", "unit", "true", "@main", "#tile.a<", "0x7F", "-1", "1.5e9", "nan",
         "9" * 30, "9" * 5000, "1e999", "strides = [", "loc(", "loc(unknown)", "\\", "\\0", "\x00", "\u00b2", "sym_name", "//"]
NUMBERS = ["0", "1", "-1", "7", "255", "65537", "2147483648", "1073741824", "9223372036854775808", "9" * 40]


def spliced(text, rng):
    """Words replaced, put in, taken out, repeated; pieces nested in themselves."""
    for _ in range(rng.randrange(1, 6)):
        tokens = re.split(r"(\W)", text)
        at, kind = rng.randrange(len(tokens)), rng.randrange(8)
        if kind == 0:
            tokens[at] = rng.choice(WORDS)
        elif kind == 1:
            tokens.insert(at, rng.choice(WORDS))
        elif kind == 2:
            del tokens[at]
        elif kind == 3:
            tokens[at] = re.sub(r"\d+", lambda _: rng.choice(NUMBERS), tokens[at])
        elif kind == 4:
            end = min(len(tokens), at + rng.randrange(1, 40))
            tokens[at:at] = tokens[at:end] * rng.choice([1, 1, 2, 50])
        elif kind == 5:
            end = min(len(tokens), at + rng.randrange(1, 40))
            to = rng.randrange(len(tokens))
            tokens[to:to] = tokens[at:end]
        elif kind == 6:
            tokens[at] = rng.choice("([{<") * rng.choice([1, 2, 100, 20000])
        else:
            tokens[at] = rng.choice(['"', " ", "%", "x", "1", "?x", "-"]) * rng.choice([2, 100, 20000])
        text = "".join(tokens)
    return text[:rng.randrange(len(text) + 1)] if rng.randrange(10) == 0 else text


def read(text):
    """What a program of a target does with every kernel: asks for everything once."""
    for kernel in kiln_wire.read(text):
        for op in kernel.walk():
            op.get("padding")
            for attribute in op.attributes.values():
                if isinstance(attribute, kiln_wire.Dense) and attribute.splat is None:
                    len(attribute.values)


def seeds(place, folder):
    program = os.path.join(place, "bin", "kiln-conform")
    if os.path.exists(program):
        place = folder
        subprocess.run([program, "--target=reference", f"--filter={CASES}", f"--wire-cases={place}"], check=True, capture_output=True)
    found = []
    for name in sorted(os.listdir(place)):
        with open(os.path.join(place, name), encoding="utf-8", errors="replace") as file:
            text = file.read()
        if '"tile.kernel"' in text and len(text) < 20000:
            found.append(text)
    return found


def main():
    count, seed = int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "1"
    rng, taken = random.Random(f"wire {seed}"), 0
    with tempfile.TemporaryDirectory() as folder:
        pool = seeds(sys.argv[1], folder)
    for text in pool:
        read(text)
    sys.setrecursionlimit(10000)  # as kiln_isolated.serve does
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    kept = os.path.join(tempfile.gettempdir(), f"wire-fuzz-{os.getpid()}.mlir")
    for _ in range(count):
        text = spliced(rng.choice(pool), rng)
        with open(kept, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            read(text)
            taken += 1
        except (kiln_wire.WireError, ValueError):
            pass
        except Exception as error:
            print(f"{kept}: {type(error).__name__}: {error}")
            return 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10 > PEAK:
            print(f"{kept}: more than 1 GiB of memory")
            return 1
    os.unlink(kept)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"wire: {count} texts from {len(pool)} kernels, {taken} taken, {count - taken} refused, peak of {peak} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
