#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pointer-fuzz.sh BUILD [COUNT] [SEED]: as many kernels of Triton (1000) whose offsets wrap and whose loops carry pointers.
set -eu
exec /usr/bin/python3 "$(cd "$(dirname "$0")" && pwd)/pointer-fuzz.py" "$1" "${2:-1000}" "${3:-1}"
