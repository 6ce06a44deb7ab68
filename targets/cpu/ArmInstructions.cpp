//===- ArmInstructions.cpp - Matrix instructions of AArch64 and RISC-V ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixInstructions.h"
#include "kiln/Cpu/MatrixInstructions.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;

constexpr int64_t kNeonBits = 128;

static int64_t bitsOf(VectorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth();
}

namespace {
/// An instruction on the registers of NEON and on those of SVE, whose names in
/// LLVM differ in one part.
struct ArmInstruction {
  StringRef row, stem;
  /// Its left factor is the right one of the row, whose left one is the same in
  /// all lanes: the instruction's last operand may be one lane of a register.
  bool isSwapped = false;
  bool isBf16 = false;
  int64_t down = 1;
};
} // namespace

const ArmInstruction kArmInstructions[] = {
    {"sdot", "sdot", /*isSwapped=*/true},
    {"udot", "udot", true},
    {"usdot", "usdot"},
    {"usdot.swapped", "usdot", true},
    {"bfdot", "bfdot", true, /*isBf16=*/true},
    {"smmla", "smmla", false, false, /*down=*/2},
    {"ummla", "ummla", false, false, 2},
    {"usmmla", "usmmla", false, false, 2},
    {"bfmmla", "bfmmla", false, true, 2},
};

/// The type of a scalable register whose length is known to be that of `type`.
static VectorType scalableOf(VectorType type) {
  int64_t lanes = kNeonBits / type.getElementTypeBitWidth();
  return VectorType::get({lanes}, type.getElementType(), {true});
}

static Value toScalable(OpBuilder &b, Location loc, Value value) {
  VectorType type = scalableOf(cast<VectorType>(value.getType()));
  Value rest = LLVM::PoisonOp::create(b, loc, type);
  return LLVM::vector_insert::create(b, loc, type, rest, value, 0);
}

/// The bits of a register as floats of 16 bits.
static Value asBf16(OpBuilder &b, Location loc, Value bits) {
  auto type = cast<VectorType>(bits.getType());
  return LLVM::BitcastOp::create(b, loc, type.clone(b.getBF16Type()), bits);
}

/// sum + x * y by one instruction.
static Value multiply(OpBuilder &b, Location loc,
                      const ArmInstruction &instruction, Value x, Value y,
                      Value sum) {
  auto type = cast<VectorType>(sum.getType());
  if (instruction.isSwapped)
    std::swap(x, y);
  bool isNeon = bitsOf(type) == kNeonBits;
  SmallVector<Value> operands = {sum, x, y};
  if (!isNeon)
    for (Value &operand : operands)
      operand = toScalable(b, loc, operand);
  if (instruction.isBf16)
    for (Value &factor : MutableArrayRef(operands).drop_front())
      factor = asBf16(b, loc, factor);
  auto name = b.getStringAttr(
      (isNeon ? "llvm.aarch64.neon." : "llvm.aarch64.sve.") + instruction.stem);
  Value result = LLVM::CallIntrinsicOp::create(
                     b, loc, operands.front().getType(), name, operands)
                     .getResult(0);
  return isNeon ? result
                : LLVM::vector_extract::create(b, loc, type, result, 0);
}

/// sum + x * y, where the factors are floats of 16 bits and x is the same in
/// all lanes. `bits` is the length of one register; the scalable types of LLVM
/// are those of registers of 64 bits.
static Value multiplyWidened(OpBuilder &b, Location loc, StringRef name,
                             Type element, int64_t bits, Value x, Value y,
                             Value sum) {
  constexpr int64_t kLeastBits = 64, kAnyRounding = 7, kAgnostic = 3;
  auto type = cast<VectorType>(sum.getType());
  int64_t lanes = type.getNumElements() * kLeastBits / bits;
  auto scalable = [&](Value value) -> Value {
    auto to = VectorType::get(
        {lanes}, cast<VectorType>(value.getType()).getElementType(), {true});
    Value rest = LLVM::PoisonOp::create(b, loc, to);
    return LLVM::vector_insert::create(b, loc, to, rest, value, 0);
  };
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  Value accumulator = scalable(sum), right = scalable(y);
  right = LLVM::BitcastOp::create(
      b, loc, cast<VectorType>(right.getType()).clone(element), right);
  Value left = LLVM::BitcastOp::create(
      b, loc, element, vector::ExtractOp::create(b, loc, x, int64_t(0)));
  Value result =
      LLVM::CallIntrinsicOp::create(
          b, loc, accumulator.getType(), b.getStringAttr("llvm.riscv." + name),
          ValueRange{accumulator, left, right, number(kAnyRounding),
                     number(type.getNumElements()), number(kAgnostic)})
          .getResult(0);
  return LLVM::vector_extract::create(b, loc, type, result, 0);
}

/// Elements of a register of the accumulator.
static int64_t lanesOf(cpu::MicroKernelOp op, int64_t down) {
  target::TargetAttr description = target::getDescription(op);
  auto row = description.getMatrixInstruction(*op.getRow());
  return row.getN().getMin() * down;
}

void cpu_target::addArmInstructions() {
  for (const ArmInstruction &instruction : kArmInstructions)
    cpu::addMatrixInstruction(
        {instruction.row.str(),
         [&](cpu::MicroKernelOp op, RewriterBase &b) -> LogicalResult {
           int64_t lanes = lanesOf(op, instruction.down);
           int64_t bits = lanes * op.getAccType().getIntOrFloatBitWidth();
           if (bits < kNeonBits || bits % kNeonBits)
             return op.emitOpError()
                    << "unsupported: matrix instruction '" << *op.getRow()
                    << "' on registers of " << bits << " bits";
           return cpu::lowerToRegisterBlock(
               op, b, lanes,
               [&](OpBuilder &b, Location loc, Value x, Value y, Value sum) {
                 return multiply(b, loc, instruction, x, y, sum);
               },
               /*unroll=*/bits > kNeonBits ? 2 : 4, instruction.down);
         },
         nullptr, nullptr});
}

void cpu_target::addRiscvInstructions() {
  for (StringRef name : {"vfwmacc", "vfwmaccbf16"})
    cpu::addMatrixInstruction(
        {name.str(),
         [](cpu::MicroKernelOp op, RewriterBase &b) -> LogicalResult {
           int64_t bits = target::getDescription(op)
                              .getUnitOfKind(target::UnitKind::Vector)
                              .getBits();
           int64_t lanes = lanesOf(op, 1);
           constexpr int64_t kSumBits = 32;
           if (lanes * kSumBits < bits)
             return op.emitOpError()
                    << "unsupported: matrix instruction '" << *op.getRow()
                    << "' with " << lanes
                    << " columns, expected those of a whole register";
           return cpu::lowerToRegisterBlock(
               op, b, lanes,
               [&](OpBuilder &b, Location loc, Value x, Value y, Value sum) {
                 return multiplyWidened(b, loc, *op.getRow(), op.getLhsType(),
                                        bits, x, y, sum);
               });
         },
         nullptr, nullptr});
}
