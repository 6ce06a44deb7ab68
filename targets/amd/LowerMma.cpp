//===- LowerMma.cpp - MFMA and WMMA ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Float8.h"
#include "LowerOps.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

namespace {
class Mma {
public:
  Mma(simt::MmaOp op, const Chip &chip, OpBuilder &b)
      : op(op), b(b), loc(op.getLoc()), row(op.getRow().str()),
        isTransposed(chip.isTransposed()),
        multipliesBytes(!chip.float8Types().empty()) {
    // What `joinNext` has made of two is no row of the description.
    target::TargetAttr description = target::getDescription(op);
    if (auto known = description ? description.getMatrixInstruction(row)
                                 : target::MatrixInstructionAttr())
      row = known.getInstructionName().str();
  }

  LogicalResult run();

private:
  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  Value pack(ValueRange values);
  void narrow(SmallVectorImpl<Value> &lhs, SmallVectorImpl<Value> &rhs);
  Type registersOf(Type element, int64_t count);
  Value multiply(Value lhs, Value rhs, Value acc);
  Value multiplyBytes(Value lhs, bool isLhsUnsigned, Value rhs,
                      bool isRhsUnsigned, Value acc);
  Value multiplyScaled(ArrayRef<Value> lhs, ArrayRef<Value> rhs, Value acc);
  bool isWmma() const { return StringRef(row).starts_with("wmma"); }

  simt::MmaOp op;
  OpBuilder &b;
  Location loc;
  std::string row;
  bool isTransposed, multipliesBytes;
};
} // namespace

/// The type in which an intrinsic takes the elements of a lane.
Type Mma::registersOf(Type element, int64_t count) {
  unsigned bits = element.getIntOrFloatBitWidth() * unsigned(count);
  if (element.getIntOrFloatBitWidth() == 8) {
    // Words; MFMA takes two as one number.
    if (bits <= 32)
      return b.getI32Type();
    if (bits == 64 && !isWmma())
      return b.getI64Type();
    return VectorType::get({bits / 32}, b.getI32Type());
  }
  // Where bf16 has come later than the instruction, it is passed as bits.
  bool isBits =
      element.isBF16() && (isWmma() || !StringRef(row).ends_with(".bf16"));
  if (isBits)
    element = b.getI16Type();
  return count == 1 ? element : Type(VectorType::get({count}, element));
}

/// The elements that a lane has of an operand, in one value.
Value Mma::pack(ValueRange values) {
  Type element = values[0].getType(), plain = element;
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8)
    plain = b.getI8Type();
  auto count = int64_t(values.size());
  Value all;
  if (count == 1) {
    all = values[0];
  } else {
    all = LLVM::PoisonOp::create(b, loc, VectorType::get({count}, plain));
    for (auto [i, value] : llvm::enumerate(values)) {
      Value part = value;
      if (plain != element)
        part = arith::BitcastOp::create(b, loc, plain, part);
      all = LLVM::InsertElementOp::create(b, loc, all, part,
                                          constant(b.getI32Type(), int64_t(i)));
    }
  }
  Type type = registersOf(element, count);
  return all.getType() == type ? all
                               : LLVM::BitcastOp::create(b, loc, type, all);
}

Value Mma::multiply(Value lhs, Value rhs, Value acc) {
  SmallVector<Value> operands = {lhs, rhs, acc};
  // No broadcasts and permutations of blocks.
  if (!isWmma())
    for (int i = 0; i < 3; ++i)
      operands.push_back(constant(b.getI32Type(), 0));
  return callIntrinsic(b, loc, acc.getType(), row, operands);
}

/// Products of bytes. WMMA says which operand has a sign. All bytes of MFMA
/// have one: an unsigned byte is 128 more than the signed one of the same bits
/// with the upper bit changed, so that 128 times the sum of the other operand
/// is added, as two products with 64.
Value Mma::multiplyBytes(Value lhs, bool isLhsUnsigned, Value rhs,
                         bool isRhsUnsigned, Value acc) {
  if (isWmma()) {
    Type i1 = b.getI1Type();
    return callIntrinsic(b, loc, acc.getType(), row,
                         {constant(i1, !isLhsUnsigned), lhs,
                          constant(i1, !isRhsUnsigned), rhs, acc,
                          constant(i1, 0)});
  }
  auto filled = [&](Type type, uint8_t byte) -> Value {
    Type element = getElementTypeOrSelf(type);
    APInt bits =
        APInt::getSplat(element.getIntOrFloatBitWidth(), APInt(8, byte));
    TypedAttr attr = b.getIntegerAttr(element, bits);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, attr);
    return LLVM::ConstantOp::create(b, loc, type, attr);
  };
  auto signedBits = [&](Value value) -> Value {
    return LLVM::XOrOp::create(b, loc, value, filled(value.getType(), 0x80));
  };
  if (isLhsUnsigned) {
    Value half = filled(lhs.getType(), 64);
    for (int i = 0; i < 2; ++i)
      acc = multiplyBytes(half, false, rhs, isRhsUnsigned, acc);
    return multiplyBytes(signedBits(lhs), false, rhs, isRhsUnsigned, acc);
  }
  if (isRhsUnsigned) {
    Value half = filled(rhs.getType(), 64);
    for (int i = 0; i < 2; ++i)
      acc = multiply(lhs, half, acc);
    return multiply(lhs, signedBits(rhs), acc);
  }
  return multiply(lhs, rhs, acc);
}

/// The number that instructions with scales have for a format.
static int64_t formatCode(StringRef format) {
  return llvm::StringSwitch<int64_t>(format)
      .Case("e4m3", 0)
      .Case("e5m2", 1)
      .Case("e2m1", 4)
      .Default(-1);
}

/// Products by instructions with scales. The bytes of a lane are followed by
/// the scale of its block; without one all scales are 1.
Value Mma::multiplyScaled(ArrayRef<Value> lhs, ArrayRef<Value> rhs, Value acc) {
  StringRef name = row, format[2];
  std::tie(name, format[1]) = name.rsplit('.');
  std::tie(name, format[0]) = name.rsplit('.');
  if (isTransposed)
    std::swap(format[0], format[1]);
  Value none = constant(b.getI32Type(), 0);
  SmallVector<Value> factors, scales;
  for (ArrayRef<Value> values : {lhs, rhs}) {
    bool hasScale = values.size() % 2 != 0;
    scales.push_back(
        hasScale ? arith::ExtUIOp::create(b, loc, b.getI32Type(), values.back())
                       .getResult()
                 : none);
    Value bytes = pack(hasScale ? values.drop_back() : values);
    auto words = int64_t(values.size() / 4);
    factors.push_back(LLVM::BitcastOp::create(
        b, loc, VectorType::get({words}, b.getI32Type()), bytes));
  }
  SmallVector<Value> operands = {factors[0], factors[1], acc};
  for (StringRef one : format)
    operands.push_back(constant(b.getI32Type(), formatCode(one)));
  for (Value scale : scales)
    llvm::append_values(operands, none, scale);
  return callIntrinsic(b, loc, acc.getType(), (name + ".f8f6f4").str(),
                       operands);
}

/// Whether all factors were widened from one format of 8-bit floats.
static bool areWidened(ValueRange values) {
  return llvm::all_of(values, [&](Value value) {
    auto wider = value.getDefiningOp<arith::ExtFOp>();
    return wider && isFloat8(wider.getIn().getType()) &&
           wider.getIn().getType() ==
               values[0].getDefiningOp()->getOperand(0).getType();
  });
}

/// The instruction of CDNA3 for 8-bit floats that is as deep as two for wider
/// ones; empty: none.
static StringRef twiceAsDeep(StringRef row) {
  return llvm::StringSwitch<StringRef>(row)
      .Cases({"mfma.f32.32x32x8f16", "mfma.f32.32x32x8bf16.1k"},
             "mfma.f32.32x32x16.f8")
      .Cases({"mfma.f32.16x16x16f16", "mfma.f32.16x16x16bf16.1k"},
             "mfma.f32.16x16x32.f8")
      .Default("");
}

/// Makes one of two products of which the second adds to the first: of factors
/// that were widened from 8-bit floats, by the instruction that takes as many
/// of them. Both operands of it have the summed elements in the same order.
/// Returns whether the second one computes both.
static bool joinNext(simt::MmaOp op) {
  StringRef joined = twiceAsDeep(op.getRow());
  if (joined.empty() || !areWidened(op.getLhs()) || !areWidened(op.getRhs()) ||
      !op.getResults()[0].hasOneUse())
    return false;
  auto next = dyn_cast<simt::MmaOp>(*op.getResults()[0].user_begin());
  if (!next || next.getRow() != op.getRow() ||
      next.getAcc() != ValueRange(op.getResults()) ||
      !llvm::all_of(op.getResults(), [](Value v) { return v.hasOneUse(); }))
    return false;
  SmallVector<Value> lhs(op.getLhs()), rhs(op.getRhs());
  llvm::append_range(lhs, next.getLhs());
  llvm::append_range(rhs, next.getRhs());
  // Those of OCP are in other bits (RecodeFactors.cpp).
  auto isOwn = [](ArrayRef<Value> values) {
    return areWidened(values) &&
           isFnuz(values[0].getDefiningOp()->getOperand(0).getType());
  };
  if (!isOwn(lhs) || !isOwn(rhs))
    return false;
  for (SmallVectorImpl<Value> *factors : {&lhs, &rhs})
    for (Value &value : *factors)
      value = value.getDefiningOp<arith::ExtFOp>().getIn();
  next.getLhsMutable().assign(lhs);
  next.getRhsMutable().assign(rhs);
  next.getAccMutable().assign(op.getAcc());
  next.setRow(joined);
  return true;
}

/// Factors that were widened from 8-bit floats are multiplied as those, by the
/// instruction of the same shape: products and sums are the same.
void Mma::narrow(SmallVectorImpl<Value> &lhs, SmallVectorImpl<Value> &rhs) {
  StringRef name = row;
  bool isWide = name.consume_back(".f16") || name.consume_back(".bf16");
  if (!multipliesBytes || !isWide || !areWidened(lhs) || !areWidened(rhs))
    return;
  for (SmallVectorImpl<Value> *factors : {&lhs, &rhs})
    for (Value &value : *factors)
      value = value.getDefiningOp<arith::ExtFOp>().getIn();
  row = (name + ".f8").str();
}

LogicalResult Mma::run() {
  StringRef name = row;
  if (!(name.starts_with("mfma.") || name.starts_with("wmma.")) ||
      op.getLhs().empty() || op.getRhs().empty() || op.getAcc().empty())
    return op.emitError("unsupported: matrix instruction '") << row << "'";
  SmallVector<Value> first = op.getLhs(), second = op.getRhs();
  bool isFirstUnsigned = op->hasAttr("lhs_unsigned"),
       isSecondUnsigned = op->hasAttr("rhs_unsigned");
  if (isTransposed) {
    std::swap(first, second);
    std::swap(isFirstUnsigned, isSecondUnsigned);
  }
  auto define = [&](Value sum) {
    for (auto [i, result] : llvm::enumerate(op.getResults()))
      result.replaceAllUsesWith(LLVM::ExtractElementOp::create(
          b, loc, sum, constant(b.getI32Type(), int64_t(i))));
  };
  if (name.starts_with("mfma.scale.")) {
    define(multiplyScaled(first, second, pack(op.getAcc())));
    return success();
  }
  narrow(first, second);
  name = row;
  if (name.consume_back(".f8")) {
    auto kind = [](Value value) { return float8Name(value.getType()).str(); };
    row = name.str() + "." + kind(first[0]) + "." + kind(second[0]);
  }
  Value lhs = pack(first), rhs = pack(second), acc = pack(op.getAcc());
  Value sum =
      first[0].getType().isInteger(8)
          ? multiplyBytes(lhs, isFirstUnsigned, rhs, isSecondUnsigned, acc)
          : multiply(lhs, rhs, acc);
  define(sum);
  return success();
}

LogicalResult amd::lowerMma(simt::MmaOp op, const Chip &chip, OpBuilder &b) {
  if (chip.family == Family::CDNA3 && joinNext(op))
    return success();
  return Mma(op, chip, b).run();
}

LogicalResult amd::lowerLoadMatrix(simt::LoadMatrixOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  if (op.getWords().size() != 1 || !op.getWords()[0].getType().isInteger(64))
    return op.emitError("unsupported: a load of matrices that is not a number "
                        "of 64 bits for each lane");
  Type type = op.getMove().contains("tr16")
                  ? VectorType::get({4}, b.getI16Type())
                  : VectorType::get({2}, b.getI32Type());
  Value loaded = callIntrinsic(b, loc, type, op.getMove(), op.getAddress());
  op.getWords()[0].replaceAllUsesWith(
      LLVM::BitcastOp::create(b, loc, b.getI64Type(), loaded));
  return success();
}
