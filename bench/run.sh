#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs the comparison of cpu kernels with OpenBLAS, oneDNN and a copy.
# Usage: bench/run.sh BUILD [FILTER] [OPTION...]
set -euo pipefail
build=${1:?usage: bench/run.sh BUILD [FILTER] [OPTION...]}
cmake "$build" >/dev/null
cmake --build "$build" --target bench-cpu kiln-target-cpu kiln-device-cpu
# What is measured is the target, or nothing.
export KILN_NO_FALLBACK=1
exec "$build/bin/bench-cpu" "${@:2}"
