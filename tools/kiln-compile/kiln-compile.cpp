//===- kiln-compile.cpp - Compiles programs to packages -------------------===//

#include "kiln/Driver/Driver.h"
#include "kiln/Runtime/StandardStreams.h"

int main(int argc, char **argv) {
  kiln::runtime::occupyStandardStreams();
  return kiln::driver::compileMain(argc, argv);
}
