//===- Limits.cpp - What a description says a kernel may not have ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/Limits.h"
#include "kiln/Target/Report.h"
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
      : description(description), mostRank(description.getLimit("max_rank", 0)),
        mostElements(description.getLimit("max_tile_elements", 0)) {
    for (MemoryAttr memory : description.getMemories())
      if (memory.getKind() == MemoryKind::Explicit && memory.getSize() > 0 &&
          memory.getScope() <= MemoryScope::Cluster &&
          (!largest || memory.getSize() > largest.getSize()))
        largest = memory;
  }

  bool hasAny() const { return mostRank > 0 || mostElements > 0 || largest; }

  std::string check(Operation *op) const {
    std::string reason;
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type);
          tile && tile.hasStaticShape())
        if (check(tile, llvm::raw_string_ostream(reason))) {
          std::string place = locationString(op->getLoc());
          return place.empty() ? reason : reason + " (at " + place + ")";
        }
    return "";
  }

private:
  bool check(RankedTensorType tile, llvm::raw_ostream &&os) const {
    os << "tile " << tile << " has ";
    if (mostRank > 0 && tile.getRank() > mostRank) {
      os << tile.getRank() << " dimensions, more than max_rank = " << mostRank;
      return true;
    }
    int64_t elements = tile.getNumElements();
    if (mostElements > 0 && elements > mostElements) {
      os << elements
         << " elements, more than max_tile_elements = " << mostElements;
      return true;
    }
    Type element = tile.getElementType();
    if (!largest || !element.isIntOrFloat())
      return false;
    int64_t bytes =
        llvm::divideCeil(elements * element.getIntOrFloatBitWidth(), 8);
    os << bytes << " bytes, more than memory '" << largest.getName() << "' of "
       << largest.getSize();
    return bytes > largest.getSize();
  }

  TargetAttr description;
  int64_t mostRank, mostElements;
  MemoryAttr largest; ///< of those that programs fill themselves
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
