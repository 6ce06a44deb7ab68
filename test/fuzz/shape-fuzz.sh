#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shape-fuzz.sh BUILD [COUNT] [SEED]: as many programs of shapes (20000), on the CPU and on reference.
set -eu
exec /usr/bin/python3 "$(cd "$(dirname "$0")" && pwd)/shape-fuzz.py" "$1" "${2:-20000}" "${3:-1}"
