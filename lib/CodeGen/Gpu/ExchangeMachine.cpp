//===- ExchangeMachine.cpp - What a machine has for exchanges -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExchangeMachine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using layout::InstructionTile;

ExchangeMachine::ExchangeMachine(target::TargetAttr description)
    : banks(banksOf(description)), costs(costsOf(description)),
      description(description) {
  int64_t size = sharedBytesOf(description);
  // What else a kernel keeps there, and a second block, have room as well.
  bytes = size / 4;
  mostBytes = size - bytes;
}

void ExchangeMachine::reserve(int64_t kept) {
  int64_t left =
      std::max<int64_t>(sharedBytesOf(description) - kept, costs.wordBits);
  bytes = std::min(bytes, left);
  mostBytes = std::min(mostBytes, left);
  turnBytes = left;
}

/// The place of the bit of a row or of a column: the register or the lane whose
/// basis is that unit.
static std::optional<int> slotOf(LayoutAttr held, unsigned dim, unsigned bit) {
  LayoutAttr::Basis unit(2, 0);
  unit[dim] = int64_t(1) << bit;
  if (llvm::is_contained(held.getRegisterBases(), unit))
    return InstructionTile::kRegister;
  auto lanes = held.getLaneBases(0);
  auto *found = llvm::find(lanes, unit);
  if (found == lanes.end())
    return std::nullopt;
  return found - lanes.begin();
}

/// log2 of the elements along a dimension.
static unsigned bitsAlong(LayoutAttr held, unsigned dim) {
  int64_t all = 0;
  for (const auto &basis : held.getRegisterBases())
    all |= basis[dim];
  for (const auto &basis : held.getLaneBases(0))
    all |= basis[dim];
  return llvm::Log2_64_Ceil(all + 1);
}

static std::optional<InstructionTile> tileOf(target::TileMoveAttr move,
                                             int64_t lanes) {
  auto held = dyn_cast<LayoutAttr>(move.getHeld());
  auto addressed = dyn_cast<LayoutAttr>(move.getAddressed());
  if (!held || !addressed || held.getRank() != 2 || addressed.getRank() != 2)
    return std::nullopt;
  unsigned used = held.getLaneBases(0).size(),
           addresses = addressed.getLaneBases(0).size(),
           matrices = llvm::Log2_64(move.getMatrices()),
           laneBits = llvm::Log2_64(lanes);
  if (used > laneBits || addresses + matrices > used)
    return std::nullopt;
  InstructionTile tile;
  tile.name = move.getName();
  tile.maxMatrixBits = matrices;
  for (unsigned dim : {0, 1})
    for (unsigned bit = 0; bit < bitsAlong(held, dim); ++bit) {
      std::optional<int> slot = slotOf(held, dim, bit);
      if (!slot)
        return std::nullopt;
      (dim == 0 ? tile.rows : tile.row).push_back(*slot);
    }
  for (const LayoutAttr::Basis &basis : addressed.getLaneBases(0)) {
    unsigned dim = basis[0] ? 0 : 1;
    if (!llvm::isPowerOf2_64(basis[dim]) || basis[1 - dim])
      return std::nullopt;
    unsigned bit = llvm::Log2_64(basis[dim]);
    if (bit >= (dim == 0 ? tile.rows : tile.row).size())
      return std::nullopt;
    tile.address.push_back({dim == 0, bit});
  }
  for (unsigned bit = used; bit < laneBits; ++bit)
    tile.ownLanes |= uint64_t(1) << bit;
  return tile;
}

TileMoves simt::tileMovesOf(target::TargetAttr description,
                            target::MoveKind kind, unsigned bits,
                            int64_t lanes) {
  TileMoves moves;
  if (!description)
    return moves;
  for (target::TileMoveAttr move : description.getTileMoves()) {
    if (move.getKind() != kind || move.getBits() != bits ||
        move.getHome() != sharedSpaceOf(description))
      continue;
    if (std::optional<InstructionTile> tile = tileOf(move, lanes)) {
      moves.rows.push_back(move);
      moves.tiles.push_back(*tile);
    }
  }
  return moves;
}

int64_t simt::bytesOfAddress(target::TileMoveAttr move) {
  auto addressed = cast<LayoutAttr>(move.getAddressed());
  int64_t columns = int64_t(1)
                    << bitsAlong(cast<LayoutAttr>(move.getHeld()), 1);
  for (const LayoutAttr::Basis &basis : addressed.getLaneBases(0))
    if (basis[1])
      columns = std::min(columns, basis[1]);
  return columns * move.getBits() / 8;
}

int64_t simt::addressLanes(target::TileMoveAttr move, int64_t matrices,
                           int64_t lanes) {
  unsigned used = cast<LayoutAttr>(move.getHeld()).getLaneBases(0).size(),
           addresses =
               cast<LayoutAttr>(move.getAddressed()).getLaneBases(0).size();
  // Lanes that the matrix does not use move matrices of their own.
  return int64_t(1) << used < lanes ? lanes : matrices << addresses;
}
