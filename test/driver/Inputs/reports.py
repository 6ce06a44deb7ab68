# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs small inputs that once failed, made after public reports of other projects: reports.py BUILD REPORTS FOLDER.
Values are computed here. What is hostile has to be refused at once, with a place, in little memory."""
import glob
import os
import resource
import subprocess
import sys

import numpy as np

build, reports, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
failures = 0


def run(tool, name, *options):
    return subprocess.run([os.path.join(build, "bin", tool), os.path.join(reports, name), *options], capture_output=True, text=True,
                          check=False)


def expect(name, right, said):
    global failures
    if not right:
        failures += 1
        print(f"{name}: {said}")


def values(name, want, arguments, save, *options, targets=("cpu", "reference")):
    """An output has these values on each target."""
    for target in targets:
        done = run("kiln-run", name, f"--target={target}", *(f"--arg={one}" for one in arguments), f"{save}:out.npy", *options)
        found = np.load("out.npy").tolist() if done.returncode == 0 else done.stderr
        expect(f"{name} on {target}", found == want, f"expected {want}, found {found}")


def compiles(name, *targets):
    for target in targets:
        done = run("kiln-compile", name, f"--target={target}", "--no-fallback", "-o", "out.kiln")
        expect(f"{name} for {target}", done.returncode == 0, done.stderr)


def ends(name, status, text, *options, tool="kiln-compile"):
    """A run ends within five seconds of a processor, with this status and text."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run(tool, name, *options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    expect(name, done.returncode == status and text in done.stderr and work < 5, f"status {done.returncode}, {work:.1f} s, {done.stderr}")


def main():
    np.save("integers.npy", np.arange(400, dtype=np.int32))
    values("wrap_address_i8.ttir", [*range(248, 256), *range(8)], ["integers.npy", "zeros:i32:16"], "--save=1", "--grid=1")
    values("wrap_mask_i32.ttir", [-1] * 10 + [*range(10, 16)], ["integers.npy", "zeros:i32:16", f"i32:{2**31 - 10}"], "--save=1", "--grid=1")

    floats, carried, offsets = np.arange(64, dtype=np.float32), [], np.arange(16)
    np.save("floats.npy", floats)
    for _ in range(4):
        offsets = offsets + 11
        carried += [float(floats[o]) if o < 40 else -1.0 for o in offsets]
    values("carried_vector_runtime_step.ttir", carried, ["floats.npy", "zeros:f32:64", "i32:11", "i32:4"], "--save=1", "--grid=1")
    compiles("carried_vector_runtime_step.ttir", "nvidia:sm_90a,ptxas=none", "amd:gfx942")

    rows, at = np.arange(30, dtype=np.float32).reshape(6, 5) + 1, np.array([0, 1, 7, -7, 2, 3])
    np.save("rows.npy", rows)
    np.save("at.npy", at)
    want = [float(rows[i, j]) if 0 <= j < 5 else 0.0 for i, j in enumerate(at)]
    values("linalg_index_outside.mlir", want, ["rows.npy", "at.npy"], "--result=0", targets=("cpu",))
    ends("linalg_index_outside.mlir", 1, "expected indices in", "--target=reference", "--arg=rows.npy", "--arg=at.npy", tool="kiln-run")

    unsigned = np.array([[1, 2**63, 3, 4, 5], [9, 8, 2**64 - 1, 7, 6]], dtype=np.uint64)
    np.save("unsigned.npy", unsigned)
    values("onnx_uint64_argmax.mlir", unsigned.argmax(1).reshape(2, 1).tolist(), ["unsigned.npy"], "--result=0")

    ends("hostile/hint_hang.ttir", 0, "", "--target=cpu", "-o", "out.kiln")
    ends("hostile/reshape_hang.mlir", 1, "reshape_hang.mlir:3:8: error: ", "--target=cpu", "-o", "out.kiln")
    ends("hostile/text_crash.mlir", 1, "text_crash.mlir:3:41: error: ", "--target=cpu", "-o", "out.kiln")
    # The importer leaves out what such a function computes; files of ONNX have it.
    ends("frontends/local_function.mlir", 1, "error: unsupported: onnx.Swish2", "--target=cpu", "-o", "out.kiln")
    for path in sorted(glob.glob(os.path.join(reports, "frontends", "*.mlir"))):
        if not path.endswith("local_function.mlir"):
            compiles(os.path.relpath(path, reports), "cpu")
    for path in sorted(glob.glob(os.path.join(reports, "gpu", "*.*"))):
        compiles(os.path.relpath(path, reports), "nvidia:sm_90a,ptxas=none")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    expect("memory", peak < 1024, f"{peak} MiB")

    attack = os.path.join(reports, "hostile", "wattack.py")
    os.makedirs("w", exist_ok=True)
    for case in ("memo nestnpy unary binop neststr jsonnest dup overlap neg unaligned bigint meta list deeppickle cyc longint").split():
        done = subprocess.run([sys.executable, attack, case], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": os.path.join(build, "python")}, timeout=60)
        expect(f"weights {case}", "s rss " in done.stdout and "  Error " in done.stdout, done.stdout + done.stderr)
    print(f"{failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
