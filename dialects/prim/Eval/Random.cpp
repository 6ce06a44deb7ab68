// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random bits of generators that count.
#include "Families.h"
#include <array>

using namespace mlir;

namespace kiln::eval {

namespace {

using Block = std::array<uint32_t, 4>;

/// Philox4x32 with 10 rounds.
Block philox(Block c, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    uint64_t p = uint64_t(c[0]) * 0xD2511F53, q = uint64_t(c[2]) * 0xCD9E8D57;
    c = {uint32_t(q >> 32) ^ c[1] ^ k0, uint32_t(q),
         uint32_t(p >> 32) ^ c[3] ^ k1, uint32_t(p)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

/// A counter of 128 bits, plus a number.
Block add(Block c, uint64_t n) {
  unsigned __int128 low = (uint64_t(c[1]) << 32 | c[0]) + (unsigned __int128)n;
  uint64_t high = (uint64_t(c[3]) << 32 | c[2]) + uint64_t(low >> 64);
  return {uint32_t(low), uint32_t(low >> 32), uint32_t(high),
          uint32_t(high >> 32)};
}

/// Threefry2x32 with 20 rounds, as high and low word.
uint64_t threefry(uint64_t counter, uint32_t k0, uint32_t k1) {
  constexpr int rotations[] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t keys[] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDA};
  uint32_t x = uint32_t(counter >> 32) + k0, y = uint32_t(counter) + k1;
  for (int round = 0; round < 20; ++round) {
    x += y;
    int by = rotations[round % 8];
    y = (y << by | y >> (32 - by)) ^ x;
    if (round % 4 != 3)
      continue;
    int group = round / 4 + 1;
    x += keys[group % 3];
    y += keys[(group + 1) % 3] + uint32_t(group);
  }
  return uint64_t(x) << 32 | y;
}

LogicalResult randomBits(prim::RandomBitsOp op, Frame &frame) {
  FailureOr<Value> result = makeResult(
      op, shapeOf(op.getResult().getType(), frame.getInts(op.getSizes())));
  if (failed(result))
    return failure();
  const uint32_t *key = frame.get(op.getKey()).as<uint32_t>();
  const uint32_t *counter = frame.get(op.getCounter()).as<uint32_t>();
  Value &out = *result;
  bool isWide = out.dtype() == DType::i64;
  for (int64_t i = 0; i < out.size(); ++i) {
    auto n = static_cast<uint64_t>(i);
    uint64_t bits = 0;
    if (op.getAlgorithm() == prim::RandomAlgorithm::threefry) {
      bits = threefry((uint64_t(counter[1]) << 32 | counter[0]) + n, key[0],
                      key[1]);
      if (!isWide)
        bits = uint32_t(bits >> 32) ^ uint32_t(bits);
    } else {
      bool isWord = op.getAlgorithm() == prim::RandomAlgorithm::philox_word;
      uint64_t first = isWord ? 4 * n : isWide ? 2 * n : n;
      Block block = add({counter[0], counter[1], counter[2], counter[3]},
                        isWord ? n : first / 4);
      block = philox(block, key[0], key[1]);
      bits = block[first % 4];
      if (isWide)
        bits |= uint64_t(block[first % 4 + 1]) << 32;
    }
    auto integer = static_cast<int64_t>(bits);
    storeInts(out.dtype(), out.mutableData(), i, 1, &integer);
  }
  return finish(op, frame, std::move(out));
}

} // namespace

void addPrimRandom(PrimTable &table) {
  table.add<prim::RandomBitsOp>(randomBits);
}

} // namespace kiln::eval
