// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowerings.h"
#include "@Name@Dialect.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "kiln/Target/Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {

bool isTile(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getElementType().isF32() &&
         tile.getNumElements() <= 4096;
}

/// Where an access begins: its offsets in elements, its block, its steps.
struct Place {
  SmallVector<Value> offsets;
  SmallVector<int64_t> block, steps;
};

LogicalResult findPlace(ViewAccessOpInterface access, LoweringContext &ctx,
                        Place &place) {
  Location loc = access.getLoc();
  OpBuilder &b = ctx.rewriter;
  for (const ViewAxis &axis : access.getAxes())
    if (axis.isIndirect())
      return ctx.decline(access, "it goes by indices");
  for (const ViewAxis &axis : access.getAxes()) {
    Value offset = getValueOrCreateConstantIndexOp(b, loc, axis.offset);
    if (axis.countsBlocks && axis.block != 1)
      offset = arith::MulIOp::create(
          b, loc, offset, arith::ConstantIndexOp::create(b, loc, axis.block));
    place.offsets.push_back(offset);
    place.block.push_back(axis.block);
    place.steps.push_back(axis.step);
  }
  return success();
}

LogicalResult lowerLoad(Operation *op, LoweringContext &ctx) {
  auto load = cast<tile::LoadOp>(op);
  if (!isTile(load.getType()))
    return ctx.decline(op, "it reads what is no tile of at most 4096 f32");
  APFloat outside(0.0f);
  switch (load.getOutside()) {
  case Outside::Zero:
  case Outside::Any:
    break;
  case Outside::NaN:
    outside = APFloat::getNaN(APFloat::IEEEsingle());
    break;
  case Outside::Value:
    if (!matchPattern(load.getOutsideValue(), m_ConstantFloat(&outside)))
      return ctx.decline(op, "it pads with a number that is no constant");
    break;
  }
  Place place;
  if (failed(findPlace(load, ctx, place)))
    return failure();
  ctx.rewriter.replaceOpWithNewOp<@name@::LoadOp>(
      op, load.getType(), load.getView(), place.offsets, place.block,
      place.steps, outside);
  return success();
}

LogicalResult lowerStore(Operation *op, LoweringContext &ctx) {
  auto store = cast<tile::StoreOp>(op);
  if (!isTile(store.getValue().getType()))
    return ctx.decline(op, "it writes what is no tile of at most 4096 f32");
  if (store.getCombine() != tile::Combine::assign)
    return ctx.decline(op, "it combines with what is there");
  Place place;
  if (failed(findPlace(store, ctx, place)))
    return failure();
  ctx.rewriter.replaceOpWithNewOp<@name@::StoreOp>(
      op, store.getValue(), store.getView(), place.offsets, place.block,
      place.steps);
  return success();
}

LogicalResult lowerConstant(Operation *op, LoweringContext &ctx) {
  auto constant = cast<arith::ConstantOp>(op);
  auto numbers = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!numbers || !isTile(constant.getType()))
    return ctx.decline(op, "it is no tile of at most 4096 f32");
  if (!numbers.isSplat())
    return ctx.decline(op, "its numbers differ");
  ctx.rewriter.replaceOpWithNewOp<@name@::FillOp>(
      op, constant.getType(), numbers.getSplatValue<APFloat>());
  return success();
}

LogicalResult lowerSplat(Operation *op, LoweringContext &ctx) {
  auto splat = cast<tile::SplatOp>(op);
  if (!isTile(splat.getType()))
    return ctx.decline(op, "it makes what is no tile of at most 4096 f32");
  if (!isa<BlockArgument>(splat.getValue()))
    return ctx.decline(op, "it repeats a number that is no argument");
  ctx.rewriter.replaceOpWithNewOp<@name@::SplatOp>(op, splat.getType(),
                                                  splat.getValue());
  return success();
}

/// Elementwise operations that are one instruction.
struct Row {
  const char *op;
  @name@::Function function;
};
constexpr Row kRows[] = {{"arith.addf", @name@::Function::Add},
                         {"arith.subf", @name@::Function::Sub},
                         {"arith.mulf", @name@::Function::Mul},
                         {"arith.divf", @name@::Function::Div},
                         {"arith.maximumf", @name@::Function::Max},
                         {"arith.minimumf", @name@::Function::Min},
                         {"arith.negf", @name@::Function::Neg},
                         {"math.exp", @name@::Function::Exp}};

LogicalResult lowerCompute(Operation *op, LoweringContext &ctx,
                           @name@::Function function) {
  if (!isTile(op->getResult(0).getType()))
    return ctx.decline(op, "it computes no tile of at most 4096 f32");
  ctx.rewriter.replaceOpWithNewOp<@name@::ComputeOp>(
      op, op->getResult(0).getType(), function, op->getOperands());
  return success();
}

/// What the scalar unit does as it stands.
bool isScalar(Operation *op) {
  if (isa<tile::ReturnOp, tile::ProgramIdOp, tile::NumProgramsOp, tile::DimOp>(
          op))
    return true;
  if (isa<arith::ConstantOp>(op) && op->getResult(0).getType().isF32())
    return true; // a load may pad with it
  return isa<arith::ConstantIndexOp, arith::AddIOp, arith::SubIOp,
             arith::MulIOp, arith::MinSIOp, arith::MaxSIOp>(op) &&
         op->getResult(0).getType().isIndex();
}

/// Offers every operation of every kernel to the lowerings.
struct ConvertTileTo@Name@
    : public PassWrapper<ConvertTileTo@Name@, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertTileTo@Name@)
  StringRef getArgument() const final { return "convert-tile-to-@name@"; }
  StringRef getDescription() const final {
    return "From tile kernels to instructions of @name@";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<@name@::@Name@Dialect, arith::ArithDialect>();
  }

  LogicalResult convert(tile::KernelOp kernel, LoweringContext &ctx) {
    for (Type type : kernel.getArgumentTypes()) {
      auto view = dyn_cast<tile::ViewType>(type);
      if (type.isIndex() || type.isF32())
        continue;
      if (!view || !view.getElementType().isF32() || view.getRank() > 4)
        return emitUnsupported(kernel, "an argument that is no number of type "
                                       "index or f32, and no view of f32 of "
                                       "rank 4 or less");
    }
    SmallVector<Operation *> ops;
    for (Operation &op : kernel.getBody().front())
      if (!isScalar(&op))
        ops.push_back(&op);
    for (Operation *op : ops) {
      ctx.rewriter.setInsertionPoint(op);
      std::string name = op->getName().getStringRef().str();
      if (failed(LoweringRegistry::get().apply(op, ctx)))
        return emitUnsupported(op, "no instruction for '" + name + "'");
    }
    return success();
  }

  void runOnOperation() override {
    BoundTarget bound = TargetRegistry::get().boundTarget(getOperation());
    IRRewriter rewriter(&getContext());
    LoweringContext ctx(rewriter, bound.options, bound.description);
    for (auto kernel : getOperation().getOps<tile::KernelOp>())
      if (failed(convert(kernel, ctx)))
        return signalPassFailure();
  }
};

} // namespace

void @name@::registerLowerings(TargetRegistry &registry) {
  auto add = [&](StringRef op, auto lower) {
    Lowering lowering;
    lowering.name = "@name@." + op.split('.').second.str();
    lowering.target = "@name@";
    lowering.op = op.str();
    lowering.priority = 50;
    lowering.lower = lower;
    registry.addLowering(lowering);
  };
  add("tile.load", lowerLoad);
  add("tile.store", lowerStore);
  add("tile.splat", lowerSplat);
  add("arith.constant", lowerConstant);
  for (const Row &row : kRows)
    add(row.op, [function = row.function](Operation *op, LoweringContext &ctx) {
      return lowerCompute(op, ctx, function);
    });
}

std::unique_ptr<Pass> @name@::createConvertTileTo@Name@() {
  return std::make_unique<ConvertTileTo@Name@>();
}
