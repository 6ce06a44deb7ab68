#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# wire-fuzz.sh BUILD: the reader of kernels of isolated targets in Python, 10,000 texts.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
/usr/bin/python3 "$here/wire-fuzz.py" "$1" 10000 "${KILN_FUZZ_SEED:-1}"
