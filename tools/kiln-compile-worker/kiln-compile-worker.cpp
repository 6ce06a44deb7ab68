//===- kiln-compile-worker.cpp - Compiles for a process with threads ------===//

#include "kiln/Driver/Driver.h"

int main(int argc, char **argv) { return kiln::driver::workerMain(argc, argv); }
