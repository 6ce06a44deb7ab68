#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times exchanges between the GPUs of a machine beside torch.distributed with NCCL, in one process for each GPU, by turns.

Usage: gpu_collectives.py PACKAGES --compile=KILN_COMPILE [--chip=CHIP]   writes a package for each exchange and layer
       gpu_collectives.py PACKAGES RUNTIME [--rounds=N] [--ranks=N]       measures them

RUNTIME is libkiln-runtime.so of an installed runtime. Tensors are PyTorch's, on the devices; results are compared with
torch's. Bus bandwidth is that of NCCL's own tests: the bytes that a link has to carry, by time. The layer is two
products, split by columns and by rows, and one sum, beside the whole layer on one GPU.
"""
import argparse
import ctypes as C
import os
import socket
import statistics
import subprocess
import sys

INTO, ON_DEVICE, NO_WAIT = 1, 2, 4
COUNT = 1 << 26  # elements of f32
TOKENS, WIDTH, INNER = 4096, 4096, 16384


def exchanges(ranks, count):
    """name: (text of the operation, elements of the result, share of the bytes that a link carries)"""
    group = f"groups [[{', '.join(map(str, range(ranks)))}]]"
    t, many, few = (f"tensor<{n}xf32>" for n in (count, count * ranks, count // ranks))
    pairs = ", ".join(f"[{r}, {(r + 1) % ranks}]" for r in range(ranks))
    part = (ranks - 1) / ranks
    return {
        "all_reduce": (f"prim.all_reduce add %x {group} : {t}", count, 2 * part),
        "all_gather": (f"prim.all_gather %x dim 0 {group} : {t} -> {many}", count * ranks, part * ranks),
        "reduce_scatter": (f"prim.reduce_scatter add %x dim 0 {group} : {t} -> {few}", count // ranks, part),
        "all_to_all": (f"prim.all_to_all %x split 0 concat 0 {group} : {t} -> {t}", count, part),
        "broadcast": (f"prim.broadcast %x {group} : {t}", count, 1),
        "permute": (f"prim.permute %x pairs [{pairs}] : {t}", count, 1),
    }


def layer(ranks, split):
    """Two products in bf16; with `split` those of one rank."""
    inner = INNER // ranks if split else INNER
    x, up, h = f"tensor<{TOKENS}x{WIDTH}xbf16>", f"tensor<{WIDTH}x{inner}xbf16>", f"tensor<{TOKENS}x{inner}x"
    down, y = f"tensor<{inner}x{WIDTH}xbf16>", f"tensor<{TOKENS}x{WIDTH}x"
    group = ", ".join(map(str, range(ranks)))
    total = f"  %s = prim.all_reduce add %c groups [[{group}]] : {y}bf16>\n" if split else ""
    return f"""func.func @main(%x: {x}, %up: {up}, %down: {down}) -> {y}bf16> {{
  %h = prim.dot_general %x, %up batch [] x [] contract [1] x [0] : {x}, {up} -> {h}f32>
  %a = prim.silu %h : {h}f32>
  %n = prim.convert_element_type %a : {h}f32> -> {h}bf16>
  %y = prim.dot_general %n, %down batch [] x [] contract [1] x [0] : {h}bf16>, {down} -> {y}f32>
  %c = prim.convert_element_type %y : {y}f32> -> {y}bf16>
{total}  return {"%s" if split else "%c"} : {y}bf16>
}}
"""


def compile_all(options):
    os.makedirs(options.packages, exist_ok=True)
    programs = {"layer_split": layer(options.ranks, True), "layer_whole": layer(options.ranks, False)}
    for name, (text, size, _) in exchanges(options.ranks, COUNT).items():
        programs[name] = (f"func.func @main(%x: tensor<{COUNT}xf32>) -> tensor<{size}xf32> {{\n  %r = {text}\n"
                          f"  return %r : tensor<{size}xf32>\n}}\n")
    for name, program in programs.items():
        path = os.path.join(options.packages, f"{name}.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program)
        subprocess.run([options.compile, path, f"--target=nvidia:{options.chip}", "--no-fallback", "-o",
                        path.replace(".mlir", ".kpkg")], check=True)


class Options(C.Structure):
    """KilnCallOptions."""
    _fields_ = [("size", C.c_size_t), ("grid", C.c_int64 * 3), ("report", C.c_void_p), ("user", C.c_void_p),
                ("time", C.c_int), ("flags", C.c_uint32)]


class Program:
    """A package on one GPU, called with tensors of PyTorch in its current stream."""

    def __init__(self, lib, torch, path, rank):
        self.lib, self.torch, self.session, package = lib, torch, C.c_void_p(), C.c_void_p()
        self.check(lib.kilnPackageLoadFile(path.encode(), C.byref(package)))
        self.check(lib.kilnSessionCreate(package, f"nvidia,ordinal={rank}".encode(), C.byref(self.session)))
        self.check(lib.kilnSessionUseQueue(self.session, C.c_size_t(0), C.c_void_p(torch.cuda.current_stream().cuda_stream)))
        self.entry = lib.kilnSessionEntry(self.session, C.c_size_t(0))

    def check(self, status):
        if status:
            raise RuntimeError(self.lib.kilnLastError().decode())

    def take(self, tensor):
        pointer, rename = C.pythonapi.PyCapsule_GetPointer, C.pythonapi.PyCapsule_SetName
        pointer.restype, pointer.argtypes = C.c_void_p, [C.py_object, C.c_char_p]
        rename.argtypes = [C.py_object, C.c_char_p]
        capsule, handle = self.torch.utils.dlpack.to_dlpack(tensor), C.c_void_p()
        self.check(self.lib.kilnTensorFromDLPack(self.session, C.c_void_p(pointer(capsule, b"dltensor")), C.byref(handle)))
        rename(capsule, b"used_dltensor")
        return handle

    def bind(self, arguments, result):
        self.given = (C.c_void_p * len(arguments))(*[self.take(one) for one in arguments])
        self.into = (C.c_void_p * 1)(self.take(result))
        self.options = Options(size=C.sizeof(Options), flags=INTO | NO_WAIT)
        self.torch.cuda.synchronize()
        return self

    def __call__(self):
        self.check(self.lib.kilnSessionCall(self.session, self.entry, C.c_size_t(len(self.given)), self.given,
                                            C.c_size_t(1), self.into, C.byref(self.options)))


def timed(torch, dist, run, calls):
    """Seconds of a call, of the slowest rank."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    dist.barrier()
    begin.record()
    for _ in range(calls):
        run()
    end.record()
    end.synchronize()
    mine = torch.tensor([begin.elapsed_time(end) / calls / 1000], device="cuda")
    dist.all_reduce(mine, op=dist.ReduceOp.MAX)
    return mine.item()


def one_rank(options, rank):
    import torch
    import torch.distributed as dist
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=options.ranks, device_id=torch.device("cuda", rank))
    lib = C.CDLL(options.runtime)
    lib.kilnLastError.restype = C.c_char_p
    lib.kilnSessionEntry.restype = C.c_void_p
    n, stream = options.ranks, torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = torch.arange(COUNT, device="cuda", dtype=torch.float32).remainder_(1024).add_(rank * 3)
        for name, (_, size, share) in exchanges(n, COUNT).items():
            mine, theirs = (torch.zeros(size, device="cuda") for _ in range(2))
            kiln = Program(lib, torch, f"{options.packages}/{name}.kpkg", rank)
            kiln.entry = C.c_char_p(kiln.entry)
            kiln.bind([x], mine)

            def reference():
                if name == "all_reduce":
                    theirs.copy_(x)
                    dist.all_reduce(theirs)
                elif name == "all_gather":
                    dist.all_gather_into_tensor(theirs, x)
                elif name == "reduce_scatter":
                    dist.reduce_scatter_tensor(theirs, x)
                elif name == "all_to_all":
                    dist.all_to_all_single(theirs, x)
                elif name == "broadcast":
                    theirs.copy_(x) if rank == 0 else None
                    dist.broadcast(theirs, 0)
                else:
                    sends = [dist.P2POp(dist.isend, x, (rank + 1) % n), dist.P2POp(dist.irecv, theirs, (rank - 1) % n)]
                    for work in dist.batch_isend_irecv(sends):
                        work.wait()

            def peer():  # without the copies that only make it comparable
                if name == "all_reduce":
                    dist.all_reduce(theirs)
                elif name == "broadcast":
                    dist.broadcast(theirs, 0)
                else:
                    reference()

            kiln()
            reference()
            torch.cuda.synchronize()
            right = torch.equal(mine, theirs)
            times = {"kiln": [], "torch": []}
            for _ in range(options.rounds):
                times["kiln"].append(timed(torch, dist, kiln, 20))
                times["torch"].append(timed(torch, dist, peer, 20))
            speed = {who: 4 * COUNT * share / statistics.median(all_times) / 1e9 for who, all_times in times.items()}
            if rank == 0:
                print(f"{name:15} {'right' if right else 'WRONG'}  {speed['kiln']:7.1f} GB/s, torch {speed['torch']:7.1f} GB/s, "
                      f"{speed['kiln'] / speed['torch']:.3f}", flush=True)
            elif not right:
                print(f"{name}: WRONG on rank {rank}", flush=True)
            del kiln, mine, theirs
        torch.manual_seed(0)
        tokens, up, down = (torch.randn(shape, device="cuda", dtype=torch.bfloat16) * 0.02
                            for shape in ((TOKENS, WIDTH), (WIDTH, INNER), (INNER, WIDTH)))
        whole, part = (torch.zeros(TOKENS, WIDTH, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        share = INNER // n
        columns = up[:, rank * share:(rank + 1) * share].contiguous()
        rows = down[rank * share:(rank + 1) * share].contiguous()
        one, several = (Program(lib, torch, f"{options.packages}/layer_{kind}.kpkg", rank) for kind in ("whole", "split"))
        one.entry, several.entry = C.c_char_p(one.entry), C.c_char_p(several.entry)
        one.bind([tokens, up, down], whole)
        several.bind([tokens, columns, rows], part)
        one()
        several()
        torch.cuda.synchronize()
        error = ((whole - part).abs().max() / whole.abs().max()).item()
        times = [(timed(torch, dist, one, 10), timed(torch, dist, several, 10)) for _ in range(options.rounds)]
        alone, together = (statistics.median(column) for column in zip(*times))
        if rank == 0:
            print(f"layer           error {error:.2g}  one GPU {alone * 1e3:.2f} ms, {n} GPUs {together * 1e3:.2f} ms, "
                  f"{alone / together:.2f} times as fast", flush=True)
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages")
    parser.add_argument("runtime", nargs="?")
    parser.add_argument("--compile")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rank", type=int)
    options = parser.parse_args()
    if options.compile:
        return compile_all(options)
    if options.rank is not None:
        return one_rank(options, options.rank)
    with socket.socket() as first, socket.socket() as second:
        first.bind(("", 0))
        second.bind(("", 0))
        ports = first.getsockname()[1], second.getsockname()[1]
    env = dict(os.environ, MASTER_ADDR="127.0.0.1", MASTER_PORT=str(ports[0]), KILN_RANKS=str(options.ranks),
               KILN_RENDEZVOUS=f"tcp:127.0.0.1:{ports[1]}", NCCL_NVLS_ENABLE="0")
    ranks = [subprocess.Popen([sys.executable, __file__, *sys.argv[1:], f"--rank={rank}"], env=dict(env, KILN_RANK=str(rank)))
             for rank in range(options.ranks)]
    return max(rank.wait() for rank in ranks)


if __name__ == "__main__":
    sys.exit(main())
