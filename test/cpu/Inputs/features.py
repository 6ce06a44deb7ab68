# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What LLVM is told of the compiling machine beside the name of its processor, and what a package for it requires.

    features.py PROGRAM FOLDER      kiln-compile and kiln-run are on PATH"""
import re
import subprocess
import sys

PROGRAM, FOLDER = sys.argv[1:]


def required(chip):
    package = f"{FOLDER}/{chip}.kiln"
    subprocess.run(["kiln-compile", PROGRAM, f"--target=cpu:{chip}", "-o", package], check=True)
    text = subprocess.run(["kiln-run", package, "--inspect"], check=True, capture_output=True, text=True).stdout
    return set(re.search(r"requires (.*)", text).group(1).split())


code = subprocess.run(["kiln-compile", PROGRAM, "--target=cpu:native", "--emit=llvm"], check=True, capture_output=True,
                      text=True).stdout
name = re.search(r'"target-cpu"="([^"]*)"', code).group(1)
found = re.search(r'"target-features"="([^"]*)"', code)
told = found.group(1).split(",") if found and found.group(1) else []
native, named = required("native"), required(name)
on = {feature[1:] for feature in told if feature[0] == "+"}
off = {feature[1:] for feature in told if feature[0] == "-"}
print("told twice:", *sorted(on & named))
print("required although off:", *sorted(off & native))
print("on and not required:", *sorted((on | named - off) - native))
