#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# code-object-fuzz.sh BUILD [SECONDS]: the simulated device's reader of code objects.
set -eu
exec /usr/bin/python3 "$(cd "$(dirname "$0")" && pwd)/code-object-fuzz.py" "$1" "${2:-300}"
