//===- ProgramDialect.cpp - The program dialect ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Program/ProgramDialect.h"
#include "kiln/Dialect/Program/CollectiveOps.h"
#include "kiln/Dialect/Program/HostOps.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/Version.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln::program;

#include "kiln/Dialect/Program/ProgramBase.cpp.inc"

void ProgramDialect::initialize() {
  addInterfaces<kiln::VersionedBytecode>();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Program/ProgramOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Program/CollectiveOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Program/HostOps.cpp.inc"
      >();
}
