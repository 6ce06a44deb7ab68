#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# compiler-fuzz.sh BUILD [SECONDS]: the compiler's readers, of text, bytecode, Triton's text, its inline assembly, files of block sizes, schedule scripts, descriptions, StableHLO and ONNX files, what they announce, and hostile structures.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for kind in text bytecode ttir assembly tiling script description announced structure stablehlo onnx; do
  /usr/bin/python3 "$here/compiler-fuzz.py" "$1" "$kind" "${2:-300}"
done
