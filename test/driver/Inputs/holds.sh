#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# holds.sh PATTERN FILE: status 1, for kiln-reduce "interesting", if the file has the pattern.
grep -q -e "$1" "$2" && exit 1
exit 0
