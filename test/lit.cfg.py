# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Test suite of Kiln. KILN_BUILD names the build tree, KILN_SHARED a folder with the
optional corpus; tests that need it are skipped where it is absent."""
import ctypes
import glob
import os
import platform
import re
import shutil
import subprocess
import sys

import lit.formats

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import build_tree  # noqa: E402

config.name = "kiln"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "fuzz-corpus"]
config.test_source_root = os.path.dirname(__file__)
build = os.environ.get("KILN_BUILD") or os.path.join(config.test_source_root, "..", "build")
build = os.path.abspath(build)
config.test_exec_root = os.path.join(build, "test")
source = os.path.abspath(os.path.join(config.test_source_root, ".."))

llvm = build_tree.llvm_prefix(build)
llvm_bin = os.path.join(llvm, "bin")
path = [os.path.join(build, "bin"), llvm_bin, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
for name in ("HOME", "CCACHE_DIR", "KILN_SHARED", "KILN_CONFORM_SEED", "CUDA_HOME", "CUDA_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# A kernel that its target does not take is an error in every test. Tests of fallback itself begin
# with `unset KILN_NO_FALLBACK` and say why.
config.environment["KILN_NO_FALLBACK"] = "1"



def clang(name):
    """Clang of the LLVM, else the one on the search path."""
    own = os.path.join(llvm_bin, name)
    return own if os.path.exists(own) else shutil.which(name) or own


# A shared object of the shape that the device cpu takes.
kernel_flags = ("-fPIC -shared -nostdlib -fno-asynchronous-unwind-tables -fuse-ld=lld "
                "-Wl,--build-id=none,--hash-style=gnu,-z,noexecstack")

config.substitutions += [
    ("%kernel_flags", kernel_flags),
    ("%build", build),
    ("%source", source),
    ("%llvm_bin", llvm_bin),
    ("%llvm", llvm),
    ("%python", "/usr/bin/python3"),
    ("%cxx", clang("clang++")),
    ("%cc", clang("clang")),
    # For projects of plug-ins: the files of a library are compiled as one, which parses MLIR's headers once.
    ("%one_file", "-DCMAKE_UNITY_BUILD=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"),
    # Compiles a program or a device driver: what other tests have compiled is taken from a cache.
    ("%compile", f"/usr/bin/python3 {source}/test/compile.py {build} {clang('clang++')} {llvm}"),
    # Compiles a plug-in that links the compiler's library.
    ("%plugin_cxx", f"/usr/bin/python3 {source}/test/plugin_cxx.py {build} {clang('clang++')} {llvm}"),
]

shared = os.environ.get("KILN_SHARED", "")
if shared and os.path.isdir(os.path.join(shared, "corpus")):
    config.available_features.add("corpus")
    config.substitutions.append(("%corpus", os.path.join(os.path.abspath(shared), "corpus")))
with open("/proc/cpuinfo", encoding="utf-8") as file:
    cpu = file.read()
config.available_features.add(platform.machine())
if all(shutil.which(tool) for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps")):
    config.available_features.add("debian")
if os.path.exists(os.path.join(llvm_bin, "llvm-mca")):
    config.available_features.add("llvm-mca")
if os.path.exists(os.path.join(llvm_bin, "ld.lld")):
    config.available_features.add("lld")
    # CMake projects of tests link with it: the linker of binutils takes seconds for LLVM's libraries.
    # What the caller sets comes behind it, and holds.
    config.environment["LDFLAGS"] = " ".join(["-fuse-ld=lld", *os.environ.get("LDFLAGS", "").split()])
# The assembler of the target nvidia, where that looks for it.
homes = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")] + ["/usr/local/cuda"]
if any(home and shutil.which(os.path.join(home, "bin", "ptxas")) for home in homes) or shutil.which("ptxas"):
    config.available_features.add("ptxas")
# The CUDA toolkit's math functions, which nvidia targets link to what they compile: where they look without an assembler.
if any(home and os.path.exists(os.path.join(home, folder, "libdevice.10.bc"))
       for home in homes for folder in ("nvvm/libdevice", "libdevice")):
    config.available_features.add("libdevice")
# A compiler of another version of LLVM, which reads files: `install-deps.sh other-mlir` has one.
others = sorted({os.path.realpath(os.path.join(folder, name)) for folder in os.environ.get("PATH", "").split(os.pathsep)
                 if os.path.isdir(folder) for name in os.listdir(folder) if re.fullmatch(r"mlir-opt-\d+", name)}
                - {os.path.realpath(os.path.join(llvm_bin, "mlir-opt"))})
if others:
    config.available_features.add("other-mlir")
    config.substitutions.append(("%other_mlir_opts", " ".join(others)))
# The headers and libraries of another version of MLIR, for programs of targets. Debian's packages of two versions cannot be
# installed together: `tools/unpack-mlir.sh 19 BUILD/other-mlir` unpacks them, KILN_TEST_OTHER_LLVM names another folder.
other_homes = [os.environ.get("KILN_TEST_OTHER_LLVM", ""), os.path.join(build, "other-mlir", "usr", "lib", "llvm-19"), "/usr/lib/llvm-19"]
for home in other_homes:
    if home and all(os.path.exists(os.path.join(home, name)) for name in ("include/mlir/IR/BuiltinOps.h", "lib/libMLIR.so")):
        config.available_features.add("other-mlir-dev")
        config.substitutions.append(("%other_llvm", home))
        break
if shutil.which("g++"):
    config.available_features.add("gxx")
# GCC's race detector, which needs the addresses that `setarch -R` gives.
if shutil.which("g++") and shutil.which("setarch"):
    library = subprocess.run(["g++", "-print-file-name=libtsan.so"], capture_output=True, text=True).stdout.strip()
    if os.path.isabs(library) and subprocess.run(["setarch", "-R", "true"], capture_output=True).returncode == 0:
        config.available_features.add("tsan")
# The library alone, which comes with compilers of C++.
try:
    ctypes.CDLL("libmpfr.so.6")
    config.available_features.add("mpfr")
except OSError:
    pass
# What the runtime looks for.
for name in ("liblapack.so.3", "libopenblas.so.0"):
    try:
        ctypes.CDLL(name)
        config.available_features.add("lapack")
    except OSError:
        pass
# A Python that has JAX: `make test-jax` makes one.
jax = os.path.join(build, "venv-jax", "bin", "python")
if os.path.exists(jax):
    config.available_features.add("jax")
    config.substitutions.append(("%jax", jax))
# A Python that has Triton and numpy, which KILN_TRITON_PYTHON names: its wheel compiles for AMD's GPUs without one.
triton = os.environ.get("KILN_TRITON_PYTHON", "")
if os.path.exists(triton):
    config.available_features.add("triton")
    config.substitutions.append(("%triton", triton))

# A Python that has PyTorch: `make test-torch` makes one.
torch = os.path.join(build, "venv-torch", "bin", "python")
if os.path.exists(torch):
    config.available_features.add("torch")
    config.substitutions.append(("%torch", torch))
# What runs packages on other architectures, and emulators of these: `make cross` builds them.
for name in ("aarch64", "riscv64"):
    folder = os.path.join(build, "cross", name)
    emulator = os.path.join(build, "cross", "emulators", "usr", "bin", "qemu-" + name)
    if os.path.exists(emulator) and os.path.exists(os.path.join(folder, "bin", "kiln-run")):
        config.available_features.add("cross-" + name)
        config.substitutions += [("%run_" + name, f"{emulator} -L {folder}/root -cpu"),
                                 ("%kiln_run_" + name, f"{folder}/bin/kiln-run"),
                                 ("%there_path_" + name, f"{folder}/root/usr/lib/python3/dist-packages"),
                                 ("%there_python_" + name, " ".join(glob.glob(f"{folder}/root/usr/bin/python3.*[0-9]")))]
# The compiler for another architecture: `make cross-compiler` builds it.
emulator = os.path.join(build, "cross", "emulators", "usr", "bin", "qemu-aarch64")
there = os.path.join(build, "cross", "aarch64-compiler")
if os.path.exists(emulator) and os.path.exists(os.path.join(there, "bin", "kiln-compile")):
    config.available_features.add("cross-compiler")
    config.substitutions += [("%emulated", f"{emulator} -L {there}/root -cpu neoverse-v1"), ("%bin_there", f"{there}/bin")]
# The communication driver of MPI is built where the system has it.
if shutil.which("mpirun") and os.path.exists(os.path.join(build, "lib", "kiln", "targets", "libkiln-communication-mpi.so")):
    config.available_features.add("mpi")
for feature in ("avx2", "avx512f"):
    if feature in cpu:
        config.available_features.add(feature)
