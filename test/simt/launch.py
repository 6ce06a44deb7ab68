#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches functions of one thread on `reference`, and breaks their synchronisation to see whether it objects.

The standard input has a module at the level of threads, as convert-tile-to-simt makes it. FILE, from which it was made, has
comments for every function, as for ../gpu/execute.py: memory for its pointers, its scalars, and what is expected of the memory
after a launch of one block. Functions without comments are skipped. Comments of `name/other` are another launch of the function,
of the same memory with scalars and expectations of its own.

With --mutate each function is also launched without one of its barriers, waits, commits and proxy fences, with one group more
in flight behind a wait, and with a guarded copy that is issued always. Each such mutant must fail, or leave other memory, with
one of the seeds and launches. --redundant says how many do not: what they lack is ordered, or asked, by something else already.

Usage: launch.py KILN_EVAL FILE [--seeds=N] [--mutate] [--redundant=N] [--least=N] < MODULE
"""
import argparse
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
import mutations  # noqa: E402

ALSO_REMOVED = ("simt.warp_barrier", "simt.commit_copies", "simt.commit_products")


def bits_of(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


class Launch:
    """What the comments of a function say."""

    def __init__(self, notes):
        self.memory, self.scalars, self.expected, self.names = [], [], [], {}
        for note in notes:
            if note.startswith("scalars = "):
                self.scalars = eval(note[10:])
            elif note.startswith("expect "):
                self.expected.append(note[7:])
            elif re.match(r"(block|width) = ", note):
                self.memory = None
                return
            else:
                for part in re.split(r", (?=\w+: \w+ = )", note):
                    name, kind, values = re.match(r"(\w+): (\w+) = (.*)", part).groups()
                    self.memory.append((name, kind, list(eval(values, dict(self.names)))))
                    self.names[name] = self.memory[-1][2]

    def arguments(self, head):
        """The attributes of a launch, for the parameters of a function."""
        memory, scalars, words = list(self.memory), list(self.scalars), []
        for kind in re.findall(r"%\w+: ([^,)]+)", head):
            if not kind.startswith("!llvm.ptr"):
                value = scalars.pop(0) if scalars else 0
                words.append(f"{float(value)} : {kind}" if kind.startswith("f") else f"{value} : {kind}")
                continue
            _, kind, values = memory.pop(0)
            bits = int(kind.replace("bf", "").strip("if"))
            data = b"".join((bits_of(v) if kind == "f32" else int(v) & ((1 << bits) - 1)).to_bytes(bits // 8, "little")
                            for v in values)
            kind = "f32" if kind == "f32" else f"i{bits}"
            words.append(f'dense<"0x{data.hex()}"> : tensor<{len(values)}x{kind}>')
        return f"eval.args = [{', '.join(words)}]"

    def check(self, memory):
        """What of the expectations does not hold for lists of numbers."""
        names = {}
        for (name, kind, _), values in zip(self.memory, memory):
            if kind == "f32":
                names[name] = [float(v) for v in values]
            else:
                bits = int(kind.replace("bf", "").strip("if"))
                names[name] = [int(v) & ((1 << bits) - 1) for v in values]
        names.update(count=lambda op: 1 << 30, number16=lambda b: struct.unpack("<e", struct.pack("<H", b))[0])
        return [text for text in self.expected
                if "count(" not in text and "shared" not in text and not eval(text, dict(names))]


def mutants_of(function):
    yield from mutations.mutants_of(function)
    for i, line in enumerate(function):
        if line.strip().startswith(ALSO_REMOVED):
            yield f"without '{line.strip()}'", function[:i] + function[i + 1:]
        elif found := re.search(r"simt\.wait_copies but (\d+)", line):
            more = line.replace(found.group(), f"simt.wait_copies but {int(found.group(1)) + 1}")
            yield f"with one group more in '{found.group()}'", function[:i] + [more] + function[i + 1:]


def without_parameters(head):
    """The first line of a function that does not list the parameters of its kernel."""
    begin = head.find(", parameters = [")
    if begin < 0:
        return head
    depth, end = 0, head.index("[", begin)
    while True:
        depth += {"[": 1, "]": -1}.get(head[end], 0)
        end += 1
        if not depth:
            return head[:begin] + head[end:]


def renamed(body, name, number, attributes):
    """A function by another name, with the arguments of its launch: one for each of its own parameters."""
    head = without_parameters(body[0].replace(f"@{name}(", f"@{name}__{number}(", 1))
    return [head.replace("attributes {", f"attributes {{{attributes}, ", 1)] + body[1:]


def run(kiln_eval, chunks, seed):
    """Memory of the launches, by name; none of those that fail. And the first error of each."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", delete=False) as file:
        file.write("\n".join("\n".join(chunk) for chunk in chunks))
    done = subprocess.run([kiln_eval, "--full", f"--seed={seed}", file.name], capture_output=True, text=True, check=False)
    os.unlink(file.name)
    memory, failed = {}, set()
    for line in done.stdout.splitlines():
        if found := re.match(r"(\w+) failed", line):
            failed.add(found.group(1))
        elif found := re.match(r"(\w+)\[(\d+)\] = \[\d+\] \w+:(.*)", line):
            memory.setdefault(found.group(1), []).append(found.group(3).split())
    if not memory and not failed:
        sys.exit(done.stderr)
    return memory, failed, done.stderr


def launches_of(name, notes):
    """The launches of a function: that of its own comments, and those of `name/other`, which have its memory."""
    own = [note for who, note in notes if who == name]
    if not Launch(own).memory:
        return []
    memory = [note for note in own if re.match(r"\w+: ", note)]
    others = dict.fromkeys(who for who, _ in notes if who.startswith(name + "/"))
    return [Launch(own)] + [Launch(memory + [note for who, note in notes if who == other]) for other in others]


def judge(kiln_eval, head, tail, launches, turn, variants, found, seed):
    """Runs one launch of each function and of its mutants, adds to `found` the mutants that differ, and returns what is wrong with
    the functions as they are."""
    wrong, left = [], {key: variant for key, variant in variants.items() if key not in found and turn < len(launches[variant[0]])}
    bodies = [renamed(body, name, key.rpartition("__")[2], launches[name][turn].arguments(body[0])) for key, (name, _, body) in left.items()]
    memory, failed, errors = run(kiln_eval, [head, *bodies, tail], seed)
    for key, (name, what, _) in left.items():
        if what == "as it is":
            launch = launches[name][turn]
            if key in failed or launch.check(memory[key]):
                wrong.append(f"@{name} fails with seed {seed}, launch {turn}" if key in failed else
                             f"@{name} with seed {seed}, launch {turn}: {launch.check(memory[key])[0]}")
                print(errors[:2000])
        elif key in failed or memory.get(key) != memory.get(f"{name}__0"):
            found.add(key)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kiln_eval")
    parser.add_argument("file")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--mutate", action="store_true")
    parser.add_argument("--redundant", type=int, default=0)
    parser.add_argument("--least", type=int, default=0)
    options = parser.parse_args()
    with open(options.file, encoding="utf-8") as file:
        notes = re.findall(r"^\s*// ([a-z]\w*(?:/\w+)?): (.*)$", file.read(), re.MULTILINE)
    head, functions, tail = mutations.functions_of(sys.stdin.read())
    launches, variants = {}, {}
    for function in functions:
        name = re.search(r"@(\w+)", function[0]).group(1)
        launches[name] = launches_of(name, notes)
        all_of_them = [("as it is", function)] + (list(mutants_of(function)) if options.mutate else [])
        for number, (what, body) in enumerate(all_of_them if launches[name] else []):
            variants[f"{name}__{number}"] = (name, what, body)
    launches = {name: own for name, own in launches.items() if own}
    wrong, found = [], set()
    for seed in range(options.seeds):
        for turn in range(max(map(len, launches.values()), default=0)):
            wrong += judge(options.kiln_eval, head, tail, launches, turn, variants, found, seed)
    missed = [f"@{name} {what}" for key, (name, what, _) in variants.items() if what != "as it is" and key not in found]
    mutants = len(variants) - len(launches)
    print(f"{len(launches)} functions as expected with {options.seeds} seeds" if not wrong else "\n".join(wrong))
    if options.mutate:
        print(f"{mutants} mutants, {len(missed)} not found")
        print("\n".join(missed))
    return int(bool(wrong) or not launches or len(missed) != options.redundant or mutants < options.least)


if __name__ == "__main__":
    sys.exit(main())
