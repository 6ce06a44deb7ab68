#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# module-fuzz.sh BUILD [COUNT] [SEED]: as many modules (300) of the tests, changed so that they are nearly valid.
set -eu
exec /usr/bin/python3 "$(cd "$(dirname "$0")" && pwd)/module-fuzz.py" "$1" "${2:-300}" "${3:-1}"
