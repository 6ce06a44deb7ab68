#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks the format of the C and C++ files that a change touches, and lints the sources among them.
# Usage: check-style.sh BUILD BASE    BASE is the commit that the change is compared with.
set -euo pipefail
build=${1:?usage: check-style.sh BUILD BASE} base=${2:?usage: check-style.sh BUILD BASE}
mapfile -t files < <(git diff --name-only --diff-filter=d "$base"...HEAD -- '*.cpp' '*.h' '*.c')
if [ ${#files[@]} -eq 0 ]; then
  echo "0 changed files"
  exit 0
fi
clang-format-22 --dry-run --Werror "${files[@]}"
# The linter needs the commands of the build, which tests and examples have none of.
sources=()
for file in "${files[@]}"; do
  [[ $file =~ ^(lib|dialects|conversions|targets|tools)/.*\.cpp$ ]] && sources+=("$file")
done
if [ ${#sources[@]} -gt 0 ]; then
  printf '%s\0' "${sources[@]}" | xargs -0 -P "$(nproc)" -n 4 clang-tidy-22 -p "$build" --quiet
fi
echo "${#files[@]} changed files, ${#sources[@]} linted"
