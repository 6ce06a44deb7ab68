//===- LowerCopies.cpp - cp.async -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA 8.8, "Data Movement and Conversion Instructions: cp.async", from
// sm_80 on. 16 bytes go past the first cache.
//
//===----------------------------------------------------------------------===//

#include "LowerCopies.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;

/// Takes what is added to an address as a constant off it: the instruction adds
/// it, which the assembler does not always find for itself.
static int64_t takeConstant(Value &address) {
  constexpr int64_t kMost = 1 << 22;
  int64_t sum = 0;
  while (auto moved = address.getDefiningOp<LLVM::GEPOp>()) {
    if (moved.getIndices().size() != 1)
      break;
    APInt by;
    auto index = moved.getIndices()[0];
    if (auto constant = dyn_cast<IntegerAttr>(index))
      by = constant.getValue();
    else if (!matchPattern(cast<Value>(index), m_ConstantInt(&by)))
      break;
    unsigned bits = isa<LLVM::LLVMPointerType>(moved.getElemType())
                        ? 64
                        : moved.getElemType().getIntOrFloatBitWidth();
    int64_t bytes = by.getSExtValue() * llvm::divideCeil(bits, 8);
    if (std::abs(sum + bytes) > kMost)
      break;
    sum += bytes;
    address = moved.getBase();
  }
  return sum;
}

/// The value and the constant of `value > constant`, of 32 bits, if that is
/// what makes a predicate.
static std::optional<std::pair<Value, int64_t>> greaterThan(Value predicate) {
  Operation *op = predicate.getDefiningOp();
  bool isGreater = false;
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op))
    isGreater = compare.getPredicate() == arith::CmpIPredicate::sgt;
  else if (auto compare = dyn_cast_or_null<LLVM::ICmpOp>(op))
    isGreater = compare.getPredicate() == LLVM::ICmpPredicate::sgt;
  APInt constant;
  if (!isGreater || !op->getOperand(0).getType().isInteger(32) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
    return std::nullopt;
  return std::make_pair(op->getOperand(0), constant.getSExtValue());
}

bool nvidia::hasManyLimits(Operation *function) {
  // Seven predicates have registers of their own. Of some more the assembler
  // makes bits of one; of many it keeps a register for each.
  constexpr size_t kMany = 16;
  llvm::DenseSet<std::pair<Value, int64_t>> limits;
  function->walk([&](simt::CopyAsyncOp copy) {
    if (copy.getValid())
      if (auto greater = greaterThan(copy.getValid()))
        limits.insert(*greater);
  });
  return limits.size() > kMany;
}

void nvidia::lowerCopies(Operation *op, OpBuilder &b, bool comparesAnew) {
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  std::string text, constraints = "~{memory}";
  if (auto copy = dyn_cast<simt::CopyAsyncOp>(op)) {
    Value to = copy.getTarget(), from = copy.getSource();
    int64_t toMore = takeConstant(to), fromMore = takeConstant(from);
    operands = {LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), to), from};
    constraints = "r,l";
    auto add = [&](Value value, StringRef letter) {
      operands.push_back(value);
      constraints += ("," + letter).str();
      return operands.size() - 1;
    };
    bool isLarge = copy.getBytes() == 16;
    std::string size;
    if (Value valid = copy.getValid()) {
      if (auto greater = comparesAnew
                             ? greaterThan(valid)
                             : std::optional<std::pair<Value, int64_t>>()) {
        text = llvm::formatv("{{ .reg .b32 size; .reg .pred valid; setp.gt.s32 "
                             "valid, ${0}, {1}; "
                             "selp.b32 size, {2}, 0, valid; ",
                             add(greater->first, "r"), greater->second,
                             copy.getBytes());
        size = ", size";
      } else if (valid.getType().isInteger(1)) {
        // The assembler makes a predicate of this, and arithmetic of all else.
        text = llvm::formatv("{{ .reg .b32 size; selp.b32 size, {0}, 0, ${1}; ",
                             copy.getBytes(), add(valid, "b"));
        size = ", size";
      } else {
        size = llvm::formatv(", ${0}", add(valid, "r"));
      }
    }
    if (copy.getMask())
      text += llvm::formatv("@${0} ", add(copy.getMask(), "b"));
    bool isBlock = StringRef(text).starts_with("{");
    text += llvm::formatv(
        "cp.async.{0}.shared.global [$0 + {1}], [$1 + {2}], {3}{4};{5}",
        isLarge ? "cg" : "ca", toMore, fromMore, copy.getBytes(), size,
        isBlock ? " }" : "");
    constraints += ",~{memory}";
  } else if (auto wait = dyn_cast<simt::WaitCopiesOp>(op)) {
    text = llvm::formatv("cp.async.wait_group {0};", wait.getBut());
  } else {
    text = "cp.async.commit_group;";
  }
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), operands, text, constraints,
                            /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}
