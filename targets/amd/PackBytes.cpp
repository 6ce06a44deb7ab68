//===- PackBytes.cpp - Vectors of bytes by permutations -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PackBytes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace kiln::amd;

constexpr unsigned kWordBytes = 4;

/// The type of a vector of whole words of bytes; null for others.
static FixedVectorType *bytesType(Value *value) {
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  return type && type->getElementType()->isIntegerTy(8) &&
                 type->getNumElements() % kWordBytes == 0
             ? type
             : nullptr;
}

static bool putsTogether(Value *value) {
  return isa<ShuffleVectorInst, InsertElementInst>(value);
}

namespace {
/// A byte of a number of 32 bits, or of an element of a vector of such; of none
/// where it may be anything.
struct Byte {
  Value *words = nullptr;
  unsigned word = 0, byte = 0;

  bool isOf(const Byte &other) const {
    return words == other.words && word == other.word;
  }
};

class Packer {
public:
  explicit Packer(Instruction *vector) : builder(vector), vector(vector) {}

  /// The vector from words; null where a byte comes from elsewhere.
  Value *run() {
    unsigned count = bytesType(vector)->getNumElements();
    SmallVector<Byte> bytes(count);
    for (auto [i, byte] : enumerate(bytes))
      if (!find(vector, i, byte, 0))
        return nullptr;
    Type *word = builder.getInt32Ty();
    auto *type = FixedVectorType::get(word, count / kWordBytes);
    Value *all = PoisonValue::get(type);
    for (unsigned i = 0; i < count / kWordBytes; ++i)
      all = builder.CreateInsertElement(
          all, wordOf(ArrayRef(bytes).slice(i * kWordBytes, kWordBytes)), i);
    return hasPermuted ? builder.CreateBitCast(all, vector->getType())
                       : nullptr;
  }

private:
  static bool find(Value *from, unsigned at, Byte &byte, unsigned depth) {
    constexpr unsigned kDeepest = 64;
    if (isa<PoisonValue>(from))
      return true;
    if (depth > kDeepest || !isa<FixedVectorType>(from->getType()))
      return false;
    if (auto *shuffle = dyn_cast<ShuffleVectorInst>(from)) {
      int source = shuffle->getMaskValue(at);
      if (source < 0)
        return true;
      unsigned first = cast<FixedVectorType>(shuffle->getOperand(0)->getType())
                           ->getNumElements();
      bool isFirst = unsigned(source) < first;
      return find(shuffle->getOperand(isFirst ? 0 : 1),
                  isFirst ? source : source - first, byte, depth + 1);
    }
    if (auto *insert = dyn_cast<InsertElementInst>(from)) {
      auto *place = dyn_cast<ConstantInt>(insert->getOperand(2));
      if (!place)
        return false;
      if (place->getZExtValue() != at)
        return find(insert->getOperand(0), at, byte, depth + 1);
      auto *extract = dyn_cast<ExtractElementInst>(insert->getOperand(1));
      auto *source =
          extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
      return source && find(extract->getVectorOperand(), source->getZExtValue(),
                            byte, depth + 1);
    }
    auto *cast = dyn_cast<BitCastInst>(from);
    if (!cast || !cast->getSrcTy()->getScalarType()->isIntegerTy(32))
      return false;
    byte = {cast->getOperand(0), at / kWordBytes, at % kWordBytes};
    return true;
  }

  Value *load(const Byte &byte) {
    return byte.words->getType()->isVectorTy()
               ? builder.CreateExtractElement(byte.words, byte.word)
               : byte.words;
  }

  /// Bytes 0 to 3 of `low` and 4 to 7 of `high`, by their numbers, the first
  /// one lowest.
  Value *permute(Value *low, Value *high, ArrayRef<unsigned> numbers) {
    uint32_t selector = 0;
    for (auto [i, number] : enumerate(numbers))
      selector |= number << (8 * i);
    hasPermuted = true;
    return builder.CreateIntrinsic(Intrinsic::amdgcn_perm, {},
                                   {high, low, builder.getInt32(selector)});
  }

  /// Two bytes in one of the halves of a word: the word, and the number of the
  /// first one. Of neighbours in two words the other half has the next two.
  std::pair<Value *, unsigned> pairOf(Byte first, Byte second) {
    if (!first.words)
      first = second;
    if (!second.words)
      second = first;
    if (first.isOf(second) && first.byte % 2 == 0 &&
        second.byte == first.byte + 1)
      return {load(first), first.byte};
    if (!first.isOf(second) && first.byte == second.byte) {
      unsigned begin = first.byte & ~1u;
      return {permute(load(first), load(second),
                      {begin, begin + kWordBytes, begin + 1,
                       begin + 1 + kWordBytes}),
              2 * (first.byte - begin)};
    }
    return {permute(load(first), load(second),
                    {first.byte, second.byte + kWordBytes, 0, 0}),
            0};
  }

  Value *wordOf(ArrayRef<Byte> bytes) {
    const Byte *first = find_if(bytes, [](Byte byte) { return byte.words; });
    if (first == bytes.end())
      return PoisonValue::get(builder.getInt32Ty());
    const Byte *other = find_if(
        bytes, [&](Byte byte) { return byte.words && !byte.isOf(*first); });
    bool isWhole = other == bytes.end(), isOfTwo = true;
    SmallVector<unsigned> numbers;
    for (auto [i, byte] : enumerate(bytes)) {
      bool isFirst = !byte.words || byte.isOf(*first);
      isWhole &= !byte.words || byte.byte == i;
      isOfTwo &= isFirst || byte.isOf(*other);
      numbers.push_back(isFirst ? byte.byte : byte.byte + kWordBytes);
    }
    if (isWhole)
      return load(*first);
    if (isOfTwo)
      return permute(load(*first), load(other == bytes.end() ? *first : *other),
                     numbers);
    auto [low, lowAt] = pairOf(bytes[0], bytes[1]);
    auto [high, highAt] = pairOf(bytes[2], bytes[3]);
    return permute(
        low ? low : high, high ? high : low,
        {lowAt, lowAt + 1, highAt + kWordBytes, highAt + 1 + kWordBytes});
  }

  IRBuilder<> builder;
  Instruction *vector;
  bool hasPermuted = false;
};
} // namespace

PreservedAnalyses PackBytes::run(Function &function,
                                 FunctionAnalysisManager &analyses) {
  SmallVector<Instruction *> vectors;
  for (Instruction &instruction : instructions(function))
    if (putsTogether(&instruction) && bytesType(&instruction) &&
        none_of(instruction.users(), putsTogether))
      vectors.push_back(&instruction);
  for (Instruction *vector : vectors)
    if (Value *packed = Packer(vector).run())
      vector->replaceAllUsesWith(packed);
  return vectors.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
