//===- AtomicWords.cpp - Floats of 16 bits added in words -----------------===//
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
/// and up to four words (PTX ISA, red).
static bool addsManyWords(Operation *op) {
  constexpr unsigned kFirst = 90;
  target::TargetAttr description = target::getDescription(op);
  unsigned compute = 0;
  StringRef chip = description ? description.getChip() : StringRef();
  chip.consume_front("sm_");
  return !chip.consumeInteger(10, compute) && compute >= kFirst;
}

/// Whether instructions add the floats of a vector in words.
static bool areAdded(simt::AtomicRMWOp op) {
  auto vector = dyn_cast<VectorType>(op.getType());
  if (!vector || vector.getNumElements() % 2 || !op->use_empty() ||
      op.getKind() != LLVM::AtomicBinOp::fadd)
    return false;
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
  auto type = cast<VectorType>(op.getType());
  bool isGlobal = cast<LLVM::LLVMPointerType>(op.getAddress().getType())
                      .getAddressSpace() == simt::kGlobal;
  SmallVector<Value> operands = {address};
  llvm::append_range(operands, words);
  std::string count, list = "$1", constraints = "l,r";
  if (words.size() > 1) {
    count = llvm::formatv(".v{0}", words.size());
    for (size_t i = 1; i < words.size(); ++i) {
      list += llvm::formatv(", ${0}", i + 1);
      constraints += ",r";
    }
    list = "{" + list + "}";
  }
  std::string text =
      llvm::formatv("red.{0}.{1}{2}.add.noftz{3}.{4}x2 [$0], {5};", orderOf(op),
                    scopeOf(op), isGlobal ? ".global" : "", count,
                    type.getElementType().isF16() ? "f16" : "bf16", list);
  LLVM::InlineAsmOp::create(
      b, op.getLoc(), TypeRange(), operands, text, constraints + ",~{memory}",
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

bool nvidia::lowerAtomicWords(Operation *op, OpBuilder &b) {
  auto rmw = dyn_cast<simt::AtomicRMWOp>(op);
  if (!rmw || !areAdded(rmw))
    return false;
  Location loc = rmw.getLoc();
  auto pointer = cast<LLVM::LLVMPointerType>(rmw.getAddress().getType());
  int64_t count = cast<VectorType>(rmw.getType()).getNumElements() / 2;
  Type i32 = b.getI32Type();
  Value all = rmw.getValue();
  SmallVector<Value> words;
  if (count == 1) {
    words.push_back(LLVM::BitcastOp::create(b, loc, i32, all));
  } else {
    all = LLVM::BitcastOp::create(b, loc, VectorType::get({count}, i32), all);
    for (int64_t i = 0; i < count; ++i)
      words.push_back(LLVM::ExtractElementOp::create(
          b, loc, all,
          LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(i)))));
  }
  // Only accesses to global memory take several words.
  int64_t together =
      addsManyWords(op) && pointer.getAddressSpace() == simt::kGlobal
          ? std::min<int64_t>(count, 4)
          : 1;
  for (int64_t i = 0; i < count; i += together) {
    Value address = rmw.getAddress();
    if (i)
      address = LLVM::GEPOp::create(b, loc, pointer, i32, address,
                                    ArrayRef<LLVM::GEPArg>{int32_t(i)});
    addWords(rmw, address, ValueRange(words).slice(i, together), b);
  }
  rmw->erase();
  return true;
}
