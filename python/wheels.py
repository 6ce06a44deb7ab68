# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes two wheels of a build: wheels.py BUILD OUT [runtime] [compiler] [--stored]

kiln-runtime   the package `kiln`, kiln-run, kiln-conform, the device cpu: no LLVM
kiln-compiler  kiln-compile, kiln-opt, kiln-reduce, with the LLVM that they need and a linker

Both install into the one folder `kiln`, where programs and libraries find each other relative to
themselves. --stored leaves out the compression, for tests."""
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# What every Linux of this age has; see PEP 600.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|util|gcc_s|stdc\+\+)\.so)")
RUNTIME_TOOLS = ["kiln-run", "kiln-conform"]
COMPILER_TOOLS = ["kiln-compile", "kiln-opt", "kiln-reduce"]
# Of the package `kiln`, but of no use without the compiler.
COMPILER_MODULES = ["compiler.py", "jax.py"]
# What needs the compiler, too, a folder each.
COMPILER_PACKAGES = ["torch"]
COMPILER_ENTRY_POINTS = {"jax_plugins": ["kiln = kiln.jax"], "torch_dynamo_backends": ["kiln = kiln.torch.backend:kiln"]}
HELPERS = {"runtime": ["kiln-driver-trial"], "compiler": ["kiln-compile-worker"]}


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def install(build, component, folder):
    """The files of a component: paths below lib, bin, share without links to the same file."""
    run("cmake", "--install", build, "--component", component, "--prefix", folder, stdout=subprocess.DEVNULL)


def copy(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy2(os.path.realpath(source), target)


def needed(path):
    """Names and paths of the libraries that a file needs, all the way down."""
    text = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^\s*(\S+) => (\S+)", text, re.M))


def platform_of(path):
    """The platform of a program, as wheels call it, which need not be this one."""
    machines = {62: "x86_64", 183: "aarch64", 243: "riscv64"}
    with open(path, "rb") as file:
        header = file.read(20)
    return "linux_" + machines[int.from_bytes(header[18:20], "little")]


def stage_runtime(build, folder):
    tree = folder + ".installed"
    install(build, "runtime", tree)
    for tool in RUNTIME_TOOLS:
        copy(f"{tree}/bin/{tool}", f"{folder}/bin/{tool}")
    copy(f"{tree}/lib/libkiln-runtime.so.0", f"{folder}/lib/libkiln-runtime.so.0")
    shutil.copytree(f"{tree}/lib/kiln", f"{folder}/lib/kiln")
    shutil.copytree(f"{tree}/share/doc/kiln/licences", f"{folder}/licences")
    for name in os.listdir(f"{build}/python/kiln"):
        if name.endswith((".py", ".so")) and name not in COMPILER_MODULES:
            copy(f"{build}/python/kiln/{name}", f"{folder}/{name}")


def stage_compiler(build, folder):
    tree = folder + ".installed"
    install(build, "tools", tree)
    for tool in COMPILER_TOOLS:
        copy(f"{tree}/bin/{tool}", f"{folder}/bin/{tool}")
    copy(f"{tree}/lib/libKiln.so.0", f"{folder}/lib/libKiln.so.0")
    shutil.copytree(f"{tree}/lib/kiln", f"{folder}/lib/kiln")
    copy(f"{tree}/lib/libkiln-pjrt.so", f"{folder}/lib/libkiln-pjrt.so")
    for module in COMPILER_MODULES:
        copy(f"{build}/python/kiln/{module}", f"{folder}/{module}")
    for package in COMPILER_PACKAGES:
        shutil.copytree(f"{build}/python/kiln/{package}", f"{folder}/{package}", ignore=shutil.ignore_patterns("__pycache__"))
    linker = shutil.which("ld.lld-22") or shutil.which("ld.lld") or sys.exit("error: ld.lld-22 not found")
    copy(linker, f"{folder}/lib/kiln/ld.lld")
    run("patchelf", "--set-rpath", "$ORIGIN/..", f"{folder}/lib/kiln/ld.lld")
    libraries = {}
    for path in (f"{build}/lib/libKiln.so.0", linker):
        libraries.update(needed(path))
    for name, path in libraries.items():
        if not SYSTEM.match(name) and not name.startswith("libkiln-runtime") and name != "libKiln.so.0":
            copy(path, f"{folder}/lib/{name}")
            run("patchelf", "--set-rpath", "$ORIGIN", f"{folder}/lib/{name}")
            package = re.sub(r"^diversion.*\n", "", subprocess.run(
                ["dpkg", "-S", os.path.realpath(path)], capture_output=True, text=True, check=False).stdout).split(":")[0]
            licence = f"/usr/share/doc/{package}/copyright"
            if package and os.path.exists(licence):
                copy(licence, f"{folder}/licences/{package}.txt")


def build_wheel(build, out, name, summary, module, tools, requires, stage, stored, entry_points):
    folder = os.path.join(out, name)
    for old in (folder, folder + ".installed", folder + ".work"):
        shutil.rmtree(old, ignore_errors=True)
    os.makedirs(folder)
    stage(build, folder)
    files = [os.path.relpath(os.path.join(root, file), folder) for root, _, all in os.walk(folder) for file in all]
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        version = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(\S+)", cache.read(), re.M).group(1)
    wheel = {"name": name, "version": version, "summary": summary, "entry_points": entry_points, "module": module, "folder": folder, "tools": tools,
             "requires": [f"{one}=={version}" for one in requires], "files": sorted(f for f in files if not f.endswith(".py")),
             "compression": "stored" if stored else "deflated", "platform": platform_of(f"{folder}/bin/{tools[0]}")}
    os.makedirs(folder + ".work")
    run(sys.executable, os.path.join(HERE, "setup.py"), "-q", "bdist_wheel", "--dist-dir", out, cwd=folder + ".work",
        env=dict(os.environ, WHEEL=json.dumps(wheel)))
    for old in (folder, folder + ".installed", folder + ".work"):
        shutil.rmtree(old)


def main():
    build, out, *rest = sys.argv[1:]
    build, out = os.path.abspath(build), os.path.abspath(out)
    stored = "--stored" in rest
    wanted = [one for one in rest if not one.startswith("-")] or ["runtime", "compiler"]
    os.makedirs(out, exist_ok=True)
    if "runtime" in wanted:
        build_wheel(build, out, "kiln-runtime", "Runs packages that Kiln has compiled", "tools", RUNTIME_TOOLS, [],
                    stage_runtime, stored, {})
    if "compiler" in wanted:
        build_wheel(build, out, "kiln-compiler", "Kiln's compiler and tools", "compiler", COMPILER_TOOLS, ["kiln-runtime"],
                    stage_compiler, stored, COMPILER_ENTRY_POINTS)
    print("\n".join(sorted(os.path.join(out, name) for name in os.listdir(out) if name.endswith(".whl"))))


if __name__ == "__main__":
    main()
