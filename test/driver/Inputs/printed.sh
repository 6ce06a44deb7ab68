#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compares what kiln-compile prints at each level with what kiln-opt makes of the
# pipeline that kiln-compile prints, byte by byte.
# Usage: printed.sh BIN FOLDER INPUT TARGET "LEVEL..." [flags of kiln-compile...]
bin=$1 folder=$2 input=$3 target=$4 levels=$5
shift 5
mkdir -p "$folder"
for level in $levels; do
  "$bin/kiln-compile" "$input" --target="$target" --emit="$level" -o "$folder/compiled" "$@" || exit 1
  "$bin/kiln-compile" "$input" --target="$target" --emit="$level" --print-pipeline -o "$folder/pipeline" "$@" || exit 1
  "$bin/kiln-opt" "$input" --pass-pipeline="$(cat "$folder/pipeline")" -o "$folder/passed" || exit 1
  if ! cmp "$folder/compiled" "$folder/passed"; then
    echo "$input for $target at $level is not what this gives:"
    cat "$folder/pipeline"
    exit 1
  fi
done
