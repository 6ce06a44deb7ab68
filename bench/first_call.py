#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the first call of a model of models.py through torch.compile costs, each in a process of its own: compiled for
the first time and again with what is kept on disk, through the backend "kiln", through Inductor, and through a backend
that hands back the graph as it is, which is what Dynamo itself costs.

first_call.py [NAME...] [--rounds=N] [--peers=nothing,inductor] [--target=SPEC] [--threads=N]

Prints for each the seconds from the call to its return and those of all processors in the process and its children, the
least of the rounds, and what is left of them without Dynamo's. Imports of torch and of the backend come before the call.
The result is compared with eager mode's. Needs what models.py needs."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

TICKS = os.sysconf("SC_CLK_TCK")
NAMES = ("mobilenet_v3", "resnet18", "bert", "llama")


def processor_seconds():
    """Of this process and all below it, those that have ended too."""
    children, spent = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(name))
        spent[int(name)] = sum(map(int, fields[11:15])) / TICKS
    total, left = 0.0, [os.getpid()]
    while left:
        one = left.pop()
        total += spent.get(one, 0)
        left += children.get(one, [])
    return total


def nothing(module, inputs):
    return module.forward


def measure(name, peer, target, threads):
    """In a new process: prints what the first call took."""
    warnings.filterwarnings("ignore")
    import torch

    import models
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    module, arguments = models.MODELS[name]()
    module.eval()
    if peer == "kiln":
        import kiln.torch  # noqa: F401
        call = torch.compile(module, backend="kiln", fullgraph=True, options={"target": target})
    else:
        call = torch.compile(module, backend=nothing if peer == "nothing" else "inductor", fullgraph=True)
    with torch.no_grad():
        spent, start = processor_seconds(), time.perf_counter()
        made = call(*arguments)
        seconds, spent = time.perf_counter() - start, processor_seconds() - spent
        want = module(*arguments)
    error = float((made - want).abs().max() / want.abs().max())
    if not error < 1e-4:
        sys.exit(f"{name}: the result of {peer} is off by {error:.1e}")
    print(json.dumps([seconds, spent]))


def run(name, peer, options, folder):
    """[seconds, processor seconds] of the first call in a new process."""
    environment = dict(os.environ, KILN_CACHE_DIR=os.path.join(folder, "kiln"), KILN_NO_FALLBACK="1",
                       TORCHINDUCTOR_CACHE_DIR=os.path.join(folder, "inductor"))
    done = subprocess.run([sys.executable, os.path.abspath(__file__), name, "--measure=" + peer, "--target=" + options.target,
                           f"--threads={options.threads}"], env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def compare(name, options):
    ways = [("nothing", "nothing", "")] if "nothing" in options.peers else []
    for peer in ["kiln", *(["inductor"] if "inductor" in options.peers else [])]:
        ways += [(f"{peer}, first", peer, "first"), (f"{peer}, kept", peer, "kept")]
    least = {}
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder:  # by turns, so that others on the machine disturb all alike
            for way, peer, _ in ways:
                found = run(name, peer, options, folder)
                least[way] = [min(pair) for pair in zip(least.get(way, found), found)]
    for way, found in least.items():
        beyond = [one - base for one, base in zip(found, least.get("nothing", (0, 0)))]
        print(f"{name:16} {way:16} {found[0]:7.2f} s {found[1]:7.2f} s of processors   beyond Dynamo {beyond[0]:6.2f} s "
              f"{beyond[1]:6.2f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", default="nothing,inductor")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--target")
    parser.add_argument("--measure", metavar="PEER", help="in this process")
    options = parser.parse_args()
    options.target = options.target or f"cpu,threads={options.threads}"
    if options.measure:
        measure(options.names[0], options.measure, options.target, options.threads)
        return 0
    for name in options.names or NAMES:
        compare(name, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
