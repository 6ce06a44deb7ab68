//===- InlineAsm.cpp - Assembly on packs of elements ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts keep the elements of a pack in neighbouring registers of a thread;
// here they come to share registers of the machine as `tile.inline_asm` says.
//
//===----------------------------------------------------------------------===//

#include "FirstCopies.h"
#include "LayoutChoice.h"
#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Gpu/Lowering.h"
#include "kiln/Transforms/Tile/Passes.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// How elements of a type lie in registers.
struct Packing {
  Type element;      ///< of the tile, as a scalar
  Type word;         ///< its bits where it shares or travels as an integer
  int64_t shared;    ///< elements of a register
  int64_t registers; ///< of a pack

  Packing(Type type, int64_t pack) {
    element = ThreadBuilder::scalarType(getElementTypeOrSelf(type));
    int64_t bytes = ThreadBuilder::storedBytes(element);
    shared = std::clamp<int64_t>(4 / bytes, 1, pack);
    registers = pack / shared;
    bool isWhole = element.isF32() || element.isF64();
    word = isWhole ? element : IntegerType::get(type.getContext(), bytes * 8);
  }
  Type type() const {
    return shared == 1
               ? word
               : IntegerType::get(word.getContext(),
                                  word.getIntOrFloatBitWidth() * shared);
  }
};
} // namespace

static Value toWord(ThreadWriter &w, Value value, const Packing &packing) {
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return LLVM::PtrToIntOp::create(w.b, w.loc, packing.word, value);
  value = w.toStored(value);
  if (value.getType() == packing.word)
    return value;
  return arith::BitcastOp::create(w.b, w.loc, packing.word, value);
}

static Value fromWord(ThreadWriter &w, Value word, const Packing &packing) {
  if (isa<LLVM::LLVMPointerType>(packing.element))
    return LLVM::IntToPtrOp::create(w.b, w.loc, packing.element, word);
  Type stored = ThreadBuilder::storedType(packing.element);
  if (word.getType() != stored)
    word = arith::BitcastOp::create(w.b, w.loc, stored, word);
  return w.fromStored(word, packing.element);
}

/// The first element in the low bits.
static Value join(ThreadWriter &w, ArrayRef<Value> words,
                  const Packing &packing) {
  if (packing.shared == 1)
    return words[0];
  Value all;
  int64_t bits = packing.word.getIntOrFloatBitWidth();
  for (auto [i, word] : llvm::enumerate(words)) {
    Value part = arith::ExtUIOp::create(w.b, w.loc, packing.type(), word);
    if (i)
      part = arith::ShLIOp::create(w.b, w.loc, part,
                                   w.constant(part.getType(), bits * i));
    all = all ? w.or_(all, part) : part;
  }
  return all;
}

static Value part(ThreadWriter &w, Value all, int64_t i,
                  const Packing &packing) {
  if (packing.shared == 1)
    return all;
  int64_t bits = packing.word.getIntOrFloatBitWidth();
  if (i)
    all = arith::ShRUIOp::create(w.b, w.loc, all,
                                 w.constant(all.getType(), bits * i));
  return arith::TruncIOp::create(w.b, w.loc, packing.word, all);
}

/// What `make` gives where `once` holds (null: everywhere), else zeros.
static ValueRange runOnce(ThreadWriter &w, Value once, TypeRange types,
                          function_ref<ValueRange()> make) {
  if (!once)
    return make();
  auto choice = scf::IfOp::create(w.b, w.loc, types, once,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/!types.empty());
  OpBuilder::InsertionGuard guard(w.b);
  w.b.setInsertionPointToEnd(choice.thenBlock());
  scf::YieldOp::create(w.b, w.loc, make());
  if (!types.empty()) {
    w.b.setInsertionPointToEnd(choice.elseBlock());
    SmallVector<Value> zeros;
    for (Type type : types)
      zeros.push_back(w.zero(type));
    scf::YieldOp::create(w.b, w.loc, zeros);
  }
  return choice.getResults();
}

/// The type of the tiles of an operation, which have one layout and one shape;
/// null where there are none.
static RankedTensorType tileOf(tile::InlineAsmOp op) {
  RankedTensorType tile;
  for (TypeRange types :
       {TypeRange(op.getOperandTypes()), TypeRange(op.getResultTypes())})
    for (Type type : types)
      if (auto ranked = dyn_cast<RankedTensorType>(type))
        tile = ranked;
  return tile;
}

static ScratchNeeds inlineAsmNeeds(tile::InlineAsmOp op,
                                   const BlockShape &block) {
  ScratchNeeds needs;
  RankedTensorType tile = tileOf(op);
  // Every thread runs it for elements of its own.
  if (op.getPure() ||
      (tile && !ThreadBuilder::copyMask(getLayout(tile), block.laneBits(),
                                        block.warpBits())))
    return needs;
  for (Value result : op.getResults()) {
    if (result.use_empty())
      continue;
    auto type = dyn_cast<RankedTensorType>(result.getType());
    needs.push_back(
        type ? firstCopiesNeed(type.getShape(), type.getElementType())
             : firstCopyNeed());
  }
  return needs;
}

static LogicalResult lowerAssembly(tile::InlineAsmOp op, ThreadWriter &w) {
  int64_t pack = op.getPack();
  RankedTensorType tile = tileOf(op);
  LayoutAttr layout = tile ? getLayout(tile) : LayoutAttr();
  int64_t count = layout ? layout.getNumRegisters() : 1;
  // What has effects runs once, by whom does not matter.
  Value once;
  if (!op.getPure()) {
    once = layout ? w.isFirstCopy(layout)
                  : w.compare(arith::CmpIPredicate::eq, w.threadId(), w.c32(0));
    if (tile && llvm::any_of(tile.getShape(),
                             [](int64_t n) { return !llvm::isPowerOf2_64(n); }))
      return w.decline(op, "inline assembly with effects on tiles whose sizes "
                           "are not powers of two");
  }
  int64_t step = std::min(pack, count);
  if (tile && pack > 1) {
    if (llvm::any_of(tile.getShape(),
                     [](int64_t n) { return !llvm::isPowerOf2_64(n); }))
      return w.decline(op, "inline assembly on packs of a tile whose sizes are "
                           "not powers of two");
    // The elements of a pack follow each other.
    for (int64_t reg = 0; reg < std::min(pack, tile.getNumElements()); ++reg) {
      int64_t rest = reg;
      auto at = reg < count ? layout.getRegisterOffset(reg)
                            : LayoutAttr::Basis(tile.getRank(), -1);
      for (int64_t d = tile.getRank(); d-- > 0;) {
        if (at[d] != rest % tile.getDimSize(d))
          return op->emitOpError("has packs that no thread holds");
        rest /= tile.getDimSize(d);
      }
    }
  }
  SmallVector<Packing> in, out;
  for (Type type : op.getOperandTypes())
    in.emplace_back(type, pack);
  SmallVector<Type> results;
  for (Type type : op.getResultTypes()) {
    out.emplace_back(type, pack);
    results.append(out.back().registers, out.back().type());
  }
  SmallVector<Regs> made(op.getNumResults());
  for (int64_t first = 0; first < count; first += step) {
    SmallVector<Value> operands;
    for (unsigned k = 0; k < in.size(); ++k) {
      Value value = op.getOperands()[k];
      const Packing &packing = in[k];
      bool isTile = isa<RankedTensorType>(value.getType());
      auto word = [&](int64_t i) {
        // What is missing of the last pack may be anything.
        if (isTile ? i >= step : i > 0)
          return w.zero(packing.word);
        return toWord(w,
                      isTile ? w.registers(value)[first + i] : w.scalar(value),
                      packing);
      };
      for (int64_t i = 0; i < pack; i += packing.shared) {
        SmallVector<Value> words;
        for (int64_t j = 0; j < packing.shared; ++j)
          words.push_back(word(i + j));
        operands.push_back(join(w, words, packing));
      }
    }
    auto make = [&]() -> ValueRange {
      return simt::InlineAsmOp::create(w.b, w.loc, results, op.getText(),
                                       op.getIsa(), op.getConstraints(),
                                       op.getPure(), operands)
          .getResults();
    };
    ValueRange values = runOnce(w, once, results, make);
    unsigned next = 0;
    for (auto [packing, regs] : llvm::zip_equal(out, made)) {
      for (int64_t i = 0; i < step; ++i)
        regs.push_back(fromWord(w,
                                part(w, values[next + i / packing.shared],
                                     i % packing.shared, packing),
                                packing));
      next += packing.registers;
    }
  }
  for (auto [result, regs] : llvm::zip_equal(op.getResults(), made)) {
    bool isCopied = once && !result.use_empty();
    if (!isa<RankedTensorType>(result.getType())) {
      w.define(result, isCopied ? shareFirstCopy(w, once, regs[0]) : regs[0]);
      continue;
    }
    if (isCopied)
      shareFirstCopies(w, once, layout, tile.getShape(), regs);
    w.define(result, std::move(regs));
  }
  return success();
}

void simt::lowerInlineAsm(InlineAsmOp op, OpBuilder &b) {
  SmallVector<Type> types(op.getResultTypes()), results;
  if (types.size() == 1)
    results = types;
  else if (!types.empty())
    results.push_back(LLVM::LLVMStructType::getLiteral(b.getContext(), types));
  auto made = LLVM::InlineAsmOp::create(
      b, op.getLoc(), results, op.getOperands(), op.getText(),
      op.getConstraints(), /*has_side_effects=*/!op.getPure(),
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  if (types.size() == 1)
    op.getResult(0).replaceAllUsesWith(made.getResult(0));
  else
    for (auto [i, result] : llvm::enumerate(op.getResults()))
      result.replaceAllUsesWith(LLVM::ExtractValueOp::create(
          b, op.getLoc(), made.getResult(0), int64_t(i)));
}

/// Packs of elements are what one instruction takes.
static LayoutRule layoutsOfInlineAsm(tile::InlineAsmOp op,
                                     const LayoutQuery &query) {
  int64_t pack = op.getPack();
  if (pack > 1)
    for (Type type :
         llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                  SmallVector<Type>(op->getResultTypes())))
      if (auto tile = dyn_cast<RankedTensorType>(type)) {
        LayoutRule rule(op);
        LayoutAttr layout = packedLayout(op.getContext(), tile.getShape(), pack,
                                         query.block.lanes, query.block.warps);
        assignAll(op->getOperands(), layout, rule.operands);
        assignAll(op->getResults(), layout, rule.results);
        return rule;
      }
  return sameLayout(op, query);
}

void simt::addInlineAsmLowerings(LoweringTable &table) {
  table.add<tile::InlineAsmOp>(lowerAssembly, inlineAsmNeeds);
  table.addLayouts<tile::InlineAsmOp, layoutsOfInlineAsm>();
}
