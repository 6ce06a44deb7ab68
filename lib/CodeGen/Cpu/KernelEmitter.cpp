//===- KernelEmitter.cpp - Functions of kernels, program order ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MaskedMemory.h"
#include "OwnLowerings.h"
#include "SmallFloats.h"
#include "kiln/Dialect/Cpu/CpuDialect.h"
#include "kiln/Dialect/Cpu/Scratch.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/YieldOps.h"
#include "kiln/Staging/Storage.h"
#include "kiln/Target/ForeignOperation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

KernelEmitter::KernelEmitter(tile::KernelOp kernel, RewriterBase &rewriter,
                             const CpuConfig &config,
                             const target::TargetOptions &options,
                             target::TargetAttr description)
    : NestBuilder(kernel, rewriter, config), options(options),
      description(description) {
  if (auto numerics = kernel.getNumericsAttr())
    contract = numerics.getContract();
}

/// Whether only a lowering of its plug-in knows what an operation computes.
static bool isOfPlugin(Operation *op) {
  return !isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                          tile::TileDialect>(op->getDialect()) &&
         !target::pluginOfOperation(op).empty();
}

/// True for elements that this code generator computes with.
static bool isSupportedElement(Type type) {
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type, IndexType>(
             type) ||
         type.isInteger(1) || type.isInteger(8) || type.isInteger(16) ||
         type.isInteger(32) || type.isInteger(64);
}

LogicalResult KernelEmitter::checkOps() {
  WalkResult walked = kernel.walk([&](Operation *op) -> WalkResult {
    std::string reason;
    llvm::raw_string_ostream os(reason);
    for (Type type : op->getResultTypes()) {
      Type element = getElementTypeOrSelf(type);
      if (auto view = dyn_cast<tile::ViewType>(type))
        element = view.getElementType();
      if (auto pointer = dyn_cast<tile::PtrType>(type))
        element = pointer.getElementType();
      if (isa<tile::PtrType>(element))
        element = cast<tile::PtrType>(element).getElementType();
      if (!isSupportedElement(element))
        os << "element type " << element;
    }
    bool known =
        findFrameLowering(op) ||
        isa<tile::KernelOp, tile::ReturnOp, tile::YieldOp, scf::YieldOp,
            scf::ConditionOp, tensor::ExtractOp, arith::ConstantOp,
            stage::StorageReadOpInterface, stage::StorageWriteOpInterface,
            stage::YieldOp, stage::PrefetchAheadOp>(op) ||
        staging::hasInlineForm(op) ||
        (op->getNumResults() == 1 && isElementwise(op)) || isCustom(op);
    // What it computes, only its plug-in's lowering knows.
    if (known && isElementwise(op) && isOfPlugin(op))
      known = isCustom(op);
    if (auto call = dyn_cast<tile::CallExternOp>(op)) {
      if (!call.getCFunction())
        os << "external function '" << call.getSymbol() << "'";
    } else if (!known ||
               isa<arith::ScalingExtFOp, arith::ScalingTruncFOp>(op)) {
      os << target::whyNoLowering(op, options.name);
    }
    if (reason.empty())
      return WalkResult::advance();
    (void)target::emitUnsupported(op, reason);
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

bool KernelEmitter::isCustom(Operation *op) {
  CpuLoweringContext context(*this, b, options, description);
  return target::LoweringRegistry::get().knows(op, context);
}

LogicalResult KernelEmitter::run() {
  if (failed(checkOps()) || failed(measureStorage()))
    return failure();
  return emitFunction(kernel.getSymName());
}

void KernelEmitter::bindParameters(Value words) {
  Type i64 = b.getI64Type();
  int64_t next = 0;
  auto word = [&]() -> Value {
    Value place = LLVM::GEPOp::create(b, loc, words.getType(), i64, words,
                                      ArrayRef<LLVM::GEPArg>{int32_t(next++)});
    auto load = LLVM::LoadOp::create(b, loc, i64, place, 8);
    load.setInvariant(true);
    return load;
  };
  for (int d = 0; d < 3; ++d)
    programCounts.push_back(word());
  Type pointer = words.getType();
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    if (auto type = dyn_cast<tile::ViewType>(argument.getType())) {
      ViewInfo view;
      view.elementType = type.getElementType();
      view.base = LLVM::IntToPtrOp::create(b, loc, pointer, word());
      for (int64_t size : type.getShape()) {
        Value given = word();
        view.sizes.push_back(ShapedType::isDynamic(size) ? given : c64(size));
      }
      for (int64_t d = 0; d < type.getRank(); ++d) {
        Value given = word();
        int64_t stride = type.getStaticStride(d);
        view.strides.push_back(ShapedType::isDynamic(stride) ? given
                                                             : c64(stride));
      }
      views[argument] = view;
      continue;
    }
    Value bits = word();
    Type type = argument.getType();
    if (isa<tile::PtrType>(type)) {
      mapping.map(argument, LLVM::IntToPtrOp::create(b, loc, pointer, bits));
    } else if (type.isIndex()) {
      mapping.map(argument, arith::IndexCastOp::create(b, loc, type, bits));
    } else if (type.isInteger(64)) {
      mapping.map(argument, bits);
    } else {
      Type integer = b.getIntegerType(type.getIntOrFloatBitWidth());
      if (!integer.isInteger(64))
        bits = arith::TruncIOp::create(b, loc, integer, bits);
      if (isa<FloatType>(type) && !isSmallFloat(type))
        bits = arith::BitcastOp::create(b, loc, type, bits);
      mapping.map(argument, bits);
    }
  }
}

LogicalResult KernelEmitter::emitFunction(StringRef name) {
  auto kernel = cast<tile::KernelOp>(this->kernel.getOperation());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(kernel);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto function = func::FuncOp::create(
      b, loc, name,
      b.getFunctionType({pointer, i64, i64, pointer, pointer}, {}));
  function.setArgAttr(0, "llvm.noalias", b.getUnitAttr());
  function.setArgAttr(0, "llvm.readonly", b.getUnitAttr());
  function.setArgAttr(3, "llvm.noalias", b.getUnitAttr());
  if (kernel.getProgress() == tile::Progress::concurrent) {
    // What the device looks for: all instances must run at once.
    LLVM::GlobalOp::create(b, loc, b.getI8Type(), /*isConstant=*/true,
                           LLVM::Linkage::External,
                           (name + "_concurrent").str(), b.getI8IntegerAttr(1));
  }
  entry = function.addEntryBlock();
  scratchBase = entry->getArgument(3);
  b.setInsertionPointToEnd(entry);
  func::ReturnOp::create(b, loc);
  b.setInsertionPoint(entry->getTerminator());
  bindParameters(entry->getArgument(0));

  auto loop = scf::ForOp::create(b, loc, entry->getArgument(1),
                                 entry->getArgument(2), c64(1));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value linear = loop.getInductionVar();
  Value gx = programCounts[0], gy = programCounts[1];
  Value rows = arith::DivUIOp::create(b, loc, linear, gx);
  programIds = {arith::RemUIOp::create(b, loc, linear, gx),
                arith::RemUIOp::create(b, loc, rows, gy),
                arith::DivUIOp::create(b, loc, rows, gy)};
  freshLevels();
  if (failed(emitBlock(&kernel.getBody().front())))
    return failure();
  if (streams) {
    // Such stores are ordered by nothing else.
    b.setInsertionPoint(entry->getTerminator());
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::seq_cst);
  }
  // Whole vectors may be read past the end of the last storage.
  int64_t bytes = llvm::alignTo(scratchEnd + 512, 64);
  b.setInsertionPoint(function);
  LLVM::GlobalOp::create(b, loc, i64, /*isConstant=*/true,
                         LLVM::Linkage::External, scratchSymbol(name),
                         b.getI64IntegerAttr(bytes));
  return success();
}

LogicalResult KernelEmitter::emitBlock(Block *block) {
  int64_t outer = temporaryEnd;
  for (Operation &op : block->without_terminator()) {
    loc = op.getLoc();
    current = &op;
    FlatSymbolRefAttr unit;
    if (!acquired && isa<scf::ForOp>(op))
      unit = unitOf(*this, &op);
    if (unit)
      AcquireOp::create(b, loc, unit);
    acquired |= static_cast<bool>(unit);
    if (failed(emitOp(&op)))
      return failure();
    if (unit) {
      ReleaseOp::create(b, loc, unit);
      acquired = false;
    }
    temporaryEnd = outer;
  }
  return success();
}

namespace {
/// Counts what a lowering inserts.
struct InsertionCount : public RewriterBase::ForwardingListener {
  explicit InsertionCount(RewriterBase &rewriter)
      : ForwardingListener(rewriter.getListener()), rewriter(rewriter),
        before(rewriter.getListener()) {
    rewriter.setListener(this);
  }
  ~InsertionCount() override { rewriter.setListener(before); }
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    ++count;
    ForwardingListener::notifyOperationInserted(op, previous);
  }
  RewriterBase &rewriter;
  OpBuilder::Listener *before;
  unsigned count = 0;
};
} // namespace

LogicalResult KernelEmitter::offerLowering(Operation *op) {
  CpuLoweringContext context(*this, b, options, description);
  InsertionCount inserted(b);
  if (failed(target::LoweringRegistry::get().apply(op, context)))
    return failure();
  taken = {context.takenBy, inserted.count};
  return success();
}

LogicalResult KernelEmitter::checkTaken(Operation *op) {
  for (Value result : op->getResults()) {
    bool isTile = isa<RankedTensorType>(result.getType());
    bool isGiven = (isTile && hasBuffer(result)) || mapping.contains(result) ||
                   views.count(result);
    if (isGiven || result.use_empty())
      continue;
    return op->emitError() << taken.owner << " took the operation, but gave "
                           << "no value for its result "
                           << cast<OpResult>(result).getResultNumber();
  }
  // A store of what is computed elsewhere may need nothing of its own, but who
  // wrote this code generator knows when.
  bool isForeign = StringRef(taken.owner).contains(" of plug-in ");
  if (isForeign && !op->getNumResults() && !taken.inserted)
    return op->emitError() << taken.owner
                           << " took the operation, but emitted nothing for it";
  return success();
}

LogicalResult KernelEmitter::emitOp(Operation *op) {
  if (isCustom(op))
    return emitRoot(op);
  // Addresses are computed from what a view states, which none of these does.
  if (!isa<tile::MakeViewOp>(op) &&
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<tile::ViewType>))
    return target::emitUnsupported(
        op, "a view that '" + op->getName().getStringRef() + "' makes");
  if (FrameLowering lower = findFrameLowering(op))
    return lower(op, *this);
  return lowerScalar(op, *this);
}

LogicalResult KernelEmitter::emitRoot(Operation *op) {
  if (succeeded(offerLowering(op)))
    return checkTaken(op);
  target::Report &report = target::Report::of(op->getContext());
  // A lowering that failed has said why.
  if (report.takeBroken(op))
    return failure();
  if (FrameLowering lower = findFrameLowering(op))
    return lower(op, *this);
  // Whoever registers a lowering for arithmetic need not take all of it.
  if (!isElementwise(op) || op->getNumResults() != 1 || isOfPlugin(op))
    return target::emitUnsupported(op, target::whyNoLowering(op, options.name));
  report.chose(op, "lowering", options.name, "cpu.elementwise");
  Value result = op->getResult(0);
  if (!isa<RankedTensorType>(result.getType()))
    return lowerScalar(op, *this);
  TileBuffer buffer = resultBuffer(result);
  fill(buffer, result);
  define(result, buffer);
  return success();
}
