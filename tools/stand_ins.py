# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes libraries of a folder load without libraries that they need and that are not installed:
stand_ins.py FOLDER

For each library that something in FOLDER needs and that is neither there nor the distribution's, a
small one is written into FOLDER that has its name, the versions and the functions that are asked for. They do nothing:
texts are empty, questions ("Is") get no, all else fails with 100, which where devices are counted
says that there is none. So PyTorch's wheel runs on the host without the gigabytes that it would need for devices."""
import collections
import os
import re
import subprocess
import sys
import tempfile


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def missing(folder, libraries):
    """Names of the libraries that are needed and neither here nor the distribution's."""
    names = set()
    for path in libraries:
        for name, place in re.findall(r"^\s*(\S+) => (not found|\S+)", output("ldd", path), re.M):
            if not place.startswith((os.path.abspath(folder), "/lib/", "/lib64/", "/usr/lib/")):
                names.add(name)
    return names


def symbols(path):
    """(name, version or None, defined, is_data) of each symbol for the dynamic linker."""
    for line in output("readelf", "-W", "--dyn-syms", path).splitlines():
        parts = line.split()
        if len(parts) < 8 or parts[4] == "LOCAL" or not parts[0].rstrip(":").isdigit():
            continue
        name, _, version = parts[7].replace("@@", "@").partition("@")
        yield name, version or None, parts[6] != "UND", parts[4] == "WEAK"


def write(folder, soname, wanted):
    """A library with these functions: {version or None: names}."""
    with tempfile.TemporaryDirectory() as work:
        assembly, script = [".section .rodata", "empty: .byte 0", ".text"], []
        for number, (version, names) in enumerate(sorted(wanted.items(), key=lambda one: one[0] or "")):
            for name in sorted(names):
                assembly += [f".globl {name}", f".type {name}, @function", f"{name}:",
                             "  lea empty(%rip), %rax" if re.search("String|Name", name) else
                             f"  mov ${0 if 'Is' in name else 100}, %eax", "  ret"]
            if version:
                script.append(f'{version} {{ global: {" ".join(f"{name};" for name in sorted(names))} }};')
        with open(f"{work}/a.s", "w", encoding="ascii") as file:
            file.write("\n".join(assembly) + '\n.section .note.GNU-stack,"",@progbits\n')
        with open(f"{work}/a.map", "w", encoding="ascii") as file:
            file.write("\n".join(script) + "\n")
        versions = [f"-Wl,--version-script={work}/a.map"] if script else []
        subprocess.run(["cc", "-shared", "-nostdlib", "-o", f"{folder}/{soname}", f"-Wl,-soname,{soname}", *versions,
                        f"{work}/a.s"], check=True)


def main():
    folder = sys.argv[1]
    libraries = [os.path.join(folder, name) for name in os.listdir(folder) if ".so" in name]
    lacking = missing(folder, libraries)
    if not lacking:
        return
    system = set()
    for path in libraries:
        system.update(place for name, place in re.findall(r"(\S+) => (/\S+)", output("ldd", path)) if name not in lacking)
    defined = {name for path in set(libraries) | system for name, _, here, _ in symbols(path) if here}
    wanted = collections.defaultdict(lambda: collections.defaultdict(set))
    for path in libraries:
        needed = [one for one in re.findall(r"NEEDED.*\[(\S+)\]", output("readelf", "-d", path)) if one in lacking]
        files = {}
        for soname, versions in re.findall(r"File: (\S+)\s+Cnt: \d+\n((?:.*Name: .*\n)+)", output("readelf", "-V", path)):
            files.update((version, soname) for version in re.findall(r"Name: (\S+)", versions))
        for name, version, here, weak in symbols(path):
            version = version and version.split()[0]
            if here or weak or not needed or name in defined or (version and files.get(version) not in lacking):
                continue
            wanted[files[version] if version else needed[0]][version].add(name)
    for soname in lacking:
        write(folder, soname, wanted[soname])
    print(f"wrote stand-ins for {len(lacking)} libraries that {folder} needs", file=sys.stderr)


if __name__ == "__main__":
    main()
