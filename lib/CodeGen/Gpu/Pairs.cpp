//===- Pairs.cpp - Elements that change places with each other ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every bit of the mask is one of registers, lanes or warps. Registers get
// other names, lanes exchange theirs; where warps differ each thread writes its
// registers, side by side, to the memory of the block and reads those of its
// partner.
//
//===----------------------------------------------------------------------===//

#include "Pairs.h"
#include "Exchange.h"
#include "Scan.h"
#include "kiln/Dialect/Tile/ExchangeOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// What the lane that differs by `mask` has, several narrow ones in a word.
static Regs fromLanes(ThreadWriter &w, ArrayRef<Value> regs, int64_t mask) {
  Type type = regs[0].getType();
  unsigned perWord = 1;
  if (type.isIntOrFloat() && !type.isInteger(1))
    perWord = std::max(1u, 32 / type.getIntOrFloatBitWidth());
  perWord = std::min<unsigned>(perWord, llvm::bit_floor(regs.size()));
  Regs results(regs.size());
  if (perWord * (type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64) !=
      32) {
    for (auto [reg, value] : llvm::enumerate(regs))
      results[reg] = w.shuffleXor(value, mask);
    return results;
  }
  for (unsigned first = 0; first < regs.size(); first += perWord) {
    ArrayRef<Value> parts = regs.slice(first, perWord);
    if (perWord == 1) {
      results[first] = w.shuffleXor(parts[0], mask);
      continue;
    }
    auto places = llvm::to_vector(llvm::seq<unsigned>(first, first + perWord));
    unpackWord(w, w.shuffleXor(packWord(w, parts, perWord), mask), type,
               perWord, places, results);
  }
  return results;
}

namespace {
/// How registers of so many bytes go through shared memory.
struct PairRounds {
  PairRounds(int64_t bytes, int64_t count, const BlockShape &block)
      : count(count),
        width(std::min<int64_t>(std::max<int64_t>(kWidest / bytes, 1),
                                llvm::bit_floor(uint64_t(count)))),
        part(width * bytes * block.threads()) {
    // As much at a time as there is room for.
    int64_t most = block.machine.bytes ? std::max(block.machine.bytes, part)
                                       : count * part;
    perRound = std::min(count, most / part * width);
  }
  /// Bytes of the round that begins with a register.
  int64_t bytesAt(int64_t first) const {
    return (std::min(count, first + perRound) - first) / width * part;
  }

  static constexpr int64_t kWidest = 16;
  int64_t count;
  int64_t width;    ///< registers that one access moves
  int64_t part;     ///< bytes of these, of all threads
  int64_t perRound; ///< registers
};
} // namespace

/// What the thread whose number differs by `mask` has.
static Regs fromThreads(ThreadWriter &w, ArrayRef<Value> regs, int64_t mask) {
  Regs stored;
  for (Value value : regs)
    stored.push_back(
        isa<LLVM::LLVMPointerType>(value.getType())
            ? LLVM::PtrToIntOp::create(w.b, w.loc, w.b.getI64Type(), value)
            : w.toStored(value));
  Type type = stored[0].getType();
  int64_t bytes = ThreadBuilder::storedBytes(type), count = regs.size();
  PairRounds rounds(bytes, count, w.shape);
  int64_t width = rounds.width, part = rounds.part, perRound = rounds.perRound;
  Type group = width > 1 ? Type(VectorType::get({width}, type)) : type;
  auto byteOf = [&](Value thread) {
    return w.b.createOrFold<arith::ShLIOp>(w.loc, thread,
                                           w.c32(llvm::Log2_64(width * bytes)));
  };
  Value own = byteOf(w.threadId()),
        partner = byteOf(w.xor_(w.threadId(), w.c32(mask)));
  Regs results;
  for (int64_t first = 0; first < count; first += perRound) {
    int64_t end = std::min(count, first + perRound);
    int64_t start = w.scratch(rounds.bytesAt(first));
    Type byte = w.b.getI8Type();
    auto place = [&](Value side, int64_t reg) {
      return w.elementPointer(w.shared(start + (reg - first) / width * part),
                              side, byte);
    };
    for (int64_t reg = first; reg < end; reg += width)
      LLVM::StoreOp::create(w.b, w.loc,
                            w.pack(ArrayRef(stored).slice(reg, width)),
                            place(own, reg), width * bytes);
    w.barrier();
    for (int64_t reg = first; reg < end; reg += width) {
      Value read = LLVM::LoadOp::create(w.b, w.loc, group, place(partner, reg),
                                        width * bytes);
      for (int64_t i = 0; i < width; ++i)
        results.push_back(w.unpack(read, i));
    }
  }
  for (auto [result, value] : llvm::zip_equal(results, regs))
    result = isa<LLVM::LLVMPointerType>(value.getType())
                 ? LLVM::IntToPtrOp::create(w.b, w.loc, value.getType(), result)
                 : w.fromStored(result, value.getType());
  return results;
}

namespace {
/// The bits of registers, lanes and warps in which partners differ.
struct PairMasks {
  int64_t of[3] = {0, 0, 0};
};
} // namespace

static std::optional<PairMasks> masksOf(tile::ExchangeOp op, unsigned laneBits,
                                        unsigned warpBits) {
  auto type = cast<RankedTensorType>(op.getType());
  auto bits = getAxisBits(getLayout(op.getResult()), op.getAxis(),
                          type.getDimSize(op.getAxis()), laneBits, warpBits);
  if (!bits)
    return std::nullopt;
  PairMasks masks;
  for (uint64_t left = op.getMask(); left; left &= left - 1) {
    const AxisBit &bit = (*bits)[llvm::countr_zero(left)];
    masks.of[bit.level] |= int64_t(1) << bit.bit;
  }
  return masks;
}

std::optional<ScratchNeeds> simt::pairNeeds(tile::ExchangeOp op,
                                            const BlockShape &block) {
  auto masks = masksOf(op, block.laneBits(), block.warpBits());
  if (!masks)
    return std::nullopt;
  ScratchNeeds needs;
  if (!masks->of[AxisBit::Warp])
    return needs;
  Type element = ThreadBuilder::scalarType(
      cast<RankedTensorType>(op.getType()).getElementType());
  PairRounds rounds(ThreadBuilder::storedBytes(element),
                    getLayout(op.getResult()).getNumRegisters(), block);
  for (int64_t first = 0; first < rounds.count; first += rounds.perRound)
    needs.push_back({rounds.bytesAt(first)});
  return needs;
}

bool simt::exchangePairs(ThreadWriter &w, tile::ExchangeOp op) {
  auto found = masksOf(op, w.laneBits(), w.warpBits());
  if (!found)
    return false;
  const auto &masks = found->of;
  const Regs &source = w.registers(op.getSource());
  Regs regs;
  for (size_t reg = 0; reg < source.size(); ++reg)
    regs.push_back(source[reg ^ masks[AxisBit::Register]]);
  int64_t ofThread = masks[AxisBit::Lane] | masks[AxisBit::Warp]
                                                << w.laneBits();
  if (masks[AxisBit::Warp])
    regs = fromThreads(w, regs, ofThread);
  else if (ofThread)
    regs = fromLanes(w, regs, ofThread);
  w.define(op.getResult(), std::move(regs));
  return true;
}
