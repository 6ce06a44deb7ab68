// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowerings for the target cpu that compute something slightly different; WRONG
// says which one.
#include "kiln/Cpu/Lowering.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cstdlib>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {
using Compute = std::function<Value(OpBuilder &, Location, ArrayRef<Value>)>;

/// An elementwise operation on tiles, element by element.
Lowering elementwise(StringRef op, Compute compute) {
  auto lower = [compute](Operation *op,
                         LoweringContext &base) -> LogicalResult {
    auto *ctx = base.as<cpu::CpuLoweringContext>();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!ctx || !type)
      return base.decline(op, "it is for tiles of the cpu family");
    if (!isa<FloatType>(type.getElementType()))
      return base.decline(op, "it is for floats");
    SmallVector<cpu::TileBuffer> from;
    for (Value operand : op->getOperands())
      from.push_back(ctx->materialize(operand));
    cpu::TileBuffer to = ctx->createResult(op->getResult(0));
    ctx->forEach(type.getShape(), [&](ValueRange index) {
      SmallVector<Value> elements;
      for (const cpu::TileBuffer &buffer : from)
        elements.push_back(ctx->load(buffer, index));
      ctx->store(compute(ctx->rewriter, op->getLoc(), elements), to, index);
    });
    return success();
  };
  return {"wrong." + op.str(), "cpu", op.str(), 300, lower, "", 0};
}

/// A number of the type of `like`.
Value constant(OpBuilder &b, Location loc, Value like, double value) {
  return arith::ConstantOp::create(b, loc,
                                   b.getFloatAttr(like.getType(), value));
}

void registerAll(TargetRegistry &registry) {
  const char *wrong = std::getenv("WRONG");
  StringRef which = wrong ? wrong : "";
  registry.addOption("cpu", {"wrong", "0|1", "nothing"});
  if (which == "add")
    registry.addLowering(elementwise(
        "arith.addf", [](OpBuilder &b, Location loc, ArrayRef<Value> x) {
          Value sum = arith::AddFOp::create(b, loc, x[0], x[1]);
          return Value(arith::MulFOp::create(b, loc, sum,
                                             constant(b, loc, sum, 1.0001)));
        }));
  if (which == "max")
    registry.addLowering(elementwise(
        "arith.maximumf", [](OpBuilder &b, Location loc, ArrayRef<Value> x) {
          return Value(arith::MaxNumFOp::create(b, loc, x[0], x[1]));
        }));
  if (which == "truncation")
    registry.addLowering(elementwise(
        "arith.truncf", [](OpBuilder &b, Location loc, ArrayRef<Value> x) {
          Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), x[0]);
          Value shift =
              arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(16));
          bits = arith::ShRUIOp::create(b, loc, bits, shift);
          return Value(arith::TruncIOp::create(b, loc, b.getI16Type(), bits));
        }));
}
} // namespace

KILN_TARGET_PLUGIN("wrong", "1.0", registerAll)
