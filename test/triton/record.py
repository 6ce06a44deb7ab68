#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records the launches of Triton kernels in a program, as cases for corpus.py.

Usage: record.py FOLDER PROGRAM.py [ARGUMENTS...]     (or: record.py FOLDER -m MODULE ...)

Runs the program where Triton and its accelerator are. Each new kernel that it launches becomes
a case in FOLDER: PROGRAM__KERNEL__N.ttir (what Triton made of it), .json (grid and arguments) and
.npz (integers before, samples of every storage after). Floats are filled anew before the recorded
launch, from a seed that the case names; the program goes on with its own values.

Environment: KILN_RECORD_LIMIT, cases of one kernel (3); KILN_RECORD_ELEMENTS, elements of all
storages of one case (3000000). Larger launches leave their .ttir alone.
"""
import collections
import json
import os
import runpy
import sys
import traceback

import numpy as np
import torch
import triton
from triton.compiler.compiler import CompiledKernel

LIMIT = int(os.environ.get("KILN_RECORD_LIMIT", "3"))
ELEMENTS = int(os.environ.get("KILN_RECORD_ELEMENTS", "3000000"))
FLOATS = {torch.float64: "float64", torch.float32: "float32", torch.float16: "float16",
          torch.bfloat16: "bfloat16", torch.float8_e4m3fn: "float8_e4m3fn",
          torch.float8_e5m2: "float8_e5m2"}
OTHERS = {torch.int64: "int64", torch.int32: "int32", torch.int16: "int16", torch.int8: "int8",
          torch.uint8: "uint8", torch.bool: "bool", torch.uint16: "int16", torch.uint32: "int32",
          torch.uint64: "int64"}
# numpy has no types for these; samples are kept as float32.
WIDENED = {"bfloat16", "float8_e4m3fn", "float8_e5m2"}


class NotRecordable(Exception):
    """An argument that a case cannot describe."""


class Storage:
    """The whole memory behind one or more tensor arguments."""

    def __init__(self, name, tensor):
        self.name = name
        self.dtype = FLOATS.get(tensor.dtype) or OTHERS.get(tensor.dtype)
        if not self.dtype or tensor.device.type == "cpu":
            raise NotRecordable(f"{name}: {tensor.dtype} on {tensor.device}")
        memory = tensor.untyped_storage()
        self.elements = torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(
            memory, 0, (memory.nbytes() // tensor.element_size(),))
        self.before = self.elements.clone()

    def refill(self, seed, arrays):
        """Fills floats from a seed, keeps the rest; returns the description."""
        count = self.elements.numel()
        if self.elements.dtype not in FLOATS or not count:
            arrays["in_" + self.name] = self.bits().copy()
            return {"kind": "raw", "n": count}
        finite = self.elements.float()
        finite = finite[torch.isfinite(finite)].clamp(-4, 4)
        low = float(finite.min()) if finite.numel() else 0.0
        high = float(finite.max()) if finite.numel() else 0.0
        if low == high:
            self.elements.fill_(low)
            return {"kind": "const", "value": low, "n": count}
        values = np.random.default_rng(seed).random(count, dtype=np.float32)
        values = values * np.float32(np.float32(high) - np.float32(low)) + np.float32(low)
        self.elements.copy_(torch.from_numpy(values).to(self.elements.dtype))
        return {"kind": "uniform", "lo": low, "hi": high, "seed": seed, "n": count}

    def bits(self):
        """A copy in the host's memory, byte by byte."""
        return self.elements.view(torch.uint8).cpu().numpy()

    def sample(self):
        """Some of the elements, as corpus.py chooses them."""
        values = self.elements.float() if self.dtype in WIDENED else self.elements
        values = values.cpu().numpy()
        if len(values) <= 2048:
            return values
        return values[np.sort(np.random.default_rng(7).choice(len(values), 2048, replace=False))]


class Recorder:
    """Stands between kernels and their launcher."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        self.kernels, self.seen, self.counts = {}, set(), collections.Counter()
        self.busy = False
        os.makedirs(folder, exist_ok=True)

    def install(self):
        launcher = triton.runtime.driver.active.launcher_cls
        launch, load = launcher.__call__, CompiledKernel._init_handles
        recorder = self

        def loaded(kernel):
            result = load(kernel)
            recorder.kernels[kernel.function] = kernel
            return result

        def launched(self, x, y, z, stream, function, *rest):
            def again():
                launch(self, x, y, z, stream, function, *rest)
                torch.accelerator.synchronize()

            kernel = recorder.kernels.get(function)
            if kernel is not None and not recorder.busy:
                recorder.busy = True
                try:
                    # What Triton passes before the kernel's own arguments is for hooks.
                    recorder.record(kernel, [x, y, z], rest[4:], again)
                except NotRecordable as reason:
                    print(f"record.py: {kernel.name}: {reason}", file=sys.stderr)
                except Exception:  # the program goes on
                    traceback.print_exc()
                finally:
                    recorder.busy = False
            return launch(self, x, y, z, stream, function, *rest)

        CompiledKernel._init_handles = loaded
        launcher.__call__ = launched

    def record(self, kernel, grid, values, launch):
        text = kernel.asm["ttir"]
        if text in self.seen or self.counts[kernel.name] >= LIMIT:
            return
        self.seen.add(text)
        self.counts[kernel.name] += 1
        stem = os.path.join(self.folder,
                            f"{self.program}__{kernel.name}__{self.counts[kernel.name]}")
        with open(stem + ".ttir", "w", encoding="utf-8") as file:
            file.write(text)
        names = list(kernel.src.fn.arg_names)
        if len(names) != len(values):
            raise NotRecordable(f"{len(values)} arguments for {len(names)} parameters")
        storages, arrays, arguments = {}, {}, []
        try:
            for name, value in zip(names, values):
                arguments.append(self.describe(name, value, storages, arrays))
            launch()
            for storage in storages.values():
                arrays["out_" + storage.name] = storage.sample()
        finally:
            for storage in storages.values():
                storage.elements.copy_(storage.before)
            torch.accelerator.synchronize()
        np.savez_compressed(stem + ".npz", **arrays)
        with open(stem + ".json", "w", encoding="utf-8") as file:
            json.dump({"grid": grid, "args": arguments}, file)

    @staticmethod
    def describe(name, value, storages, arrays):
        if value is None or isinstance(value, (bool, int, float)):
            value = int(value) if isinstance(value, bool) else value
            return {"arg": name, "t": "scalar", "value": value}
        if not isinstance(value, torch.Tensor):
            if hasattr(value, "data_ptr") or hasattr(value, "base"):
                raise NotRecordable(f"{name}: {type(value).__name__}")
            return {"arg": name, "t": "other", "value": str(value)}
        entry = {"arg": name, "t": "tensor", "shape": list(value.shape),
                 "stride": list(value.stride()), "offset": value.storage_offset()}
        memory = value.untyped_storage()
        known = storages.get(memory.data_ptr())
        if known and memory.nbytes():
            if known.elements.dtype != value.dtype:
                raise NotRecordable(f"{name}: {value.dtype} in the storage of {known.name}")
            return {**entry, "dtype": known.dtype, "alias": known.name}
        storage = Storage(name, value)
        storages[memory.data_ptr()] = storage
        if sum(s.elements.numel() for s in storages.values()) > ELEMENTS:
            raise NotRecordable(f"more than {ELEMENTS} elements")
        return {**entry, "dtype": storage.dtype,
                "init": storage.refill(1000 + len(storages), arrays)}


def main():
    if len(sys.argv) < 3 or (sys.argv[2] == "-m" and len(sys.argv) < 4):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    folder, is_module = sys.argv[1], sys.argv[2] == "-m"
    target = sys.argv[3] if is_module else sys.argv[2]
    sys.argv = [target] + sys.argv[4 if is_module else 3:]
    name = os.path.splitext(os.path.basename(target))[0]
    Recorder(folder, name).install()
    if is_module:
        runpy.run_module(target, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(target)))
        runpy.run_path(target, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
