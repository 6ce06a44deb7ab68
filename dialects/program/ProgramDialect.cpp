//===- ProgramDialect.cpp - The program dialect ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Program/ProgramDialect.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Program/BufferInterfaces.h"
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

#include "kiln/Dialect/Program/BufferInterfaces.cpp.inc"
#include "kiln/Dialect/Program/ProgramBase.cpp.inc"

/// The operand for a dimension whose entry in `all` is dynamic, among operands
/// for all such; null for others.
static Value operandFor(OperandRange operands, ArrayRef<int64_t> all,
                        int64_t dim) {
  size_t at = llvm::count_if(all.take_front(dim), ShapedType::isDynamic);
  return ShapedType::isDynamic(all[dim]) && at < operands.size() ? operands[at]
                                                                 : Value();
}

namespace {

struct AllocModel : BufferOpInterface::ExternalModel<AllocModel, AllocOp> {
  Value getSizeOperand(Operation *op, int64_t dim) const {
    auto alloc = cast<AllocOp>(op);
    return operandFor(alloc.getSizes(),
                      cast<MemRefType>(alloc.getType()).getShape(), dim);
  }
};

struct ViewModel : BufferOpInterface::ExternalModel<ViewModel, ViewOp> {
  Value getViewedBuffer(Operation *op) const {
    return cast<ViewOp>(op).getSource();
  }
  Value getSizeOperand(Operation *op, int64_t dim) const {
    auto view = cast<ViewOp>(op);
    return operandFor(view.getSizes(), view.getStaticSizes(), dim);
  }
  Value getStrideOperand(Operation *op, int64_t dim) const {
    auto view = cast<ViewOp>(op);
    return operandFor(view.getStrides(), view.getStaticStrides(), dim);
  }
};

} // namespace

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
  AllocOp::attachInterface<AllocModel>(*getContext());
  ViewOp::attachInterface<ViewModel>(*getContext());
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
