#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# value-fuzz.sh BUILD [COUNT] [SEED]: as many exact programs (300) of all element types, of values that are easy to get wrong.
set -eu
exec /usr/bin/python3 "$(cd "$(dirname "$0")" && pwd)/value-fuzz.py" "$1" "${2:-300}" "${3:-1}"
