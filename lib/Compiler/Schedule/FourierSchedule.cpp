//===- FourierSchedule.cpp - Fourier transforms as kernels ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance transforms some whole lines: several that are short along the
// last dimension, neighbouring columns along any other. Targets lower such a
// transform of tiles, or machines whose threads share tiles go through it in
// stages, see StagedFourier.h.
//
//===----------------------------------------------------------------------===//

#include "FourierSchedule.h"
#include "ResultOrder.h"
#include "StagedFourier.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Prim/FourierOps.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Dialect/Tile/FourierOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Interfaces/Fourier.h"
#include "kiln/Target/TargetRegistry.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Longer lines are split before they are transformed; pairs are multiplied
/// with a matrix, which is faster.
static constexpr int64_t kLongest = 1 << 17, kShortest = 3;
/// How many elements an instance transforms where there are as many: its copies
/// of sources and results stay in the nearest cache.
static constexpr int64_t kElements = 1 << 10;

static int64_t lengthOf(prim::FourierOp op) {
  return fourierLength(op.getOperands().getTypes(), op.getResults().getTypes(),
                       static_cast<int64_t>(op.getDim()));
}

LogicalResult kiln::schedule::claimFourier(Operation *func,
                                           target::LoweringContext &ctx) {
  SmallVector<prim::FourierOp> all;
  func->walk([&](prim::FourierOp op) {
    if (!prim::isClaimed(op))
      all.push_back(op);
  });
  if (all.empty())
    return success();
  bool isLowered =
      ctx.description &&
      llvm::is_contained(
          target::loweredOperations(ctx.options, ctx.description.getFamily()),
          tile::FourierOp::getOperationName());
  bool isStaged =
      ctx.description &&
      tiling::createDescribedModel(ctx.description, ctx.options)->sharesTiles();
  for (prim::FourierOp op : all) {
    int64_t length = lengthOf(op);
    std::string reason;
    if (isStaged)
      reason = whyNoStages(op);
    else if (!isLowered)
      reason = "the target has no lowering for 'tile.fourier'";
    else if (length > kLongest)
      reason = "a line has more elements than a tile";
    else if (length < kShortest)
      reason = "lines are short";
    if (!reason.empty()) {
      (void)ctx.decline(op, reason);
      target::Report::of(op.getContext())
          .chose(op, "claim", ctx.options.name, "decomposed");
      continue;
    }
    if (failed(target::claimOps(op.getOperation(), "fourier", ctx.options.name,
                                ctx)))
      return failure();
  }
  return success();
}

/// How many operations a transform takes.
static Extent operationsOf(prim::FourierOp op, ScheduleContext &ctx) {
  int64_t length = lengthOf(op);
  bool isReal = op.getNumOperands() + op.getNumResults() < 4;
  Extent count = int64_t(5.0 * double(length) * std::log2(double(length)) *
                         (isReal ? 0.5 : 1));
  for (auto [d, size] : llvm::enumerate(ctx.host.sizesOf(op.getOperand(0))))
    if (d != op.getDim())
      count = ctx.host.math.mul(count, size);
  return count;
}

namespace {
/// The kernel of one transform.
class FourierKernel {
public:
  FourierKernel(prim::FourierOp op, ScheduleContext &ctx, ArrayRef<Buffer> outs)
      : op(op), ctx(ctx), kernel(ctx.host, op.getLoc(), ctx.kernelName),
        outs(outs), dim(op.getDim()) {}

  void run();

private:
  /// Places lines in the grid, and whole ones in a tile.
  void placeLines();
  /// The type of a tile of whole lines of a buffer.
  RankedTensorType tileOf(const Buffer &buffer);

  prim::FourierOp op;
  ScheduleContext &ctx;
  KernelBuilder kernel;
  ArrayRef<Buffer> outs;
  int64_t dim;
  SmallVector<Value> starts;
};
} // namespace

void FourierKernel::placeLines() {
  SmallVector<Extent> sizes = ctx.host.sizesOf(op.getOperand(0));
  int64_t rank = sizes.size(),
          count = std::max<int64_t>(1, kElements / lengthOf(op));
  // Columns fill registers; lines of the last dimension follow each other.
  int64_t several = dim + 1 < rank ? rank - 1 : rank - 2;
  constexpr int64_t kColumns = 16;
  if (dim + 1 < rank)
    count = std::max(count, kColumns);
  for (int64_t d = 0; d < rank; ++d) {
    KernelDim next;
    if (d != dim)
      next.size = sizes[d];
    if (d == several)
      next.block = sizes[d].isStatic()
                       ? std::max<int64_t>(1, std::min(count, sizes[d].get()))
                       : count;
    kernel.dims.push_back(next);
  }
  for (int64_t d = rank; d-- > 0;)
    if (d == dim)
      kernel.place(int(d), kernel.constant(0));
    else
      kernel.addGridDim(int(d));
  kernel.placeGrid();
  for (KernelDim &next : kernel.dims)
    starts.push_back(next.offset);
}

RankedTensorType FourierKernel::tileOf(const Buffer &buffer) {
  SmallVector<int64_t> shape;
  for (auto [d, next] : llvm::enumerate(kernel.dims))
    shape.push_back(int64_t(d) == dim ? buffer.sizes[d].get() : next.block);
  return RankedTensorType::get(shape, buffer.elementType());
}

void FourierKernel::run() {
  placeLines();
  OpBuilder &b = kernel.b;
  Location loc = op.getLoc();
  SmallVector<Value> sources;
  for (Value operand : op.getOperands()) {
    const Buffer &buffer = ctx.host.buffer(operand);
    sources.push_back(tile::LoadOp::create(
        b, loc, tileOf(buffer), kernel.view(buffer, /*write=*/false), starts,
        Value(), /*element_offsets=*/true, tile::Padding::zero,
        DenseI64ArrayAttr()));
  }
  SmallVector<Type> types;
  for (const Buffer &out : outs)
    types.push_back(tileOf(out));
  auto made = tile::FourierOp::create(b, loc, types, sources, uint64_t(dim),
                                      op.getInverse());
  for (auto [result, out] : llvm::zip(made.getResults(), outs))
    tile::StoreOp::create(b, loc, result, kernel.view(out, /*write=*/true),
                          starts, /*element_offsets=*/true,
                          tile::Combine::assign, DenseI64ArrayAttr());
  kernel.finish("generic.fourier", operationsOf(op, ctx));
}

/// Whether other transforms alone read a result.
static bool isTransformed(Value result) {
  return llvm::all_of(result.getUsers(), [](Operation *user) {
    auto group = dyn_cast<prim::GroupOpInterface>(user);
    return group && group.isClaim() &&
           !group.getGroupBlock().getOps<prim::FourierOp>().empty();
  });
}

/// Memory for real and imaginary parts side by side, where transforms in stages
/// read both: they access pairs.
static SmallVector<Buffer, 2> allocatePairs(Value result,
                                            HostProgramBuilder &host) {
  SmallVector<Extent> sizes(host.sizesOf(result));
  sizes.push_back(2);
  Buffer pairs = host.allocate(getElementTypeOrSelf(result.getType()), sizes);
  SmallVector<Buffer, 2> parts(2, pairs);
  for (auto [number, part] : llvm::enumerate(parts)) {
    part.offset = int64_t(number);
    part.sizes.pop_back();
    part.strides.pop_back();
  }
  return parts;
}

LogicalResult kiln::schedule::scheduleFourier(prim::ClaimOp claim,
                                              ScheduleContext &ctx) {
  Block &body = claim->getRegion(0).front();
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), claim->getOperands()))
    ctx.host.setAlias(argument, input);
  auto ops = body.getOps<prim::FourierOp>();
  if (!llvm::hasSingleElement(body.without_terminator()) || ops.empty())
    return ctx.decline(claim, "the group is not one transform");
  prim::FourierOp op = *ops.begin();
  for (Value operand : op.getOperands())
    if (!ctx.host.hasBuffer(operand))
      return ctx.decline(claim, "an operand must be in memory");
  SmallVector<Value, 2> read;
  for (OpResult result : op.getResults()) {
    read.push_back({});
    for (auto [yielded, value] :
         llvm::zip(body.getTerminator()->getOperands(), claim->getResults()))
      if (yielded == result)
        read.back() = value;
  }
  SmallVector<Buffer, 2> outs;
  bool isPair =
      read.size() == 2 && llvm::all_of(read, [&](Value value) {
        return value && !ctx.host.hasDestination(value) && isTransformed(value);
      });
  if (isPair && ctx.tiling.model().sharesTiles())
    outs = allocatePairs(read[0], ctx.host);
  // A part that is not read has memory all the same.
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    Value value = read[number];
    if (outs.size() == number)
      outs.push_back(
          value ? ctx.host.destination(value)
                : ctx.host.allocate(getElementTypeOrSelf(result.getType()),
                                    ctx.host.sizesOf(result)));
    if (value)
      ctx.host.setBuffer(value, outs[number]);
  }
  if (ctx.tiling.model().sharesTiles())
    emitStagedFourier(op, ctx, outs, operationsOf(op, ctx));
  else
    FourierKernel(op, ctx, outs).run();
  return success();
}
