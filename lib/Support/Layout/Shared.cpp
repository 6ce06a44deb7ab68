//===- Shared.cpp - Registers against memory ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/Shared.h"
#include "kiln/Layout/Simulate.h"
#include "kiln/Layout/Span.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;
using namespace kiln::layout;

uint64_t Banks::getActiveLanes(unsigned accessBytes, unsigned laneBits) const {
  for (const auto &[listedBytes, mask] : activeLanes)
    if (listedBytes == accessBytes)
      return mask & maskTrailingOnes<uint64_t>(laneBits);
  unsigned words = std::max(1u, accessBytes / bytes);
  unsigned active = Log2_32(std::max(1u, count / words));
  return maskTrailingOnes<uint64_t>(std::min(active, laneBits));
}

LinearLayout kiln::layout::getSwizzledRows(int64_t rows, int64_t columns,
                                           int64_t vector, int64_t rowsPerPhase,
                                           int64_t phases) {
  assert(vector * phases <= columns && "more phases than vectors of a row");
  LinearLayout::Input offset{kOffset.str(), {}};
  for (int64_t column = 1; column < columns; column *= 2)
    offset.bases.push_back({0, column});
  for (int64_t row = 1; row < rows; row *= 2)
    offset.bases.push_back({row, row / rowsPerPhase % phases * vector});
  return LinearLayout::withSizes({offset}, {rows, columns});
}

/// From places of a layout to offsets.
static LinearLayout getOffsets(const LinearLayout &layout,
                               const LinearLayout &memory) {
  std::optional<LinearLayout> offsets = layout.invertAndCompose(memory);
  assert(offsets && "memory that lacks elements");
  return *offsets;
}

/// The one bit of `in` that moves bit `bit` of the offset, and nothing else, if
/// no other bit of any input has to do with it.
static std::optional<unsigned> findUnit(const LinearLayout &offsets,
                                        StringRef in, unsigned bit) {
  std::optional<unsigned> found;
  int64_t unit = int64_t(1) << bit;
  for (const LinearLayout::Input &input : offsets.getInputs())
    for (auto [i, basis] : enumerate(input.bases)) {
      if ((basis[0] & unit) == 0)
        continue;
      if (found || input.name != in || basis[0] != unit)
        return std::nullopt;
      found = i;
    }
  return found;
}

VectorWidth kiln::layout::getVectorWidth(const LinearLayout &layout,
                                         const LinearLayout &memory,
                                         StringRef registers,
                                         unsigned maxBits) {
  LinearLayout offsets = getOffsets(layout, memory);
  VectorWidth width;
  for (; width.bits < maxBits; ++width.bits) {
    std::optional<unsigned> bit = findUnit(offsets, registers, width.bits);
    if (!bit)
      break;
    width.order.push_back(*bit);
  }
  for (unsigned bit = 0; bit < layout.getInputBits(registers); ++bit)
    if (!is_contained(width.order, bit))
      width.order.push_back(bit);
  return width;
}

/// log2 of how many lanes wait for each other, among those that `lanes` tell
/// apart: those that differ beyond the banks, of the vectors they access.
static unsigned getConflictBits(ArrayRef<uint64_t> lanes, unsigned vectorBits,
                                unsigned elementBits, const Banks &banks) {
  unsigned bankBits = Log2_32(banks.count * banks.bytes * 8);
  unsigned low = std::max(vectorBits,
                          Log2_32(std::max(1u, banks.bytes * 8 / elementBits)));
  unsigned high = std::max(low, bankBits - Log2_32(elementBits));
  uint64_t wordMask = ~maskTrailingOnes<uint64_t>(low);
  uint64_t bankMask = wordMask & maskTrailingOnes<uint64_t>(high);
  // Different words, less those that lie in different banks.
  Span words, different;
  for (uint64_t lane : lanes) {
    words.add(lane & wordMask);
    different.add(lane & bankMask);
  }
  return words.getRank() - different.getRank();
}

namespace {
/// Builds an access step by step.
struct AccessBuilder {
  const LinearLayout &offsets;
  Levels levels;
  unsigned elementBits;
  const Banks &banks;
  SharedAccess access;

  uint64_t getColumn(StringRef in, unsigned bit) const {
    return offsets.getBasis(in, bit)[0];
  }

  /// Takes a bit of the register for each slot; none if one does not fit.
  /// Bits of a row have to be those of the offset.
  bool takeRow(const InstructionTile &tile) {
    for (auto [k, slot] : enumerate(tile.row)) {
      bool isRegister = slot == InstructionTile::kRegister;
      std::optional<unsigned> bit =
          findUnit(offsets, levels[isRegister ? 0 : 1], k);
      if (!bit || (!isRegister && *bit != unsigned(slot)))
        return false;
      if (isRegister)
        access.order.push_back(*bit);
    }
    return true;
  }

  /// The bits of rows: any registers do, the ones without conflicts are best.
  std::optional<unsigned> takeRows(const InstructionTile &tile) {
    SmallVector<uint64_t> rows;
    for (int slot : tile.rows)
      if (slot != InstructionTile::kRegister) {
        if (unsigned(slot) >= offsets.getInputBits(levels[1]))
          return std::nullopt;
        rows.push_back(getColumn(levels[1], slot));
      }
    for (int slot : tile.rows) {
      if (slot != InstructionTile::kRegister)
        continue;
      std::optional<unsigned> best;
      unsigned bestConflicts = 0;
      for (unsigned bit = 0; bit < offsets.getInputBits(levels[0]); ++bit) {
        if (is_contained(access.order, bit) || getColumn(levels[0], bit) == 0)
          continue;
        rows.push_back(getColumn(levels[0], bit));
        unsigned conflicts =
            getConflictBits(rows, tile.row.size(), elementBits, banks);
        rows.pop_back();
        if (!best || conflicts < bestConflicts) {
          best = bit;
          bestConflicts = conflicts;
        }
      }
      if (!best)
        return std::nullopt;
      access.order.push_back(*best);
      rows.push_back(getColumn(levels[0], *best));
    }
    return getConflictBits(rows, tile.row.size(), elementBits, banks);
  }

  /// Appends the bits that are left, those of copies last.
  void finishOrder() {
    for (bool isCopy : {false, true})
      for (unsigned bit = 0; bit < offsets.getInputBits(levels[0]); ++bit) {
        if (is_contained(access.order, bit) ||
            (getColumn(levels[0], bit) == 0) != isCopy)
          continue;
        access.order.push_back(bit);
        access.copyBits += isCopy;
      }
    access.offsets = offsets.permuteInput(levels[0], access.order);
  }

  unsigned countVectors() const {
    return 1u << (access.order.size() - access.copyBits - access.vectorBits);
  }
};
} // namespace

/// The access by vectors of one register bit after the other.
static void buildVectors(AccessBuilder &builder, const LinearLayout &layout,
                         const LinearLayout &memory) {
  SharedAccess &access = builder.access;
  unsigned maxBits = Log2_32(
      std::max(1u, builder.banks.maxVectorBytes * 8 / builder.elementBits));
  VectorWidth width =
      getVectorWidth(layout, memory, builder.levels[0], maxBits);
  access.vectorBits = width.bits;
  access.order.assign(width.order.begin(), width.order.begin() + width.bits);
  builder.finishOrder();
  access.instructions = builder.countVectors();

  unsigned laneBits = builder.offsets.getInputBits(builder.levels[1]);
  unsigned bytes = std::max(1u, (builder.elementBits << access.vectorBits) / 8);
  uint64_t active = builder.banks.getActiveLanes(bytes, laneBits);
  SmallVector<uint64_t> lanes;
  unsigned groupBits = 0;
  for (unsigned bit = 0; bit < laneBits; ++bit)
    if ((active >> bit) & 1)
      lanes.push_back(builder.getColumn(builder.levels[1], bit));
    else
      ++groupBits;
  unsigned conflicts = getConflictBits(lanes, access.vectorBits,
                                       builder.elementBits, builder.banks);
  access.wavefronts = access.instructions << (groupBits + conflicts);
}

std::optional<SharedAccess> kiln::layout::getSharedAccess(
    const LinearLayout &layout, const LinearLayout &memory, Levels levels,
    unsigned elementBits, const Banks &banks, const InstructionTile *tile) {
  LinearLayout offsets = getOffsets(layout, memory);
  AccessBuilder builder{offsets, levels, elementBits, banks, {}};
  SharedAccess &access = builder.access;
  if (!tile) {
    buildVectors(builder, layout, memory);
    return access;
  }
  access.usesTile = true;
  if (!builder.takeRow(*tile))
    return std::nullopt;
  std::optional<unsigned> conflicts = builder.takeRows(*tile);
  if (!conflicts)
    return std::nullopt;
  access.vectorBits = access.order.size();
  builder.finishOrder();
  unsigned matrices = builder.countVectors();
  access.instructions = divideCeil(matrices, 1u << tile->maxMatrixBits);
  access.wavefronts = matrices << *conflicts;
  return access;
}

LinearLayout SharedAccess::getRowAddresses(const InstructionTile &tile,
                                           Levels levels,
                                           unsigned matrixBits) const {
  ArrayRef<LinearLayout::Basis> registers = offsets.getBases(levels[0]);
  SmallVector<LinearLayout::Basis> rows, lanes;
  // The bits of the register that rows have come after those of a row.
  size_t next = count(tile.row, InstructionTile::kRegister);
  for (int slot : tile.rows)
    rows.push_back(
        slot == InstructionTile::kRegister
            ? registers[next++]
            : LinearLayout::Basis(offsets.getBasis(levels[1], unsigned(slot))));
  for (InstructionTile::AddressBit part : tile.address)
    lanes.push_back(part.isRow ? rows[part.bit]
                               : LinearLayout::Basis{int64_t(1) << part.bit});
  if (tile.address.empty())
    lanes = rows;
  for (unsigned bit = 0; bit < matrixBits; ++bit)
    lanes.push_back(registers[vectorBits + bit]);
  // The instruction does not use the addresses of further lanes, but for lanes
  // that move matrices of their own.
  for (unsigned bit = lanes.size(); bit < offsets.getInputBits(levels[1]);
       ++bit)
    lanes.push_back((tile.ownLanes >> bit) & 1
                        ? LinearLayout::Basis(offsets.getBasis(levels[1], bit))
                        : LinearLayout::Basis{0});
  LinearLayout result = offsets;
  result.setBases(levels[0], registers.drop_front(vectorBits + matrixBits));
  result.setBases(levels[1], lanes);
  return result;
}
