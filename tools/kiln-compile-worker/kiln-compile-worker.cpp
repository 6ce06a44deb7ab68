//===- kiln-compile-worker.cpp - Compiles for a process with threads ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Driver/Driver.h"

int main(int argc, char **argv) { return kiln::driver::workerMain(argc, argv); }
