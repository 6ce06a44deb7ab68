//===- LowerMma.cpp - mma.sync, ldmatrix and stmatrix ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA 8.8, "Warp-level matrix instructions: mma". Written as assembly: what
// LLVM and MLIR have of mma leaves out types.
//
//===----------------------------------------------------------------------===//

#include "LowerMma.h"
#include "Chips.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

namespace {
class Mma {
public:
  Mma(simt::MmaOp op, OpBuilder &b) : op(op), b(b), loc(op.getLoc()) {}

  LogicalResult run();

private:
  SmallVector<Value> pack(OperandRange values);
  SmallVector<Value> unpack(ArrayRef<Value> words, Type element);
  static char constraint(Type type) {
    return type.isF64() ? 'd' : type.isF32() ? 'f' : 'r';
  }

  simt::MmaOp op;
  OpBuilder &b;
  Location loc;
};
} // namespace

/// Narrow numbers by words of 32 bits, the first one lowest.
SmallVector<Value> Mma::pack(OperandRange values) {
  Type element = values[0].getType();
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits >= 32)
    return values;
  unsigned each = 32 / bits;
  Type i32 = b.getI32Type();
  SmallVector<Value> words, plain(values);
  if (bits == 8 && isa<FloatType>(element)) {
    element = b.getI8Type();
    for (Value &value : plain)
      value = arith::BitcastOp::create(b, loc, element, value);
  }
  for (size_t i = 0; i < plain.size(); i += each) {
    Value list =
        LLVM::PoisonOp::create(b, loc, VectorType::get({each}, element));
    for (unsigned j = 0; j < each; ++j)
      list = LLVM::InsertElementOp::create(
          b, loc, list, plain[i + j],
          LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(j)));
    words.push_back(LLVM::BitcastOp::create(b, loc, i32, list));
  }
  return words;
}

SmallVector<Value> Mma::unpack(ArrayRef<Value> words, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits >= 32)
    return SmallVector<Value>(words);
  unsigned each = 32 / bits;
  SmallVector<Value> values;
  for (Value word : words) {
    Value list =
        LLVM::BitcastOp::create(b, loc, VectorType::get({each}, element), word);
    for (unsigned j = 0; j < each; ++j)
      values.push_back(LLVM::ExtractElementOp::create(
          b, loc, list,
          LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(j))));
  }
  return values;
}

LogicalResult Mma::run() {
  // mma.m16n8k16.f32.bf16: shape, accumulator, factors.
  SmallVector<StringRef> parts;
  op.getRow().split(parts, '.');
  if (parts.size() != 4 || parts[0] != "mma" || op.getLhs().empty() ||
      op.getRhs().empty() || op.getAcc().empty())
    return op.emitError("unsupported: matrix instruction '")
           << op.getRow() << "'";
  StringRef factors = parts[3];
  std::string lhs = factors.str(), rhs = lhs, acc = parts[2].str();
  std::string extra;
  if (factors == "i8") {
    lhs = op.getLhsUnsigned() ? "u8" : "s8";
    rhs = op.getRhsUnsigned() ? "u8" : "s8";
    acc = "s32";
  } else if (factors == "f8") {
    auto name = [](Type type) {
      return isa<Float8E5M2Type>(type) ? "e5m2" : "e4m3";
    };
    lhs = name(op.getLhs()[0].getType());
    rhs = name(op.getRhs()[0].getType());
  }
  SmallVector<Value> groups[] = {pack(op.getLhs()), pack(op.getRhs()),
                                 pack(op.getAcc())};
  SmallVector<Value> operands;
  std::string constraints, lists[4];
  unsigned next = 0;
  auto list = [&](unsigned count) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
      text += llvm::formatv("{0}${1}", i ? "," : "", next++);
    return text + "}";
  };
  // Bits where the instruction takes bits.
  Type result = groups[2][0].getType();
  char letter = constraint(result);
  for (size_t i = 0; i < groups[2].size(); ++i)
    constraints += llvm::formatv("{0}={1}", i ? "," : "", letter);
  lists[0] = list(groups[2].size());
  for (int g = 0; g < 3; ++g) {
    for (Value value : groups[g]) {
      char kind = constraint(value.getType());
      if (g < 2 && value.getType().isF32()) {
        value = LLVM::BitcastOp::create(b, loc, b.getI32Type(), value);
        kind = 'r';
      }
      operands.push_back(value);
      constraints += llvm::formatv(",{0}", kind);
    }
    lists[g + 1] = list(groups[g].size());
  }
  std::string text = llvm::formatv(
      "mma.sync.aligned.{0}.row.col{1}.{2}.{3}.{4}.{2} {5}, {6}, {7}, {8};",
      parts[1], extra, acc, lhs, rhs, lists[0], lists[1], lists[2], lists[3]);
  Type type = result;
  size_t count = groups[2].size();
  if (count > 1)
    type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                            SmallVector<Type>(count, result));
  auto assembly = LLVM::InlineAsmOp::create(
      b, loc, type, operands, text, constraints, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> words;
  for (size_t i = 0; i < count; ++i)
    words.push_back(count == 1 ? assembly.getResult(0)
                               : Value(LLVM::ExtractValueOp::create(
                                     b, loc, assembly.getResult(0),
                                     ArrayRef<int64_t>{int64_t(i)})));
  op.replaceAllUsesWith(unpack(words, op.getAcc()[0].getType()));
  return success();
}

LogicalResult nvidia::lowerMma(simt::MmaOp op, OpBuilder &b) {
  return Mma(op, b).run();
}

/// The order of a tile move of the description (`kTransposedMove`).
static NVVM::MMALayout orderOf(StringRef move) {
  return move.ends_with(kTransposedMove) ? NVVM::MMALayout::col
                                         : NVVM::MMALayout::row;
}

/// Eight rows of eight numbers of 16 bits.
static NVVM::LdStMatrixShapeAttr shapeOf(OpBuilder &b) {
  return NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
}

void nvidia::lowerLoadMatrix(simt::LoadMatrixOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  unsigned count = op.getWords().size();
  Type i32 = b.getI32Type(), type = i32;
  if (count > 1)
    type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                            SmallVector<Type>(count, i32));
  Value all = NVVM::LdMatrixOp::create(b, loc, type, op.getAddress(), count,
                                       orderOf(op.getMove()), shapeOf(b),
                                       NVVM::LdStMatrixEltType::B16);
  for (auto [i, word] : llvm::enumerate(op.getWords()))
    word.replaceAllUsesWith(
        count == 1 ? all
                   : Value(LLVM::ExtractValueOp::create(
                         b, loc, all, ArrayRef<int64_t>{int64_t(i)})));
}

void nvidia::lowerStoreMatrix(simt::StoreMatrixOp op, OpBuilder &b) {
  NVVM::StMatrixOp::create(b, op.getLoc(), op.getAddress(), op.getWords(),
                           orderOf(op.getMove()), shapeOf(b),
                           NVVM::LdStMatrixEltType::B16);
}
