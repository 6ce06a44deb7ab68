// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random bits of StableHLO: a state is a key of 64 bits and a counter of 64 or
// 128 bits. What is drawn, and in which order, is what XLA draws.
#include "Rules.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// One generation of bits.
struct Draw {
  Value next, output;    // results of the source
  Value state;           // 64-bit words
  RankedTensorType type; // of the bits
  Translator &e;

  bool isWide() const { return type.getElementType().isInteger(64); }
  Type i32() const { return e.b.getI32Type(); }
  int64_t length() const { return e.typeOf(state).getDimSize(0); }

  /// A word of the state, of rank 0.
  Value word(int64_t number) const {
    return e.reshape(e.sliceDim(state, 0, number, number + 1),
                     ArrayRef<int64_t>());
  }
  /// The low and the high half of 64-bit numbers.
  Value low(Value x) const { return e.convert(x, i32()); }
  Value high(Value x) const {
    return low(e.binary<prim::ShiftRightLogicalOp>(x, e.integer(32, x)));
  }
  /// Bits of 32 or 64 in the type of the result.
  LogicalResult finish(Value bits, int64_t steps) const;
};

/// The counter goes on by as many blocks as were made.
LogicalResult Draw::finish(Value bits, int64_t steps) const {
  Value first = word(1);
  SmallVector<Value> words{word(0), e.add(first, e.integer(steps, first))};
  if (length() == 3) {
    // Unsigned: a sum below what it was added to has a carry.
    Value top = e.integer(std::numeric_limits<int64_t>::min(), first);
    Value carry =
        e.compare<prim::LtOp>(e.binary<prim::BitwiseXorOp>(words[1], top),
                              e.binary<prim::BitwiseXorOp>(first, top));
    Value last = word(2);
    words.push_back(e.add(last, e.convert(carry, e.elementOf(last))));
  }
  for (Value &each : words)
    each = e.reshape(each, ArrayRef<int64_t>{1});
  if (failed(e.set(next, e.concat(words, 0))))
    return failure();
  return e.set(output, e.convert(bits, type.getElementType()));
}

/// Words of blocks of four follow each other. Where the state has no upper half
/// of the counter, it is the key.
LogicalResult philox(const Draw &draw) {
  Translator &e = draw.e;
  auto words = RankedTensorType::get({draw.length(), 2}, draw.i32());
  Value all =
      call(draw.next.getDefiningOp(), "bitcast_convert", draw.state, e, words);
  if (!all)
    return failure();
  auto pair = [&](int64_t number) {
    return e.reshape(e.sliceDim(all, 0, number, number + 1),
                     ArrayRef<int64_t>{2});
  };
  Value key = pair(0);
  Value counter = e.concat({pair(1), draw.length() == 3 ? pair(2) : key}, 0);
  Type element = draw.isWide() ? Type(e.b.getI64Type()) : draw.i32();
  auto type = RankedTensorType::get(draw.type.getShape(), element);
  Value bits = prim::RandomBitsOp::create(
      e.b, type, prim::RandomAlgorithm::philox, key, counter, ValueRange());
  int64_t block = draw.isWide() ? 2 : 4;
  return draw.finish(bits, llvm::divideCeil(type.getNumElements(), block));
}

/// Threefry2x32 with 20 rounds of the halves of `counter`.
std::pair<Value, Value> threefry(const Draw &draw, Value counter) {
  Translator &e = draw.e;
  constexpr int64_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  auto spreadOut = [&](Value x) { return spread(x, counter, e); };
  Value key = draw.word(0), a = draw.low(counter), b = draw.high(counter);
  Value first = draw.low(key), second = draw.high(key);
  Value third =
      e.binary<prim::BitwiseXorOp>(e.binary<prim::BitwiseXorOp>(first, second),
                                   e.integer(0x1BD11BDA, first));
  Value keys[3] = {spreadOut(first), spreadOut(second), spreadOut(third)};
  a = e.add(a, keys[0]);
  b = e.add(b, keys[1]);
  for (int64_t round = 0; round < 5; ++round) {
    for (int64_t by : rotations[round % 2]) {
      a = e.add(a, b);
      Value left = e.binary<prim::ShiftLeftOp>(b, e.integer(by, b));
      Value right =
          e.binary<prim::ShiftRightLogicalOp>(b, e.integer(32 - by, b));
      b = e.binary<prim::BitwiseXorOp>(e.binary<prim::BitwiseOrOp>(left, right),
                                       a);
    }
    a = e.add(a, keys[(round + 1) % 3]);
    b = e.add(b, keys[(round + 2) % 3]);
    b = e.add(b, e.integer(round + 1, b));
  }
  return {a, b};
}

/// Numbers from the counter on, in a shape.
Value countersOf(const Draw &draw, ArrayRef<int64_t> shape) {
  Translator &e = draw.e;
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  auto line = RankedTensorType::get({count}, e.b.getI64Type());
  Value steps = prim::IotaOp::create(e.b, line, ValueRange(), /*dim=*/0);
  return e.reshape(e.add(steps, spread(draw.word(1), steps, e)), shape);
}

/// Both words of a block make one element of 64 bits, or two of 32 that are
/// apart by half of a dimension: the first one of even size, else the largest.
LogicalResult threefry(const Draw &draw) {
  Translator &e = draw.e;
  SmallVector<int64_t> shape(draw.type.getShape());
  int64_t count = draw.type.getNumElements();
  if (draw.isWide()) {
    Value counter = countersOf(draw, shape);
    auto [a, b] = threefry(draw, counter);
    Value high = e.convert(b, e.b.getI64Type());
    Value bits = e.binary<prim::BitwiseOrOp>(
        e.binary<prim::ShiftLeftOp>(high, e.integer(32, high)),
        e.convert(a, e.b.getI64Type(), false, /*fromUnsigned=*/true));
    return draw.finish(bits, count);
  }
  if (shape.empty()) {
    Value counter = countersOf(draw, {});
    return draw.finish(threefry(draw, counter).first, 1);
  }
  auto even = [](int64_t size) { return size % 2 == 0; };
  auto split = llvm::find_if(shape, even);
  if (split == shape.end())
    split = llvm::max_element(shape);
  int64_t dim = split - shape.begin(), size = *split;
  SmallVector<int64_t> half(shape), whole(shape);
  half[dim] = llvm::divideCeil(size, 2);
  half.insert(half.begin() + dim + 1, 1);
  whole[dim] = 2 * half[dim];
  Value counter = countersOf(draw, half);
  auto [a, b] = threefry(draw, counter);
  Value bits = e.reshape(e.concat({a, b}, dim + 1), whole);
  int64_t blocks = e.typeOf(a).getNumElements();
  return draw.finish(e.sliceDim(bits, dim, 0, size), blocks);
}

LogicalResult bitGenerator(stablehlo::RngBitGeneratorOp op, Translator &e) {
  auto state = cast<RankedTensorType>(op.getInitialState().getType());
  auto type = partType(op, op.getOutput().getType(), e);
  if (failed(type))
    return failure();
  if (!isa<IntegerType>(type->getElementType()) ||
      type->getElementType().isInteger(1))
    return e.unsupported(op, "of numbers that are no integers");
  if (state.getRank() != 1 ||
      state.getElementType().getIntOrFloatBitWidth() != 64 ||
      state.getDimSize(0) < 2 || state.getDimSize(0) > 3)
    return e.unsupported(op, "with a state that is not two or three words of "
                             "64 bits");
  if (!type->hasStaticShape())
    return e.unsupported(op, "of a size that is not known");
  Draw draw{op.getOutputState(), op.getOutput(), e.get(op.getInitialState()),
            *type, e};
  return op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY
             ? threefry(draw)
             : philox(draw);
}

} // namespace

void addRandomRules(Rules &rules) {
  rules.add<stablehlo::RngBitGeneratorOp>(bitGenerator);
}

} // namespace kiln::stablehlo_to_prim
