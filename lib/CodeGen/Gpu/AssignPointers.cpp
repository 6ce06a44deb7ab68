//===- AssignPointers.cpp - Layouts of accesses through pointers ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Assigner.h"
#include "LayoutChoice.h"
#include "Machine.h"
#include "UpdateExchange.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Interfaces/PointerAccess.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Basis = LayoutAttr::Basis;

std::optional<PointerAccess> simt::getPointerAccess(Operation *op) {
  auto access = dyn_cast<PointerAccessOpInterface>(op);
  if (!access || !isTile(access.getAccessedPointers().getType()) ||
      (!access.isRead() && !access.getStoredElements()))
    return std::nullopt;
  PointerAccess found{access.getAccessedPointers(), access.getAccessMask(),
                      access.getStoredElements()};
  if (access.isUpdate()) {
    found.isAtomic = true;
    found.together = countAddedTogether(op);
  }
  return found;
}

void simt::preferLanesForUpdates(Operation *exchange, int64_t lanes,
                                 ExchangeMachine &machine) {
  auto isUpdate = [](Operation *user) {
    auto access = dyn_cast<PointerAccessOpInterface>(user);
    return access && access.isUpdate();
  };
  if (!sparesShared(machine.description) || exchange->use_empty() ||
      !llvm::all_of(exchange->getUsers(), isUpdate))
    return;
  layout::ConversionCosts &costs = machine.costs;
  for (int64_t lane = 1; lane < lanes; lane *= 2)
    if (llvm::none_of(costs.exchanges, [&](const auto &exchange) {
          return (exchange.first & uint64_t(lane)) != 0;
        }))
      return;
  // Lanes take up to four instructions for each element.
  constexpr double kWorth = 3;
  costs.wavefront *= kWorth;
  costs.barrier *= kWorth;
  costs.warpBarrier *= kWorth;
}

/// Neighbours along a dimension that a vector of `count` and lanes have.
static int64_t countNeighbours(LayoutAttr layout, int dim, int64_t count,
                               unsigned laneBits) {
  auto lanes = layout.getLaneBases(laneBits);
  while (llvm::any_of(lanes, [&](const Basis &basis) {
    return basis[dim] == count &&
           llvm::count_if(basis, [](int64_t n) { return n != 0; }) == 1;
  }))
    count *= 2;
  return count;
}

/// The layout `has` with all but `count` neighbours of each thread in lanes:
/// bits of registers and lanes change places, the lanes that are farthest apart
/// first, so that lanes have neighbours and each warp keeps its elements. Null
/// where lanes are no farther apart.
static LayoutAttr spreadNeighbours(LayoutAttr has, int dim, int64_t count,
                                   int64_t most, unsigned laneBits,
                                   unsigned warpBits) {
  SmallVector<Basis> registers = has.getRegisterBases(),
                     lanes = has.getLaneBases(laneBits);
  SmallVector<unsigned> bits = vectorBits(has, dim, most);
  for (unsigned bit : ArrayRef(bits).drop_front(
           std::min<size_t>(bits.size(), llvm::Log2_64(count)))) {
    Basis *farthest = llvm::max_element(
        lanes, [&](const Basis &a, const Basis &b) { return a[dim] < b[dim]; });
    if (farthest == lanes.end() || (*farthest)[dim] <= registers[bit][dim])
      return {};
    std::swap(*farthest, registers[bit]);
  }
  return LayoutAttr::get(has.getContext(), has.getRank(), registers, lanes,
                         has.getWarpBases(warpBits));
}

/// Neighbours go to neighbouring threads, in vectors where they are loaded or
/// stored. False where pointers are not known to be neighbours.
bool Assigner::assignPointers(Operation *op) {
  auto access = getPointerAccess(op);
  if (!access)
    return false;
  Contiguity own = contiguityOf(access->pointers, access->mask, facts);
  if (own.dim < 0)
    own.dim = access->isAtomic
                  ? -1
                  : tile::TileSteps::findNearest(steps.of(access->pointers));
  if (own.dim < 0)
    return false;
  auto shape = shapeOf(access->pointers);
  LayoutAttr has = access->stored ? getLayout(access->stored) : LayoutAttr();
  if (access->isAtomic) {
    // Memory updates the elements of one instruction line by line: neighbours
    // are in neighbouring lanes, and as few in each as can be.
    own.count = std::min(own.count, access->together);
    LayoutAttr wide =
        blockedLayout(b.getContext(), shape, own.dim, own.count, lanes, warps);
    auto together = [&](int64_t most) {
      return has ? int64_t(1) << vectorBits(has, own.dim, most).size() : 0;
    };
    if (together(std::max<int64_t>(own.count, 2)) == own.count &&
        has.getNumRegisters() <= wide.getNumRegisters())
      return false;
    // Where shared memory is short, lanes exchange neighbours with each other.
    constexpr int64_t kMostNeighbours = 16;
    if (has && sparesShared(description) &&
        has.getNumRegisters() <= wide.getNumRegisters()) {
      auto countIn = [&](LayoutAttr layout) {
        return countNeighbours(layout, own.dim, own.count, block.laneBits());
      };
      LayoutAttr spread =
          spreadNeighbours(has, own.dim, own.count, kMostNeighbours,
                           block.laneBits(), block.warpBits());
      if (spread && countIn(spread) >= countIn(wide)) {
        requireAll(op, spread);
        return true;
      }
    }
  } else {
    if (has && shape.size() <= 1)
      return false;
    auto it = widest.find(b.getDenseI64ArrayAttr(shape));
    if (it != widest.end() && it->second.dim == own.dim)
      own.count = it->second.count;
  }
  LayoutAttr best = blocked(shape, own.dim, own.count);
  requireAll(op, keepWarps(own, best, has));
  return true;
}
