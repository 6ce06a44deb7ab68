#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compiler-fuzz.py BUILD text|bytecode|ttir SECONDS [SEED]: mutates the inputs of the
test suite (ttir: its Triton kernels, and those under $KILN_SHARED) and compiles them. Every run must end with status 0 or 1, and with 1
there must be a diagnostic with a place. Stops at the first that does not."""
import os
import random
import re
import subprocess
import sys
import time

PLACE = re.compile(rb":(\d+:\d+| byte \d+): error: |^error: ", re.MULTILINE)
CAUGHT = re.compile(rb"cannot process this input|malformed bytecode")
WORDS = [b"tensor<", b"memref<", b"!tile.view<", b">", b"(", b")", b"{", b"}", b"[", b"]", b"?", b"x", b"f32",
         b"bf16", b"i1", b"i48", b"index", b"-1", b"0", b"9223372036854775807", b"4294967296", b"dense<", b"nan",
         b"array<i64: ", b"#kiln.target<", b"affine_map<(d0) -> (d0)>", b"\"", b"%0", b"%arg0", b"@main", b"^bb0",
         b"loc(unknown)", b"!tt.ptr<", b"!tt.tensordesc<", b"tt.load", b"tt.splat", b"tt.call", b"i64", b"si8", b"f8E5M2", b"dense_resource<a>", b"tosa.const", b"prim.dot_general", b"tile.load", b"scf.for",
         b"#a", b"!a", b"#a = ", b" floordiv 2", b"affine_set<(d0) : (d0 >= 0)>", b"ml_program.global", b"llvm.func",
         b"transform.named_sequence", b"#dlti.dl_spec<index = 32 : i32>", b"#sparse_tensor.encoding<{map = (d0) -> (d0 : dense)}>",
         b"bufferization.to_tensor", b"gpu.module @k {}", b"!transform.any_op", b"!llvm.ptr"]


def mutate_text(data, pool, rng):
    lines = data.split(b"\n")
    for _ in range(rng.randrange(1, 6)):
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
                tokens[spot] = rng.choice(WORDS)
            elif kind == 4:
                tokens.insert(spot, rng.choice(WORDS))
            elif kind == 5:
                del tokens[spot]
            else:
                tokens[spot] = re.sub(rb"\d+", lambda _: rng.choice([b"0", b"1", b"7", b"-3", b"65537"]), tokens[spot])
            lines[at] = b"".join(tokens)
    data = b"\n".join(lines)
    return data[:rng.randrange(len(data) + 1)] if rng.randrange(12) == 0 else data


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


def seeds(build, kind):
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    folders = [os.path.join(root, "test"), os.path.join(root, "examples")]
    if kind == "ttir":
        folders = [os.path.join(root, "test", "triton")]
        if "KILN_SHARED" in os.environ:
            folders.append(os.path.join(os.environ["KILN_SHARED"], "corpus"))
    pool = []
    for folder in folders:
        for path, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                file_name = os.path.join(path, name)
                if name.endswith(".ttir") and kind == "ttir":
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
    build, kind, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    pool = seeds(build, kind)
    mutate = mutate_bytes if kind == "bytecode" else mutate_text
    out = os.path.join(build, "fuzz-compiler")
    os.makedirs(out, exist_ok=True)
    suffix = {"text": ".mlir", "bytecode": ".mlirbc", "ttir": ".ttir"}[kind]
    path = os.path.join(out, f"{kind}-{os.getpid()}{suffix}")
    runs = accepted = caught = 0
    end = time.time() + seconds
    while time.time() < end:
        with open(path, "wb") as file:
            file.write(mutate(rng.choice(pool), pool, rng))
        target = rng.choice(["cpu", "reference"])
        try:
            run = subprocess.run([os.path.join(build, "bin", "kiln-compile"), path, "--target=" + target, "-o",
                                  path + ".kiln"], capture_output=True, timeout=120, check=False)
        except subprocess.TimeoutExpired:
            print(f"{path}: no end within 120 s")
            return 1
        runs += 1
        accepted += run.returncode == 0
        caught += bool(CAUGHT.search(run.stderr))
        if CAUGHT.search(run.stderr):
            os.replace(path, os.path.join(out, f"caught-{kind}-{os.getpid()}-{caught}"))
        if run.returncode not in (0, 1) or (run.returncode == 1 and not PLACE.search(run.stderr)):
            print(f"{path}: status {run.returncode}\n{run.stderr.decode(errors='replace')[:2000]}")
            return 1
    print(f"{kind}: {runs} runs from {len(pool)} seeds, {accepted} accepted, {caught} crashes caught in the child")
    return 0


if __name__ == "__main__":
    sys.exit(main())
