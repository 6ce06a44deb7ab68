//===- AssignLayouts.cpp - Which thread holds what ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Assigner.h"
#include "LayoutRules.h"
#include "Machine.h"
#include "ProductChoice.h"
#include "StorageAreas.h"
#include "ThreadProducts.h"
#include "Work.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Interfaces/Loops.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Target/Lowering.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTASSIGNLAYOUTS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

LayoutAttr Assigner::canonical(ArrayRef<int64_t> shape) {
  auto it = widest.find(b.getDenseI64ArrayAttr(shape));
  if (it != widest.end())
    return blocked(shape, it->second.dim, it->second.count);
  // What is split from pairs that are accessed together, or joined to such, is
  // where these are.
  SmallVector<int64_t> pairs(shape);
  pairs.push_back(2);
  int rank = static_cast<int>(shape.size());
  it = widest.find(b.getDenseI64ArrayAttr(pairs));
  if (rank && it != widest.end() && it->second.dim == rank &&
      it->second.count > 1)
    return blocked(pairs, rank, it->second.count).dropDim(rank);
  constexpr int64_t kUsual = 4;
  return blocked(shape, Contiguity().dim, kUsual);
}

LayoutAttr Assigner::blocked(ArrayRef<int64_t> shape, int dim, int64_t count,
                             int64_t across) {
  // Neighbours that fill what memory gives at a time: beside them any other
  // dimension will do.
  constexpr int64_t kWhole = 16;
  int last = -1;
  bool isScanned = false;
  if (dim >= 0 && shape[dim] >= kWhole) {
    Attribute key = b.getDenseI64ArrayAttr(shape);
    if (auto it = reduced.find(key); it != reduced.end())
      last = it->second;
    // Warps would exchange what each tile of a loop adds up to.
    if (auto it = scanned.find(key); it != scanned.end() && it->second >= 0) {
      last = it->second;
      isScanned = true;
    }
  }
  return blockedLayout(b.getContext(), shape, dim, count, lanes, warps,
                       /*isWhole=*/false, across, last, isScanned);
}

std::optional<ProductChoice>
Assigner::choiceOf(MatrixProductOpInterface product) {
  const RegisterCandidate *lowering = findLowering(product, block);
  return chooseProduct(product, description, warps,
                       /*inRegisters=*/lowering && !lowering->isOwn);
}

LayoutAttr Assigner::ofProduct(Operation *op) {
  if (auto choice = choiceOf(cast<MatrixProductOpInterface>(op)))
    return choice->acc;
  auto product = cast<MatrixProductOpInterface>(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  bool isStaged =
      (!description || description.getUnitOfKind(target::UnitKind::DMA)) &&
      multipliesLoads(product);
  return isStaged
             ? threadProductLayout(
                   type, lanes, warps,
                   liesAlong(product.getLhsOperand().get(), /*dim=*/0),
                   liesAlong(product.getRhsOperand().get(), /*dim=*/1))
             : threadProductLayout(type, lanes, warps, /*takesRows=*/false,
                                   type.getRank() != 2 ||
                                       !liesAlong(product.getRhsOperand().get(),
                                                  /*dim=*/0));
}

bool Assigner::liesAlong(Value factor, int dim) {
  for (Value before; (before = bytesBefore(factor)); factor = before)
    if (isTransposition(factor.getDefiningOp()))
      dim = 1 - dim;
  if (auto access = factor.getDefiningOp<ViewAccessOpInterface>())
    return contiguityOf(access, facts).dim == dim;
  constexpr int64_t kNeighbours = 16;
  LayoutAttr layout = getLayout(factor);
  return layout && vectorBits(layout, dim, kNeighbours).size() >
                       vectorBits(layout, 1 - dim, kNeighbours).size();
}

void Assigner::assign(Operation *op) {
  if (auto access = dyn_cast<ViewAccessOpInterface>(op))
    return assignAccess(access);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return assignLoop(loop);
  if (auto choice = dyn_cast<scf::IfOp>(op))
    return assignIf(choice);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return assignWhile(loop);
  bool touchesTiles = llvm::any_of(op->getOperandTypes(), isTile) ||
                      llvm::any_of(op->getResultTypes(), isTile);
  if (!touchesTiles || (isDeferred(op) && !askedLayout(op)))
    return;
  if (isa<LayoutRuleOpInterface>(op))
    return assignByRule(op);
  if (auto product = dyn_cast<MatrixProductOpInterface>(op)) {
    if (auto choice = choiceOf(product)) {
      // What is read from memory gets there from where it is.
      std::pair<OpOperand &, LayoutAttr> factors[] = {
          {product.getLhsOperand(), choice->lhs},
          {product.getRhsOperand(), choice->rhs}};
      for (auto &[operand, layout] : factors)
        requireOperand(operand, layout ? layout : settle(operand.get()));
      if (OpOperand *acc = product.getAccOperand())
        requireOperand(*acc, choice->acc);
      if (OpOperand *scale = product.getLhsScaleOperand())
        requireOperand(*scale, choice->lhsScale);
      if (OpOperand *scale = product.getRhsScaleOperand())
        requireOperand(*scale, choice->rhsScale);
      setDecided(op, kRowEntry, b.getStringAttr(choice->row.getName()));
      if (choice->isExchanged)
        setDecided(op, kExchangedEntry, b.getUnitAttr());
      return setResult(op->getResult(0), choice->acc);
    }
    LayoutAttr layout = ofProduct(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isTile(operand.get().getType()))
        requireOperand(operand, &operand == product.getAccOperand()
                                    ? layout
                                    : settle(operand.get()));
    return setResult(op->getResult(0), layout);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    LayoutAttr layout = canonical(constant.getResult());
    auto type = withLayout(constant.getType(), layout);
    setResult(constant.getResult(), layout);
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
      constant.setValueAttr(elements.reshape(type));
    return;
  }
  if (assignPointers(op))
    return;
  assignByRule(op);
}

namespace {
/// What rules ask, answered by the tiles as they are or as they will be.
class AssignerQuery : public LayoutQuery {
public:
  AssignerQuery(const BlockThreads &block,
                function_ref<LayoutAttr(ValueRange)> layoutOf,
                function_ref<LayoutAttr(ArrayRef<int64_t>)> usualOf)
      : LayoutQuery(block), layoutOf(layoutOf), usualOf(usualOf) {}

  LayoutAttr of(ValueRange tiles) const override { return layoutOf(tiles); }
  LayoutAttr usual(ArrayRef<int64_t> shape) const override {
    return usualOf(shape);
  }

private:
  function_ref<LayoutAttr(ValueRange)> layoutOf;
  function_ref<LayoutAttr(ArrayRef<int64_t>)> usualOf;
};
} // namespace

LayoutRule Assigner::ruleOf(Operation *op,
                            function_ref<LayoutAttr(ValueRange)> layoutOf) {
  auto usual = [&](ArrayRef<int64_t> shape) { return canonical(shape); };
  return layoutRuleOf(op, AssignerQuery(block, layoutOf, usual));
}

void Assigner::assignByRule(Operation *op) {
  // Of tiles that have none yet, elements may stay where they come from.
  LayoutAttr asked = askedLayout(op);
  LayoutRule rule = ruleOf(op, [&](ValueRange tiles) {
    if (asked)
      return asked;
    for (Value tile : tiles)
      if (isTile(tile.getType()) && getLayout(tile))
        return getLayout(tile);
    for (Value tile : tiles)
      if (isTile(tile.getType()))
        if (LayoutAttr layout = handedOn(tile))
          return layout;
    return LayoutAttr();
  });
  for (auto [operand, layout] :
       llvm::zip_equal(op->getOpOperands(), rule.operands))
    if (isTile(operand.get().getType()))
      requireOperand(operand, layout ? layout : settle(operand.get()));
  for (auto [result, layout] : llvm::zip_equal(op->getResults(), rule.results))
    if (isTile(result.getType()))
      setResult(result, layout ? layout : canonical(result));
}

void Assigner::assignBlock(Block *block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block->without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops)
    assign(op);
}

LogicalResult Assigner::run() {
  // How far the accesses of each shape go in one piece.
  auto count = [&](ArrayRef<int64_t> shape, const Contiguity &own) {
    if (own.dim < 0)
      return;
    Contiguity &best = widest[b.getDenseI64ArrayAttr(shape)];
    if (best.dim < 0 || (best.dim == own.dim && own.count > best.count))
      best = own;
  };
  kernel.walk([&](Operation *op) {
    if (auto access = dyn_cast<ViewAccessOpInterface>(op))
      count(access.getAccessedType().getShape(), contiguityOf(access, facts));
    else if (auto access = getPointerAccess(op); access && !access->isAtomic)
      count(shapeOf(access->pointers),
            contiguityOf(access->pointers, access->mask, facts));
  });
  // A thread that has all elements along an axis reduces them alone.
  kernel.walk([&](Operation *op) {
    int scan = scannedAxis(op), axis = scan >= 0 ? scan : reducedAxis(op);
    if (axis < 0)
      return;
    Attribute shape = b.getDenseI64ArrayAttr(shapeOf(op->getOperand(0)));
    auto [it, isNew] = (scan >= 0 ? scanned : reduced).try_emplace(shape, axis);
    if (!isNew && it->second != axis)
      it->second = -1;
  });
  // A thread stores 16 bytes at a time, and so neighbours leave no gaps: where
  // it had more in a row, each store would fill a part of every line. Factors
  // of products are loaded as their copies take them.
  bool hasProduct = false;
  kernel.walk([&](MatrixProductOpInterface) { hasProduct = true; });
  kernel.walk([&](ViewAccessOpInterface access) {
    auto type = access.getAccessedType();
    auto it = widest.find(b.getDenseI64ArrayAttr(type.getShape()));
    if (hasProduct || it == widest.end() || !access.getWrittenOperand())
      return;
    int64_t bytes = ThreadBuilder::storedBytes(type.getElementType());
    it->second.count =
        std::min(it->second.count, std::max<int64_t>(16 / bytes, 1));
  });
  assignBlock(&kernel.getBody().front());
  // What was made again in other layouts.
  SmallVector<Operation *> unused;
  kernel.walk([&](Operation *op) {
    if (op->getNumResults() == 1 && isTile(op->getResult(0).getType()) &&
        !getLayout(op->getResult(0)) && isMemoryEffectFree(op) &&
        !op->getNumRegions())
      unused.push_back(op);
  });
  for (Operation *op : llvm::reverse(unused))
    if (op->use_empty())
      op->erase();
  if (!replaces)
    return success();
  SmallVector<Operation *> all;
  kernel.walk([&](Operation *op) { all.push_back(op); });
  for (Operation *op : llvm::reverse(all))
    if (op->getNumResults() == 1 && isTile(op->getResult(0).getType()) &&
        isOpTriviallyDead(op))
      op->erase();
  return success();
}

/// Whether a tile that is smaller than four warps gets fewer: `few_warps` in
/// the description's `extra`.
static bool hasFewWarps(target::TargetAttr description) {
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  return extra && extra.contains("few_warps");
}

/// Four, or eight where four would have to keep more than 64 rows and columns
/// each of one accumulator. Without products, as many as have 32 elements for
/// each thread of what is loaded, and have registers for the tiles that are
/// needed at once; on some machines fewer than four where these
/// would have threads without an element of the largest tile, which repeat the
/// work of others.
static int64_t usualWarps(tile::KernelOp kernel, int64_t lanes, int64_t most,
                          target::TargetAttr description) {
  constexpr int64_t kUsual = 4, kLarge = 128 * 128 + 1, kShare = 32;
  bool hasProduct = false, isLarge = false;
  int64_t loaded = 0, largest = 1;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (isTile(type))
        largest =
            std::max(largest, cast<RankedTensorType>(type).getNumElements());
    if (isa<MatrixProductOpInterface>(op)) {
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      hasProduct = true;
      isLarge |= type.getNumElements() >= kLarge;
    } else if (auto access = dyn_cast<ViewAccessOpInterface>(op)) {
      loaded = std::max(loaded, access.getAccessedType().getNumElements());
    }
  });
  if (hasProduct)
    return isLarge ? 2 * kUsual : kUsual;
  int64_t fewest =
      hasFewWarps(description)
          ? std::min<int64_t>(llvm::divideCeil(largest, lanes), kUsual)
          : kUsual;
  int64_t wanted = llvm::divideCeil(loaded, kShare * lanes);
  if (int64_t registers = registersOf(description))
    wanted = std::max<int64_t>(
        wanted, llvm::divideCeil(mostLiveWords(kernel), registers * lanes));
  return std::max(std::min(wanted, most), fewest);
}

/// Checks that what a schedule script asks of products and layouts can be had.
static LogicalResult verifyScript(tile::KernelOp kernel,
                                  target::TargetAttr description, int64_t lanes,
                                  int64_t warps) {
  if (failed(target::verifyAsked(kernel, "instruction")) ||
      failed(target::verifyAsked(kernel, "layout")))
    return failure();
  auto check = [&](Operation *op) -> LogicalResult {
    if (std::optional<target::Asked> asked =
            target::findAsked(op, "instruction"))
      if (std::string why = whyNotAsked(cast<MatrixProductOpInterface>(op),
                                        *asked, description, warps);
          !why.empty())
        return target::emitUnmet(*asked, why);
    if (std::optional<target::Asked> asked = target::findAsked(op, "layout"))
      if (std::string why = whyNoLayout(op, asked->value, lanes, warps);
          !why.empty())
        return target::emitUnmet(*asked, why);
    return success();
  };
  return failure(kernel
                     ->walk([&](Operation *op) {
                       return failed(check(op)) ? WalkResult::interrupt()
                                                : WalkResult::advance();
                     })
                     .wasInterrupted());
}

namespace {
struct SimtAssignLayouts
    : simt::impl::SimtAssignLayoutsBase<SimtAssignLayouts> {
  using Base::Base;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    signLoops(kernel);
    target::TargetAttr description = target::getDescription(kernel);
    int64_t lanes = lanesOf(description, this->lanes);
    if (failed(verifyMachine(kernel, description, lanes)))
      return signalPassFailure();
    int64_t most = mostWarpsOf(description, lanes);
    std::optional<target::Asked> asked = target::findAsked(kernel, "warps");
    int64_t count =
        asked ? cast<IntegerAttr>(asked->value).getInt() : int64_t(warps);
    if (asked && count > most) {
      (void)target::emitUnmet(*asked, Twine(count) + " warps of " +
                                          Twine(lanes) +
                                          " threads, expected at most " +
                                          Twine(most) + " for a block");
      return signalPassFailure();
    }
    if (count > most) {
      (void)target::emitUnsupported(kernel, Twine(count) + " warps of " +
                                                Twine(lanes) +
                                                " threads, expected at most " +
                                                Twine(most) + " for a block");
      return signalPassFailure();
    }
    if (!count)
      if (auto hints =
              kernel->getAttrOfType<tile::KernelHintsAttr>(tile::kHintsAttr))
        count = hints.getWarps();
    if (count < 1)
      count = usualWarps(kernel, lanes, most, description);
    count = std::min<int64_t>(llvm::PowerOf2Ceil(count), most);
    // What an author wishes is not worth minutes of compiling.
    while (!warps && !asked && count < most &&
           wantsMoreWarps(kernel, lanes, count, description))
      count *= 2;
    if (isTooMuch(kernel, lanes, count, description))
      return signalPassFailure();
    kernel.setWarpsAttr(OpBuilder(kernel).getI64IntegerAttr(count));
    if (failed(verifyScript(kernel, description, lanes, count)))
      return signalPassFailure();
    if (failed(Assigner(kernel, lanes, count).run()))
      signalPassFailure();
  }
};
} // namespace
