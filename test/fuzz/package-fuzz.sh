#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# package-fuzz.sh BUILD: the reader of packages, 10,000 files.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
/usr/bin/python3 "$here/package-fuzz.py" "$1" 10000 "${KILN_FUZZ_SEED:-1}"
