#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles a transformer layer for the CPU, runs it, checks it against the reference and
# reports where the time went.
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PATH="$build/bin:$PATH"
layer=$here/llama_layer.mlir

echo "== compile ($(basename "$layer") for cpu)"
time kiln-compile "$layer" --target=cpu -o "$scratch/layer.kiln" --explain="$scratch/explain.txt"
echo
echo "== what was lowered where"
cat "$scratch/explain.txt"
echo
echo "== the package"
kiln-run "$scratch/layer.kiln" --inspect | sed -n '1,12p;/memory of/p'
echo
echo "== run, check against the reference, time per kernel"
kiln-run "$scratch/layer.kiln" --target=cpu --check --bench=5 --profile
