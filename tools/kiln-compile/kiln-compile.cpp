//===- kiln-compile.cpp - Compiles programs to packages -------------------===//

#include "kiln/Driver/Driver.h"

int main(int argc, char **argv) {
  return kiln::driver::compileMain(argc, argv);
}
