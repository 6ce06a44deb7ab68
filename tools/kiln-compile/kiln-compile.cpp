//===- kiln-compile.cpp - Compiles programs to packages -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Driver/Driver.h"
#include "kiln/Runtime/StandardStreams.h"

int main(int argc, char **argv) {
  kiln::runtime::occupyStandardStreams();
  return kiln::driver::compileMain(argc, argv);
}
