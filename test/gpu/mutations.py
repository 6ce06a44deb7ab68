#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks the synchronisation of kernels, one operation at a time, and expects simt-verify-barriers to object.

The standard input has a module at the level of threads, as convert-tile-to-simt makes it, or kernels behind
simt-insert-barriers, which are converted first. Each of its functions must pass the verifier as it is. Each mutant of it
must fail: without one of its barriers (of a cluster, too), ends of groups, waits for copies, arrivals, announced bytes or proxy fences, with one group
more in flight behind a wait for products, with half of the announced bytes, and with a guarded copy that is issued always, unless
its guard is the constant true.
Barriers that order accesses to global memory alone are not the verifier's affair: the functions have none. --covered names
operations whose removal breaks nothing, as another barrier or wait orders everything already: `f:gpu.barrier#2` is the second
barrier of @f. The mutants without them, and no others, must pass. --same says how many guards, no fewer, only keep threads from copying
what another thread copies to the same place.

Usage: mutations.py KILN_OPT [--least=N] [--covered=NAME,...] [--same=N] [--only=PREFIX] < MODULE
"""
import argparse
import collections
import re
import subprocess
import sys

REMOVED = ("gpu.barrier", "simt.barrier shared", "simt.warp_barrier", "simt.commit_copies", "simt.wait_copies", "simt.publish",
           "simt.await_parity", "simt.arrive_at", "simt.arrive_in_cluster", "simt.expect_bytes", "simt.create_barriers", "tile.cluster_barrier")
VERIFY = "llvm.func(simt-verify-barriers)"


def functions_of(text):
    """What stands around the functions of a module, and the lines of each of them."""
    around, functions, inside = [], [], None
    for line in text.splitlines():
        if re.match(r"  (llvm\.func|tile\.kernel) .*\{$", line):
            inside = [line]
        elif inside is None:
            around.append(line)
        else:
            inside.append(line)
            if line == "  }":
                functions.append(inside)
                inside = None
    end = max(i for i, line in enumerate(around) if line == "}")
    return around[:end], functions, around[end:]


def mutants_of(function):
    """Pairs of a description and the lines of a broken function."""
    places = collections.Counter()
    for i, line in enumerate(function):
        text = line.strip()

        def changed(to, i=i):
            return function[:i] + to + function[i + 1:]
        if text.startswith(REMOVED):
            name = next(one for one in REMOVED if text.startswith(one))
            places[name] += 1
            yield f"without '{text}' ({name}#{places[name]})", changed([])
            if found := re.search(r"simt\.expect_bytes .* bytes (\d+)", text):
                yield f"with fewer bytes in '{text}'", changed([line.replace(f"bytes {found.group(1)}", f"bytes {int(found.group(1)) // 2}")])
        elif found := re.search(r"(simt\.wait_products|stage\.wait) but (\d+)", text):
            more = line.replace(found.group(), f"{found.group(1)} but {int(found.group(2)) + 1}")
            yield f"with one group more in '{found.group()}'", changed([more])
        elif found := re.match(r"(%\w+) = simt\.arrive", text):
            yield f"without '{text}'", changed([f"    {found.group(1)} = arith.constant 0 : i64"])
        elif found := re.match(r"simt\.await (%[\w#]+)", text):
            older = next((name for line in function if (name := re.match(r"\s*(%\w+) = simt\.arrive", line))), None)
            if older and older.group(1) != found.group(1):
                yield f"with the phase {older.group(1)} in '{text}'", changed([line.replace(found.group(1), older.group(1), 1)])
        elif (found := re.search(r"(\w+\.copy_(?:async|line) .* )mask (%\w+)", text)) and not found.group(2).startswith("%true"):
            yield f"without the guard {found.group(2)} of a copy", changed([line.replace(f" mask {found.group(2)}", "", 1)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kiln_opt")
    parser.add_argument("--least", type=int, default=1, help="mutants that there must be")
    parser.add_argument("--covered", default="", help="operations that may be removed, as FUNCTION:NAME#PLACE with commas between them")
    parser.add_argument("--same", type=int, default=0, help="guards of copies that may be removed")
    parser.add_argument("--only", default="", help="functions whose names begin like this")
    options = parser.parse_args()
    text = sys.stdin.read()
    passes = "convert-tile-to-simt," + VERIFY if "tile.kernel @" in text else VERIFY
    head, functions, tail = functions_of(text)
    functions = [lines for lines in functions if re.search(r"@(\w+)", lines[0]).group(1).startswith(options.only)]
    chunks, lines, starts = [], 0, []
    for function in functions:
        name = re.search(r"@(\w+)", function[0]).group(1)
        for what, body in [("as it is", function), *mutants_of(function)]:
            starts.append(lines)
            chunks.append((name, what, head + body + tail))
            lines += len(chunks[-1][2]) + 1  # and the line that separates
    done = subprocess.run(
        [options.kiln_opt, "--split-input-file", f"--pass-pipeline=builtin.module({passes})", "-o", "/dev/null"],
        input="\n// -----\n".join("\n".join(body) for _, _, body in chunks), capture_output=True, text=True, check=False)
    objected, wrong, found_places, same = set(), [], set(), 0
    covered = {one for one in options.covered.split(",") if one}
    for line in done.stderr.splitlines():
        if found := re.match(r".*?:(\d+):\d+: (error|remark): (.*)", line):
            at = max(i for i, start in enumerate(starts) if start < int(found.group(1)))
            if found.group(2) == "error" and found.group(3).startswith("unverified: "):
                objected.add(at)
            else:
                wrong.append(line)
    for i, (name, what, _) in enumerate(chunks):
        place = re.match(r"without '.*' \((.*)\)$", what)
        known = f"{name}:{place.group(1)}" if place else ""
        passes = what == "as it is" or known in covered
        found_places.add(known)
        if i not in objected and what.startswith("without the guard"):
            same += 1
            passes = same <= options.same
        if (i in objected) == passes:
            wrong.append(f"@{name} {what}: " + ("does not pass" if passes else "passes"))
    wrong += [f"{name} is not there" for name in sorted(covered - found_places)]
    if same < options.same:
        wrong.append(f"{same} guards of copies may be removed, fewer than {options.same}")
    mutants = len(chunks) - len(functions)
    print(f"{mutants} mutants of {len(functions)} functions, {len(wrong)} wrong")
    for line in wrong:
        print(line)
    return int(bool(wrong) or mutants < options.least or not functions)


if __name__ == "__main__":
    sys.exit(main())
