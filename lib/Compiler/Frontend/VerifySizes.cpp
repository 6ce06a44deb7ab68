//===- VerifySizes.cpp - Values that no memory holds ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Frontend/Passes.h"
#include "kiln/Runtime/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

namespace kiln::frontend {
#define GEN_PASS_DEF_VERIFYSIZES
#include "kiln/Frontend/Passes.h.inc"
} // namespace kiln::frontend

using namespace mlir;
using namespace kiln;

/// More elements than any tensor in memory has.
static constexpr int64_t kMaxElements = int64_t(1) << 46;

/// What no tensor may be, or nothing.
static std::string refuseSize(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return "";
  if (shaped.getRank() > runtime::kMaxRank)
    return "has rank " + std::to_string(shaped.getRank()) +
           ", expected at most " + std::to_string(runtime::kMaxRank);
  int64_t count = 1;
  for (int64_t size : shaped.getShape()) {
    if (ShapedType::isDynamic(size) || size == 0)
      continue;
    if (size > kMaxElements / count)
      return "has more than 2^46 elements";
    count *= size;
  }
  return "";
}

/// Reports values with more elements than any memory has.
static LogicalResult checkSizes(ModuleOp module) {
  auto check = [](Location loc, StringRef what, Type type) -> LogicalResult {
    std::string problem = refuseSize(type);
    if (problem.empty())
      return success();
    // A type of high rank is long to read.
    std::string text;
    llvm::raw_string_ostream(text) << type;
    if (text.size() > 80)
      text = text.substr(0, 80) + "...";
    return emitError(loc) << "unsupported: " << what << " of type " << text
                          << " " << problem;
  };
  WalkResult result = module.walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (failed(check(op->getLoc(), "a value", value.getType())))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument arg : block.getArguments())
          if (failed(check(arg.getLoc(), "an argument", arg.getType())))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult frontend::checkShapes(ModuleOp module) {
  // Paddings have two numbers for each dimension.
  constexpr int kMaxNumbers = 2 * runtime::kMaxRank;
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    for (Value value : op->getResults()) {
      auto shape = dyn_cast<tosa::shapeType>(value.getType());
      if (shape && shape.getRank() > kMaxNumbers)
        return op->emitError("unsupported: a shape of ")
               << shape.getRank() << " numbers, expected at most "
               << kMaxNumbers;
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct VerifySizesPass
    : public frontend::impl::VerifySizesBase<VerifySizesPass> {
  using VerifySizesBase::VerifySizesBase;
  void runOnOperation() override {
    if (failed(checkSizes(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
