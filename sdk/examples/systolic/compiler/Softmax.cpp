// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Step 3: a softmax over whole rows that fit into the scratchpad is claimed, so
// that nothing is fused into it and every row moves in once and out once. Where
// rows are too long the claim is put back, and decomposed.
#include "../device/Isa.h"
#include "Extensions.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Schedule/Schedules.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {

/// Three tiles of a block of rows are there at once.
constexpr int64_t kMostElements = systolic::kPadBytes / 4 / 4;

LogicalResult claimSoftmax(Operation *func, LoweringContext &ctx) {
  SmallVector<prim::SoftmaxOp> all;
  func->walk([&](prim::SoftmaxOp softmax) { all.push_back(softmax); });
  for (prim::SoftmaxOp softmax : all) {
    auto type = cast<RankedTensorType>(softmax.getType());
    if (!type.hasStaticShape() || !type.getElementType().isF32() ||
        int64_t(softmax.getDim()) != type.getRank() - 1) {
      (void)ctx.decline(softmax, "it is not over the last dimension of a "
                                 "tensor of f32 of known size");
      continue;
    }
    if (failed(claimOps({softmax.getOperation()}, "softmax", "systolic", ctx)))
      return failure();
  }
  return success();
}

/// Tiles of rows, with what reductions of them give.
struct Rows {
  OpBuilder &b;
  Location loc;
  RankedTensorType type;

  template <typename Op> Value reduce(Value tile) {
    auto made = tile::ReduceOp::create(
        b, loc, TypeRange{type.clone({type.getDimSize(0)})}, ValueRange{tile},
        /*axis=*/1, /*ordered=*/false);
    OpBuilder::InsertionGuard guard(b);
    Type element = type.getElementType();
    Block *block =
        b.createBlock(&made.getCombiner(), {}, {element, element}, {loc, loc});
    Value both =
        Op::create(b, loc, block->getArgument(0), block->getArgument(1));
    tile::YieldOp::create(b, loc, both);
    b.setInsertionPointAfter(made);
    Value column = tile::ReshapeOp::create(
        b, loc, type.clone({type.getDimSize(0), 1}), made.getResult(0));
    return tile::BroadcastOp::create(b, loc, type, column);
  }
};

LogicalResult scheduleSoftmax(Operation *op, LoweringContext &base) {
  auto *ctx = base.as<schedule::ScheduleContext>();
  if (!ctx)
    return base.decline(op, "it needs the context of convert-prim-to-tile");
  auto claim = cast<prim::ClaimOp>(op);
  auto type = cast<RankedTensorType>(claim.getResult(0).getType());
  int64_t columns = type.getShape().back();
  int64_t rows = columns ? type.getNumElements() / columns : 0;
  if (columns > kMostElements)
    return ctx->decline(op, "rows of " + Twine(columns) +
                                " elements do not fit into the scratchpad");
  if (!rows)
    return ctx->decline(op, "it has no elements");

  schedule::HostProgramBuilder &host = ctx->host;
  schedule::Buffer in = host.buffer(claim.getInputs()[0]);
  schedule::Buffer out = host.destination(claim.getResult(0));
  // The dimensions before the last one are rows, as far as they lie so.
  auto asRows = [&](schedule::Buffer &buffer) {
    for (unsigned d = buffer.rank() - 1; d-- > 1;)
      if (!buffer.strides[d - 1].same(
              host.math.mul(buffer.strides[d], buffer.sizes[d])))
        return false;
    schedule::Extent stride =
        buffer.rank() > 1 ? buffer.strides[buffer.rank() - 2] : columns;
    buffer.strides = {stride, buffer.strides.back()};
    buffer.sizes = {rows, columns};
    return true;
  };
  schedule::Buffer whole = out;
  if (!asRows(in) || !asRows(out))
    return ctx->decline(op, "its rows are not equally far apart");

  schedule::KernelBuilder kernel(host, op->getLoc(), ctx->kernelName);
  kernel.dims.resize(2);
  kernel.dims[0].size = rows;
  kernel.dims[0].block = std::clamp<int64_t>(kMostElements / columns, 1,
                                             std::min<int64_t>(rows, 64));
  kernel.dims[1].size = kernel.dims[1].block = columns;
  kernel.addGridDim(0);
  kernel.placeGrid();

  OpBuilder &b = kernel.b;
  Location loc = op->getLoc();
  auto tile = RankedTensorType::get({kernel.dims[0].block, columns},
                                    type.getElementType());
  Rows row{b, loc, tile};
  SmallVector<Value> at = {kernel.dims[0].coord, kernel.constant(0)};
  Value x = tile::LoadOp::create(b, loc, tile, kernel.view(in, false), at,
                                 /*pad=*/Value(), /*element_offsets=*/false,
                                 tile::Padding::zero, /*step=*/nullptr);
  Value shifted =
      arith::SubFOp::create(b, loc, x, row.reduce<arith::MaximumFOp>(x));
  Value e = math::ExpOp::create(b, loc, shifted);
  Value y = arith::DivFOp::create(b, loc, e, row.reduce<arith::AddFOp>(e));
  tile::StoreOp::create(b, loc, y, kernel.view(out, true), at,
                        /*element_offsets=*/false, tile::Combine::assign,
                        /*step=*/nullptr);
  kernel.finish("systolic.softmax");
  host.setBuffer(claim.getResult(0), whole);
  return success();
}

} // namespace

void systolic::registerSoftmax(TargetRegistry &registry) {
  PrimClaim claim;
  claim.name = "systolic.softmax";
  claim.target = "systolic";
  claim.claim = claimSoftmax;
  registry.addPrimClaim(claim);
  Schedule schedule;
  schedule.name = "systolic.softmax";
  schedule.kind = "claim.softmax";
  schedule.target = "systolic";
  schedule.priority = 50;
  schedule.emit = scheduleSoftmax;
  registry.addSchedule(schedule);
}
