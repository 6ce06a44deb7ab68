#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a change has to pass: builds from nothing, runs every test. Its arguments go to the first cmake.
set -e
cd "$(dirname "$0")"
rm -rf build
cmake -S . -B build -G Ninja "$@"
cmake --build build
ctest --test-dir build --output-on-failure
