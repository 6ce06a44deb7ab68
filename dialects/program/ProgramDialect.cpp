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
  StringAttr getBufferDevice(Operation *op) const {
    return cast<AllocOp>(op).getDeviceAttr();
  }
  bool startsUnwritten(Operation *) const { return true; }
  Value buildOnDevice(Operation *op, OpBuilder &builder,
                      StringAttr device) const {
    auto alloc = cast<AllocOp>(op);
    return AllocOp::create(builder, builder.getInsertionPoint()->getLoc(),
                           alloc.getType(), alloc.getSizes(), Value(), device,
                           IntegerAttr(), StringAttr());
  }
  void placeOnDevice(Operation *op, StringAttr device) const {
    auto alloc = cast<AllocOp>(op);
    alloc.setDeviceAttr(device);
    // Its place in the arena was one of another device.
    alloc.getOffsetMutable().clear();
  }
};

struct ConstantModel
    : BufferOpInterface::ExternalModel<ConstantModel, ConstantOp> {
  Value buildOnDevice(Operation *op, OpBuilder &builder,
                      StringAttr device) const {
    auto constant = cast<ConstantOp>(op);
    return ConstantOp::create(builder, builder.getInsertionPoint()->getLoc(),
                              constant.getType(), constant.getValue(), device,
                              IntegerAttr());
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
  OpFoldResult getViewOffset(Operation *op) const {
    auto view = cast<ViewOp>(op);
    int64_t offset = view.getStaticOffset()[0];
    if (ShapedType::isDynamic(offset))
      return view.getOffsets()[0];
    return IntegerAttr::get(IndexType::get(op->getContext()), offset);
  }
};

/// An operation that only reads buffers.
template <typename OpT>
struct Reader : BufferUserOpInterface::ExternalModel<Reader<OpT>, OpT> {};

struct Launcher : BufferUserOpInterface::ExternalModel<Launcher, LaunchOp> {
  bool writesBuffer(Operation *op, OpOperand &operand) const {
    auto launch = cast<LaunchOp>(op);
    return llvm::is_contained(launch.getWrites(),
                              int64_t(operand.getOperandNumber()) -
                                  launch.getArgs().getBeginOperandIndex());
  }
};

struct Copier : BufferUserOpInterface::ExternalModel<Copier, CopyOp> {
  bool writesBuffer(Operation *op, OpOperand &operand) const {
    return operand.get() == cast<CopyOp>(op).getTarget();
  }
};

struct Filler : BufferUserOpInterface::ExternalModel<Filler, FillOp> {
  bool writesBuffer(Operation *, OpOperand &) const { return true; }
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
  ConstantOp::attachInterface<ConstantModel>(*getContext());
  LaunchOp::attachInterface<LaunchOpInterface::Model<LaunchOp>, Launcher>(
      *getContext());
  CopyOp::attachInterface<Copier>(*getContext());
  FillOp::attachInterface<Filler>(*getContext());
  TransferOp::attachInterface<Reader<TransferOp>>(*getContext());
  ReadOp::attachInterface<Reader<ReadOp>>(*getContext());
  AlignedOp::attachInterface<Reader<AlignedOp>>(*getContext());
  ReturnOp::attachInterface<Reader<ReturnOp>>(*getContext());
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
