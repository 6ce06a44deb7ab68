//===- ProgramDialect.cpp - The program dialect ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Program/ProgramDialect.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Program/CollectiveOps.h"
#include "kiln/Dialect/Program/HostOps.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/KnownAttributes.h"
#include "kiln/Interfaces/Signature.h"
#include "kiln/Interfaces/Version.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln::program;

#include "kiln/Dialect/Program/ProgramBase.cpp.inc"

/// Facts of arguments had names of their own in version 0.1.
static LogicalResult upgradeArguments(Operation *top) {
  // What is written was given up.
  (void)kiln::target::joinArgumentEntries(top);
  top->walk([](FuncOp function) {
    if (!kiln::hasSignature(function))
      return;
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
      if (function.removeArgAttr(i, "program.written"))
        kiln::target::setArgumentEntry(
            function, i, kiln::target::kDonatedEntry,
            StringAttr::get(function.getContext(), kiln::target::kWritten));
      if (Attribute align = function.removeArgAttr(i, "program.align"))
        kiln::tile::setFact(function, i, kiln::tile::kAlignFact, align);
    }
  });
  return success();
}

static constexpr kiln::DialectUpgrade kUpgrades[] = {
    {2, upgradeArguments},
    {3, kiln::target::joinArgumentEntries},
    {3, kiln::tile::upgradeFacts}};

void ProgramDialect::initialize() {
  addInterface<kiln::VersionedBytecode>(
      llvm::ArrayRef<kiln::DialectUpgrade>(kUpgrades));
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

LogicalResult
ProgramDialect::verifyOperationAttribute(Operation *op,
                                         NamedAttribute attribute) {
  return kiln::verifyKnownAttribute(op, attribute, {});
}

LogicalResult ProgramDialect::verifyRegionArgAttribute(
    Operation *op, unsigned, unsigned argument, NamedAttribute attribute) {
  return kiln::refuseAttribute(op, "argument", argument, attribute);
}

LogicalResult ProgramDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  return kiln::refuseAttribute(op, "result", result, attribute);
}
