// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands random_bits into integer arithmetic on the number of each element.
#include "../PrimBuilder.h"
#include "Decompose.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Words of 32 bits, all of one shape.
struct Words {
  PrimBuilder &emit;

  Value constant(Value like, uint32_t value) const {
    return emit.splatLike(like, static_cast<int32_t>(value));
  }
  Value add(Value x, Value y) const { return emit.map<AddOp>(x, y); }
  Value add(Value x, uint32_t y) const { return add(x, constant(x, y)); }
  Value flip(Value x, Value y) const { return emit.map<BitwiseXorOp>(x, y); }
  Value rotate(Value x, int64_t by) const {
    return emit.map<BitwiseOrOp>(
        emit.map<ShiftLeftOp>(x, static_cast<double>(by)),
        emit.map<ShiftRightLogicalOp>(x, static_cast<double>(32 - by)));
  }

  Type i32() const { return emit.builder.getI32Type(); }
  Type i64() const { return emit.builder.getI64Type(); }
  /// An unsigned word in 64 bits.
  Value widen(Value x) const {
    return ConvertElementTypeOp::create(
        emit.builder, emit.loc, typeOf(x).clone(i64()), x, /*round=*/false,
        /*from_unsigned=*/true, /*to_unsigned=*/false);
  }
  Value low(Value x) const { return emit.convert(x, i32()); }
  Value high(Value x) const {
    return low(emit.map<ShiftRightLogicalOp>(x, 32.0));
  }
  Value join(Value high, Value low) const {
    return emit.map<BitwiseOrOp>(emit.map<ShiftLeftOp>(widen(high), 32.0),
                                 widen(low));
  }
  /// Word `i` of a list, everywhere in the shape of `like`.
  Value word(Value list, int64_t i, Value like) const {
    auto one = RankedTensorType::get(1, i32());
    Value part =
        SliceOp::create(emit.builder, emit.loc, one, list, i, i + 1, 1);
    RankedTensorType type = typeOf(like).clone(i32());
    return BroadcastInDimOp::create(
        emit.builder, emit.loc, type, part,
        dynamicSizes(emit.builder, emit.loc, type, emit.sizes(like)),
        ArrayRef<int64_t>{0});
  }
};

struct DecomposeRandomBits : OpRewritePattern<RandomBitsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RandomBitsOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    Words w{emit};
    RankedTensorType type = op.getType();
    SmallVector<OpFoldResult> sizes;
    auto dynamic = op.getSizes().begin();
    for (int64_t size : type.getShape())
      sizes.push_back(ShapedType::isDynamic(size)
                          ? OpFoldResult(*dynamic++)
                          : rewriter.getIndexAttr(size));
    // The number of each element, in one line.
    OpFoldResult count = emit.product(sizes);
    auto line = RankedTensorType::get(
        getConstantIntValue(count).value_or(ShapedType::kDynamic), w.i64());
    Value n =
        IotaOp::create(rewriter, op.getLoc(), line,
                       dynamicSizes(rewriter, op.getLoc(), line, count), 0);
    bool isWide = type.getElementType().isInteger(64);
    Value bits = op.getAlgorithm() == RandomAlgorithm::threefry
                     ? threefry(op, w, n, isWide)
                     : philox(op, w, n, isWide);
    bits = emit.convert(bits, type.getElementType());
    Value shaped = emit.reshape(bits, sizes);
    rewriter.replaceOp(op, shaped);
    return success();
  }

private:
  static Value threefry(RandomBitsOp op, const Words &w, Value n, bool isWide) {
    static constexpr int64_t rotations[] = {13, 15, 26, 6, 17, 29, 16, 24};
    Value counter =
        w.join(w.word(op.getCounter(), 1, n), w.word(op.getCounter(), 0, n));
    counter = w.add(counter, n);
    Value keys[3] = {w.word(op.getKey(), 0, n), w.word(op.getKey(), 1, n)};
    Value both = w.flip(keys[0], keys[1]);
    keys[2] = w.flip(both, w.constant(both, 0x1BD11BDA));
    Value x = w.add(w.high(counter), keys[0]),
          y = w.add(w.low(counter), keys[1]);
    for (unsigned round = 0; round < 20; ++round) {
      x = w.add(x, y);
      y = w.flip(w.rotate(y, rotations[round % 8]), x);
      if (round % 4 != 3)
        continue;
      unsigned group = round / 4 + 1;
      x = w.add(x, keys[group % 3]);
      y = w.add(w.add(y, keys[(group + 1) % 3]), group);
    }
    return isWide ? w.join(x, y) : w.flip(x, y);
  }

  static Value philox(RandomBitsOp op, const Words &w, Value n, bool isWide) {
    bool isWord = op.getAlgorithm() == RandomAlgorithm::philox_word;
    // Four elements share a block, or two of 64 bits.
    int64_t shift = isWord ? 0 : isWide ? 1 : 2;
    Value block =
        shift ? w.emit.map<ShiftRightLogicalOp>(n, static_cast<double>(shift))
              : n;
    Value c[4];
    for (int64_t i = 0; i < 4; ++i)
      c[i] = w.word(op.getCounter(), i, n);
    // 128 bits: what the lower half carries, and what its sum carries on.
    Value sum = w.add(w.join(c[1], c[0]), block);
    Value carry = below(w, sum, block);
    Value upper = w.add(w.join(c[3], c[2]), carry);
    c[0] = w.low(sum), c[1] = w.high(sum);
    c[2] = w.low(upper), c[3] = w.high(upper);
    Value k0 = w.word(op.getKey(), 0, n), k1 = w.word(op.getKey(), 1, n);
    for (unsigned round = 0; round < 10; ++round) {
      Value p = product(w, c[0], 0xD2511F53), q = product(w, c[2], 0xCD9E8D57);
      Value first = w.flip(w.flip(w.high(q), c[1]), k0);
      Value third = w.flip(w.flip(w.high(p), c[3]), k1);
      c[0] = first, c[1] = w.low(q), c[2] = third, c[3] = w.low(p);
      k0 = w.add(k0, 0x9E3779B9);
      k1 = w.add(k1, 0xBB67AE85);
    }
    if (isWord)
      return isWide ? w.join(c[1], c[0]) : c[0];
    Value odd = isBit(w, n, 1);
    if (isWide)
      return choose(w, odd, w.join(c[3], c[2]), w.join(c[1], c[0]));
    Value late = isBit(w, n, 2);
    return choose(w, late, choose(w, odd, c[3], c[2]),
                  choose(w, odd, c[1], c[0]));
  }

  /// The product of an unsigned word and a constant, in 64 bits.
  static Value product(const Words &w, Value x, uint32_t factor) {
    return w.emit.map<MulOp>(w.widen(x), static_cast<double>(factor));
  }
  static RankedTensorType truths(const Words &w, Value like) {
    return typeOf(like).clone(w.emit.builder.getI1Type());
  }
  /// 1 where x < y as unsigned numbers, in their type.
  static Value below(const Words &w, Value x, Value y) {
    Value less = LtOp::create(w.emit.builder, w.emit.loc, truths(w, x), x, y,
                              /*is_unsigned=*/true);
    return w.emit.convert(less, w.i64());
  }
  static Value isBit(const Words &w, Value n, int64_t bit) {
    Value masked = w.emit.map<BitwiseAndOp>(n, static_cast<double>(bit));
    return NeOp::create(w.emit.builder, w.emit.loc, truths(w, n), masked,
                        w.emit.splatLike(masked, 0.0));
  }
  static Value choose(const Words &w, Value c, Value x, Value y) {
    return WhereOp::create(w.emit.builder, w.emit.loc, x.getType(), c, x, y);
  }
};

} // namespace

void kiln::prim::populateDecomposeRandom(RewritePatternSet &patterns,
                                         WantedFn wanted) {
  addWanted<DecomposeRandomBits, RandomBitsOp>(patterns, wanted);
}
