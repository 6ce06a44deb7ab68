//===- Limits.cpp - What a description says of any kernel -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/Limits.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace kiln::target;

namespace {
/// Checks the tiles of one kernel.
class Limits {
public:
  explicit Limits(TargetAttr description)
      : mostRank(description.getLimit("max_rank", 0)),
        mostElements(description.getLimit("max_tile_elements", 0)) {}

  bool hasAny() const { return mostRank > 0 || mostElements > 0; }

  std::string check(Operation *op) const {
    for (Type type : op->getResultTypes()) {
      auto tile = dyn_cast<RankedTensorType>(type);
      if (!tile || !tile.hasStaticShape())
        continue;
      std::string reason = check(tile);
      std::string place = locationString(op->getLoc());
      if (!reason.empty())
        return place.empty() ? reason : reason + " (at " + place + ")";
    }
    return "";
  }

private:
  std::string check(RankedTensorType tile) const {
    std::string reason;
    llvm::raw_string_ostream os(reason);
    if (mostRank > 0 && tile.getRank() > mostRank)
      os << "tile " << tile << " has " << tile.getRank()
         << " dimensions, more than max_rank = " << mostRank;
    else if (mostElements > 0 && tile.getNumElements() > mostElements)
      os << "tile " << tile << " has " << tile.getNumElements()
         << " elements, more than max_tile_elements = " << mostElements;
    return reason;
  }

  int64_t mostRank, mostElements; ///< 0: any
};
} // namespace

std::string kiln::target::checkLimits(Operation *kernel,
                                      TargetAttr description) {
  if (!description)
    return "";
  Limits limits(description);
  std::string reason;
  if (limits.hasAny())
    kernel->walk([&](Operation *op) {
      // What is never computed as a whole has no size.
      if (op->hasTrait<OpTrait::ConstantLike>())
        return WalkResult::advance();
      reason = limits.check(op);
      return reason.empty() ? WalkResult::advance() : WalkResult::interrupt();
    });
  return reason;
}

int64_t kiln::target::countCores(TargetAttr description) {
  TopologyAttr topology =
      description ? description.getTopology() : TopologyAttr();
  return topology ? topology.getCores() * topology.getClusters() : 1;
}

int64_t kiln::target::countAddedNeighbours(TargetAttr description,
                                           Type element) {
  bool isHalf = element.isF16() || element.isBF16();
  if (!isHalf && !element.isF32())
    return 1;
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  auto bytes = extra ? extra.getAs<IntegerAttr>("added_bytes") : IntegerAttr();
  int64_t count =
      bytes ? bytes.getInt() * 8 / element.getIntOrFloatBitWidth() : 1;
  return std::max<int64_t>(count, isHalf ? 2 : 1);
}

int64_t kiln::target::transferBytes(TargetAttr description) {
  constexpr int64_t kUsual = 64;
  int64_t bytes = kUsual;
  if (description)
    for (MemoryAttr memory : description.getMemories())
      if (memory.getScope() == MemoryScope::Device)
        bytes = std::max(bytes, memory.getLine());
  return bytes;
}
