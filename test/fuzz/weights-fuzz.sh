#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weights-fuzz.sh BUILD: the readers of weights of the Python package, 10,000 files each.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
/usr/bin/python3 "$here/weights-fuzz.py" "$1" 10000 "${KILN_FUZZ_SEED:-1}"
