# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the generators of this folder share: programs that are made of a seed and their number, compiled together, and judged one by
one. A program has a `name` and its `text()`."""
import os
import subprocess
import sys
import tempfile

TOGETHER = 20


def arguments():
    """BUILD COUNT|=NUMBER [SEED] [MORE...]: the build, the numbers of the programs, the seed, and what follows."""
    build, count, *rest = sys.argv[1:]
    numbers = [int(count[1:])] if count.startswith("=") else list(range(int(count)))
    return build, numbers, int(rest[0]) if rest else 1, rest[1:]


def compiled(build, programs, target, folder, options=()):
    """{name: its package, or a ValueError that says why there is none}. A file that is refused is halved until a program is alone."""
    path = os.path.join(folder, "programs.mlir")
    out = os.path.join(folder, f"{target.replace(':', '-')}-{programs[0].name}-{len(programs)}.kiln")
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(one.text() for one in programs))
    command = [os.path.join(build, "bin", "kiln-compile"), path, f"--target={target}", "-o", out, *options,
               *(f"--entry={one.name}" for one in programs)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=1200, check=False)
    if done.returncode == 0:
        return {one.name: out for one in programs}
    if len(programs) == 1:
        return {programs[0].name: ValueError(f"does not compile for {target}: {done.stderr.strip()[:3000] or done.returncode}")}
    half = len(programs) // 2
    return {**compiled(build, programs[:half], target, folder, options), **compiled(build, programs[half:], target, folder, options)}


def check(what, numbers, seed, targets, make, compile_for, judge):
    """Returns the exit status. make(number) gives a program, compile_for(programs, target, folder) what each became by its name, and
    judge(program, {target: what it became}, folder) what is wrong with it, or None."""
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(numbers), TOGETHER):
            programs = [make(number) for number in numbers[start:start + TOGETHER]]
            found = {one: compile_for(programs, one, folder) for one in targets}
            for program in programs:
                why = judge(program, {one: each[program.name] for one, each in found.items()}, folder)
                if why:
                    bad += 1
                    print(f"{what} {program.name[1:]} of seed {seed} {why}\n{program.text()}", flush=True)
            for name in os.listdir(folder):
                os.remove(os.path.join(folder, name))
    print(f"{len(numbers)} {what}s, {bad} of them bad")
    return 1 if bad else 0
