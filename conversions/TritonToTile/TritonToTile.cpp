// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass: inline, lift control flow, convert.
#include "kiln/Conversion/TritonToTile.h"
#include "Hints.h"
#include "Patterns.h"
#include "Regions.h"

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Dialect/Triton/Triton.h"
#include "kiln/Interfaces/Loops.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln {
#define GEN_PASS_DEF_TRITONTOTILE
#include "kiln/Conversion/TritonToTile.h.inc"
} // namespace kiln

using namespace mlir;
using namespace kiln;

namespace {

/// True if the value is the same in each iteration of the loop: it comes from
/// before, or is computed from such values without memory.
bool isInvariant(Value value, scf::WhileOp loop) {
  if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isInvariant(operand, loop);
         });
}

/// True if an access that is done again leaves in memory what it left there
/// the first time: a loop around it can only wait. Adding one, for the next
/// number of a queue, is no such access.
bool isIdempotent(tt::AtomicRMWOp op) {
  switch (op.getAtomicRmwOp()) {
  case tt::RMWOp::add:
  case tt::RMWOp::fadd:
  case tt::RMWOp::xor_:
    return matchPattern(op.getVal(), m_Zero()) ||
           matchPattern(op.getVal(), m_AnyZeroFloat());
  default:
    return true;
  }
}

/// True if the operation reads anew, in each iteration, what another instance
/// may write. A CAS that expects what the last one found is no such access:
/// it ends without other instances.
bool isPoll(Operation *op, scf::WhileOp loop) {
  auto load = dyn_cast<tt::LoadOp>(op);
  auto update = dyn_cast<tt::AtomicRMWOp>(op);
  return ((load && load.getIsVolatile()) || isa<tt::AtomicCASOp>(op) ||
          (update && isIdempotent(update))) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isInvariant(operand, loop);
         });
}

/// The values of the loop's iterations that a value is: operands of
/// operations, what regions yield, and carried values of the iteration before.
void addSources(Value value, scf::WhileOp loop, SmallVectorImpl<Value> &into) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == loop.getBeforeBody())
    return into.push_back(
        loop.getYieldOp().getOperand(argument.getArgNumber()));
  if (argument && argument.getOwner() == loop.getAfterBody())
    return into.push_back(
        loop.getConditionOp().getArgs()[argument.getArgNumber()]);
  Operation *op =
      argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  llvm::append_range(into, op->getOperands());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (block.mightHaveTerminator())
        llvm::append_range(into, block.getTerminator()->getOperands());
}

/// True if the loop's condition depends on what it polls, also by way of values
/// that iterations carry.
bool polls(scf::WhileOp loop) {
  SmallVector<Value> work = {loop.getConditionOp().getCondition()};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!loop->isAncestor(value.getParentRegion()->getParentOp()) ||
        !seen.insert(value).second)
      continue;
    if (Operation *op = value.getDefiningOp(); op && isPoll(op, loop))
      return true;
    addSources(value, loop, work);
  }
  return false;
}

/// True if instances of the kernel may wait for each other: a loop whose
/// condition depends on an atomic access or on memory that is read anew.
bool waitsForOthers(tt::FuncOp func) {
  bool waits = false;
  func.walk([&](tt::AtomicPollOp) { waits = true; });
  func.walk([&](scf::WhileOp loop) {
    loop.getBefore().walk([&](Operation *op) {
      if (isa<tt::AtomicCASOp, tt::AtomicRMWOp>(op))
        waits = true;
      if (auto load = dyn_cast<tt::LoadOp>(op))
        waits |= load.getIsVolatile();
    });
    waits = waits || polls(loop);
  });
  return waits;
}

/// Triton computes some operations of f32 by one instruction: quotients that
/// are not `tt.precise_divf`, with up to 2 ulp, powers of two, where subnormal
/// results are zero, and exponentials as powers of two of a rounded product.
void approximate(ModuleOp module) {
  module.walk([](Operation *op) {
    if (!isa<arith::DivFOp, math::ExpOp, math::Exp2Op>(op) ||
        !getElementTypeOrSelf(op->getResult(0).getType()).isF32())
      return;
    auto flags = cast<arith::ArithFastMathInterface>(op);
    op->setAttr(flags.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(
                    op->getContext(), flags.getFastMathFlagsAttr().getValue() |
                                          arith::FastMathFlags::afn));
  });
}

struct TritonToTile : kiln::impl::TritonToTileBase<TritonToTile> {
  using TritonToTileBase::TritonToTileBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (numerics != "triton" && numerics != "strict") {
      module.emitError("expected numerics 'triton' or 'strict', found '")
          << numerics << "'";
      return signalPassFailure();
    }
    auto hints = triton_to_tile::takeKernelHints(module);
    if (failed(hints))
      return signalPassFailure();
    signLoops(module);
    // Structured functions can be inlined into loops, too.
    if (failed(liftControlFlow(module)) || failed(inlineCalls(module)))
      return signalPassFailure();
    module.walk([](Operation *op) {
      if (!isa<tt::ReduceOp, tt::ScanOp>(op))
        return;
      triton_to_tile::dropAssertions(op->getRegion(0));
      triton_to_tile::flattenRegion(op->getRegion(0));
    });
    for (auto func : module.getOps<tt::FuncOp>())
      if (failed(expandDescriptors(func)))
        return signalPassFailure();
    triton_to_tile::KernelTraits traits;
    traits.isStrict = numerics == "strict";
    traits.hints = *hints;
    for (auto func : module.getOps<tt::FuncOp>())
      if (waitsForOthers(func))
        traits.concurrent.insert(func.getSymName());
    if (numerics == "triton")
      approximate(module);
    if (failed(triton_to_tile::convertHints(module)) ||
        failed(convert(module, traits)))
      signalPassFailure();
  }

private:
  /// Inlines every call and removes the private functions.
  LogicalResult inlineCalls(ModuleOp module) {
    bool hasCalls = false;
    module.walk([&](tt::CallOp) { hasCalls = true; });
    if (!hasCalls)
      return success();
    for (auto func : module.getOps<tt::FuncOp>())
      func->removeAttr("noinline");
    PassManager pm(&getContext(), ModuleOp::getOperationName());
    pm.addPass(createInlinerPass());
    pm.addPass(createSymbolDCEPass());
    if (failed(runPipeline(pm, module)))
      return failure();
    WalkResult rest = module.walk([](tt::CallOp call) {
      call.emitOpError("unsupported: a call that cannot be inlined (is '")
          << call.getCallee() << "' recursive?)";
      return WalkResult::interrupt();
    });
    return failure(rest.wasInterrupted());
  }

  /// What every descriptor of Triton promises of its base, in bytes, and of all
  /// strides but the last, which is 1.
  static constexpr int64_t kDescriptorAlign = 16;

  /// The fact that an argument is a multiple of `number`.
  DictionaryAttr multipleOf(int64_t number) {
    Builder builder(&getContext());
    return builder.getDictionaryAttr(builder.getNamedAttr(
        "tt.divisibility", builder.getI32IntegerAttr(int32_t(number))));
  }

  /// A descriptor that a kernel is given is a pointer, i32 sizes and i64
  /// strides, with the facts that every descriptor of Triton promises.
  LogicalResult expandDescriptors(tt::FuncOp func) {
    OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
    for (unsigned index = 0; index < func.getNumArguments(); ++index) {
      auto type =
          dyn_cast<tt::TensorDescType>(func.getArgument(index).getType());
      if (!type)
        continue;
      RankedTensorType block = type.getBlockType();
      int64_t rank = block.getRank();
      SmallVector<Type> types = {tt::PointerType::get(
          &getContext(), triton_to_tile::getStoredType(block), 1)};
      types.append(rank, builder.getI32Type());
      types.append(std::max<int64_t>(rank - 1, 0), builder.getI64Type());
      Location loc = func.getArgument(index).getLoc();
      unsigned bits = block.getElementTypeBitWidth();
      SmallVector<DictionaryAttr> facts(types.size());
      facts.front() = multipleOf(kDescriptorAlign);
      for (DictionaryAttr &stride : MutableArrayRef(facts).drop_front(1 + rank))
        stride = multipleOf(std::max<int64_t>(kDescriptorAlign * 8 / bits, 1));
      if (failed(func.insertArguments(
              SmallVector<unsigned>(types.size(), index), types, facts,
              SmallVector<Location>(types.size(), loc))))
        return func.emitOpError("expected arguments that can be inserted");
      ValueRange parts =
          ValueRange(func.getArguments()).slice(index, types.size());
      SmallVector<Value> strides(parts.drop_front(1 + rank));
      strides.push_back(arith::ConstantOp::create(
          builder, loc, builder.getI64IntegerAttr(1)));
      Value made = tt::MakeTensorDescOp::create(
          builder, loc, type, parts.front(), parts.slice(1, rank), strides,
          tt::PaddingOption::pad_zero);
      index += types.size();
      func.getArgument(index).replaceAllUsesWith(made);
      if (failed(func.eraseArgument(index)))
        return func.emitOpError("expected an argument that can be erased");
      --index;
    }
    return success();
  }

  LogicalResult liftControlFlow(ModuleOp module) {
    for (auto func : module.getOps<tt::FuncOp>()) {
      if (func.getBody().empty())
        return func.emitOpError("unsupported: a function without a body");
      if (failed(triton_to_tile::liftRegion(func, func.getBody())))
        return failure();
    }
    WalkResult inner = module.walk([](tt::MapElementwiseOp op) -> WalkResult {
      if (op.getScalarOp().empty())
        return op.emitOpError("expected a region that is not empty");
      return triton_to_tile::liftRegion(op, op.getScalarOp());
    });
    return failure(inner.wasInterrupted());
  }

  LogicalResult convert(ModuleOp module,
                        const triton_to_tile::KernelTraits &traits) {
    MLIRContext *context = &getContext();
    triton_to_tile::TypeConverter converter;
    ConversionTarget target(*context);
    target.addIllegalDialect<tt::TritonDialect>();
    target.addIllegalOp<gpu::BarrierOp, LLVM::AssumeOp, ub::PoisonOp>();
    target.addLegalDialect<tile::TileDialect, tensor::TensorDialect>();
    target.addLegalOp<ModuleOp>();
    target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect>(
        [&](Operation *op) { return converter.isLegal(op); });
    RewritePatternSet patterns(context);
    triton_to_tile::populateFunctionPatterns(converter, patterns, traits);
    triton_to_tile::populateShapePatterns(converter, patterns);
    triton_to_tile::populatePointerPatterns(converter, patterns);
    triton_to_tile::populateBlockPatterns(converter, patterns);
    triton_to_tile::populateDescriptorPatterns(converter, patterns);
    triton_to_tile::populateComputePatterns(converter, patterns);
    triton_to_tile::populateScaledPatterns(converter, patterns);
    triton_to_tile::populateMapPatterns(converter, patterns);
    triton_to_tile::populateExternPatterns(converter, patterns);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    triton_to_tile::HintCarrier carrier;
    ConversionConfig config;
    config.listener = &carrier;
    return applyFullConversion(module, target, std::move(patterns), config);
  }
};

} // namespace
