//===- AtomicWords.cpp - Neighbouring floats added together ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AtomicWords.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Gpu/Lowering.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace kiln;

/// Whether a chip, as sm_90a, is of the generation that adds two bf16 at once,
/// and up to four words or f32 (PTX ISA, red).
static bool addsManyWords(Operation *op) {
  constexpr unsigned kFirst = 90;
  target::TargetAttr description = target::getDescription(op);
  unsigned compute = 0;
  StringRef chip = description ? description.getChip() : StringRef();
  chip.consume_front("sm_");
  return !chip.consumeInteger(10, compute) && compute >= kFirst;
}

static bool isGlobal(simt::AtomicRMWOp op) {
  return cast<LLVM::LLVMPointerType>(op.getAddress().getType())
             .getAddressSpace() == simt::kGlobal;
}

/// Whether instructions add the floats of a vector several at a time.
static bool areAdded(simt::AtomicRMWOp op) {
  auto vector = dyn_cast<VectorType>(op.getType());
  if (!vector || vector.getNumElements() % 2 || !op->use_empty() ||
      op.getKind() != LLVM::AtomicBinOp::fadd)
    return false;
  if (vector.getElementType().isF32())
    return addsManyWords(op) && isGlobal(op);
  return vector.getElementType().isF16() ||
         (vector.getElementType().isBF16() && addsManyWords(op));
}

/// The order of an instruction that returns nothing: what it finds orders
/// nothing behind it.
static StringRef orderOf(simt::AtomicRMWOp op) {
  switch (op.getOrder()) {
  case LLVM::AtomicOrdering::release:
  case LLVM::AtomicOrdering::acq_rel:
    return "release";
  default:
    return "relaxed";
  }
}

static StringRef scopeOf(simt::AtomicRMWOp op) {
  switch (op.getScope()) {
  case tile::MemoryScope::instance:
    return "cta";
  case tile::MemoryScope::device:
    return "gpu";
  default:
    return "sys";
  }
}

/// Adds neighbouring words by one instruction.
static void addWords(simt::AtomicRMWOp op, Value address, ValueRange words,
                     OpBuilder &b) {
  Type element = cast<VectorType>(op.getType()).getElementType();
  StringRef modifier = element.isF32() ? "" : ".noftz",
            type = element.isF32()   ? "f32"
                   : element.isF16() ? "f16x2"
                                     : "bf16x2",
            constraint = element.isF32() ? ",f" : ",r";
  SmallVector<Value> operands = {address};
  llvm::append_range(operands, words);
  std::string count, list = "$1", constraints = "l";
  constraints += constraint;
  if (words.size() > 1) {
    count = llvm::formatv(".v{0}", words.size());
    for (size_t i = 1; i < words.size(); ++i) {
      list += llvm::formatv(", ${0}", i + 1);
      constraints += constraint;
    }
    list = "{" + list + "}";
  }
  std::string text = llvm::formatv(
      "red.{0}.{1}{2}.add{3}{4}.{5} [$0], {6};", orderOf(op), scopeOf(op),
      isGlobal(op) ? ".global" : "", modifier, count, type, list);
  LLVM::InlineAsmOp::create(
      b, op.getLoc(), TypeRange(), operands, text, constraints + ",~{memory}",
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

/// The words of a vector: its f32, or its floats of 16 bits by two.
static SmallVector<Value> wordsOf(Value vector, Location loc, OpBuilder &b) {
  auto type = cast<VectorType>(vector.getType());
  Type i32 = b.getI32Type();
  if (!type.getElementType().isF32()) {
    int64_t count = type.getNumElements() / 2;
    if (count == 1)
      return {LLVM::BitcastOp::create(b, loc, i32, vector)};
    type = VectorType::get({count}, i32);
    vector = LLVM::BitcastOp::create(b, loc, type, vector);
  }
  SmallVector<Value> words;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    words.push_back(LLVM::ExtractElementOp::create(
        b, loc, vector,
        LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(i)))));
  return words;
}

bool nvidia::lowerAtomicWords(Operation *op, OpBuilder &b) {
  auto rmw = dyn_cast<simt::AtomicRMWOp>(op);
  if (!rmw || !areAdded(rmw))
    return false;
  Location loc = rmw.getLoc();
  SmallVector<Value> words = wordsOf(rmw.getValue(), loc, b);
  int64_t count = words.size();
  // Only accesses to global memory take several words.
  int64_t together =
      addsManyWords(op) && isGlobal(rmw) ? std::min<int64_t>(count, 4) : 1;
  for (int64_t i = 0; i < count; i += together) {
    Value address = rmw.getAddress();
    if (i)
      address =
          LLVM::GEPOp::create(b, loc, address.getType(), b.getI32Type(),
                              address, ArrayRef<LLVM::GEPArg>{int32_t(i)});
    addWords(rmw, address, ValueRange(words).slice(i, together), b);
  }
  rmw->erase();
  return true;
}
