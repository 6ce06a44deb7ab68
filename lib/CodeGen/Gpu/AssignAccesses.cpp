//===- AssignAccesses.cpp - Layouts of what is loaded and stored ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Assigner.h"
#include "ExchangeMachine.h"
#include "MemoryProducts.h"
#include "Order.h"
#include "ProductChoice.h"
#include "RowCosts.h"
#include "Work.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Interfaces/PointerAccess.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Basis = LayoutAttr::Basis;

namespace {
/// A factor of a product.
struct FactorUse {
  MatrixProductOpInterface product;
  int depth;     ///< the dimension along the product's depth
  unsigned bits; ///< of an element
};
} // namespace

/// How a tile gets to its product, through element-wise operations alone;
/// nothing where something else uses it.
static std::optional<FactorUse> factorUseOf(Value tile) {
  if (!tile.hasOneUse())
    return std::nullopt;
  OpOperand &use = *tile.getUses().begin();
  Operation *user = use.getOwner();
  if (auto product = dyn_cast<MatrixProductOpInterface>(user)) {
    bool isLhs = &use == &product.getLhsOperand();
    if ((!isLhs && &use != &product.getRhsOperand()) ||
        product.hasEncodedFactors() || product.getLhsScaleOperand())
      return std::nullopt;
    return FactorUse{
        product, isLhs ? 1 : 0,
        getElementTypeOrSelf(tile.getType()).getIntOrFloatBitWidth()};
  }
  if (!OpTrait::hasElementwiseMappableTraits(user) ||
      user->getNumOperands() != 1 || user->getNumResults() != 1)
    return std::nullopt;
  return factorUseOf(user->getResult(0));
}

/// How many elements along the depth an instruction takes from a lane at once;
/// 1 where no instruction computes the product.
static int64_t depthOfLane(const FactorUse &use, target::TargetAttr description,
                           int64_t warps) {
  target::MatrixInstructionAttr row =
      findInstruction(use.product, description, warps);
  if (!row)
    return 1;
  bool isExchanged = !readsMemory(row) && fitOf(use.product, row).isExchanged;
  auto layout = dyn_cast_if_present<LayoutAttr>(
      ((use.depth == 1) != isExchanged ? row.getLhs() : row.getRhs())
          .getLayout());
  if (!layout)
    return 1;
  if (isExchanged)
    layout = layout.permute({1, 0});
  int64_t count = 1;
  for (const Basis &basis : layout.getRegisterBases()) {
    if (basis[use.depth] != count)
      break;
    count *= 2;
  }
  return count;
}

int64_t Assigner::countAcross(Value tile, int dim) {
  // What a lane hands an instruction along the depth, as far as two registers
  // have it: with all of that in one thread, memory gets and gives whole words.
  constexpr unsigned kRunBits = 64, kWordBits = 32;
  // Copies beside the threads take bytes as they lie.
  if (!description || description.getUnitOfKind(target::UnitKind::DMA))
    return 1;
  std::optional<FactorUse> use = factorUseOf(tile);
  if (!use || use->depth == dim || use->bits >= kRunBits ||
      description.getMatrixInstructions().empty() ||
      !tileMovesOf(description, target::MoveKind::Load, use->bits, lanes)
           .tiles.empty())
    return 1;
  // Whole words are put together only where one instruction takes several.
  int64_t run = kRunBits / use->bits;
  if (use->bits >= kWordBits)
    run = std::min(run, depthOfLane(*use, description, warps));
  return std::min(run,
                  cast<RankedTensorType>(tile.getType()).getDimSize(1 - dim));
}

/// The dimension of the tile along which most neighbours are nearest in memory;
/// -1 where nothing tells.
int Assigner::findNearest(ViewAccessOpInterface access) {
  Value view = access.getAccessedView();
  auto type = cast<tile::ViewType>(view.getType());
  SmallVector<int64_t> distances(access.getAccessedType().getRank(), 0);
  for (auto [i, axis] : llvm::enumerate(access.getAxes())) {
    if (axis.tileDim < 0)
      continue;
    int64_t stride = type.getStaticStride(i);
    if (ShapedType::isDynamic(stride))
      stride = tile::TileSteps::guessOf(strideDivisor(view, i, scalars));
    if (!axis.isIndirect()) {
      distances[axis.tileDim] = tile::TileSteps::multiply(axis.step, stride);
      continue;
    }
    // What a list names one after the other is often near.
    constexpr int64_t kListed = 24;
    ArrayRef<int64_t> listed = steps.of(axis.indices);
    for (auto [d, step] : llvm::enumerate(listed))
      distances[axis.tileDim + d] = tile::TileSteps::multiply(
          step >= tile::TileSteps::kUnknown && listed.size() == 1 ? kListed
                                                                  : step,
          stride);
  }
  return tile::TileSteps::findNearest(distances);
}

LayoutAttr Assigner::ofAccess(ViewAccessOpInterface access, bool isShared) {
  if (LayoutAttr asked = askedLayout(access))
    return asked;
  Contiguity own = contiguityOf(access, facts);
  if (own.dim < 0)
    own.dim = findNearest(access);
  auto shape = access.getAccessedType().getShape();
  auto it = widest.find(b.getDenseI64ArrayAttr(shape));
  // All accesses that run along one dimension share one layout.
  if (isShared && it != widest.end() &&
      (own.dim < 0 || it->second.dim == own.dim))
    own = it->second;
  int64_t across = 1;
  if (own.dim >= 0 && shape.size() == 2 && !access.getWrittenOperand())
    across = countAcross(access.getAccessedTile(), own.dim);
  // Shorter vectors leave registers for that.
  int64_t each = ShapedType::getNumElements(shape) / (lanes * warps);
  if (across > 1)
    own.count = std::min(own.count, std::max<int64_t>(each / across, 1));
  if (own.count * across > each)
    across = 1;
  return blocked(shape, own.dim, own.count, across);
}

/// A layout like `best` in which each warp has the elements that it has in
/// `has`, so that warps exchange nothing with each other. Lanes stay as they
/// are, and so do the first `vector` bits of registers. Null where that cannot
/// be.
static LayoutAttr keepWarps(LayoutAttr best, LayoutAttr has, size_t vector,
                            unsigned laneBits, unsigned warpBits) {
  if (!has || has.getRank() != best.getRank())
    return {};
  SmallVector<Basis> registers = best.getRegisterBases(),
                     freed = best.getWarpBases(warpBits),
                     warps = has.getWarpBases(warpBits);
  if (freed == warps)
    return {};
  for (const Basis &basis : warps) {
    if (llvm::all_of(basis, [](int64_t n) { return n == 0; }))
      continue; // copies
    if (Basis *own = llvm::find(freed, basis); own != freed.end()) {
      freed.erase(own);
      continue;
    }
    Basis *other = llvm::find(registers, basis);
    if (other == registers.end() || other < registers.begin() + vector)
      return {};
    registers.erase(other);
  }
  // Registers tell what warps told, the last dimension's bits first.
  registers.append(freed);
  std::sort(registers.begin() + vector, registers.end(),
            [](const Basis &a, const Basis &b) {
              return std::lexicographical_compare(b.begin(), b.end(), a.begin(),
                                                  a.end(), std::greater<>());
            });
  return LayoutAttr::get(best.getContext(), best.getRank(), registers,
                         best.getLaneBases(laneBits), warps);
}

/// The layout of the indices of an axis, where a tile has `layout`.
static LayoutAttr indicesLayout(LayoutAttr layout, const ViewAxis &axis) {
  int64_t rank = cast<RankedTensorType>(axis.indices.getType()).getRank();
  return layout.transform(rank, [&](ArrayRef<int64_t> basis) {
    return Basis(basis.slice(axis.tileDim, rank));
  });
}

/// Whether the threads have as many elements together: a tile that is the same
/// in all places may have a layout that tells fewer apart.
bool Assigner::hasAll(LayoutAttr layout, int64_t elements) const {
  auto differs = [](const Basis &basis) {
    return llvm::any_of(basis, [](int64_t n) { return n != 0; });
  };
  int64_t bits =
      layout.getRegisterBases().size() +
      llvm::count_if(layout.getLaneBases(block.laneBits()), differs) +
      llvm::count_if(layout.getWarpBases(block.warpBits()), differs);
  return int64_t(1) << bits >= elements;
}

/// Whether a tile has no layout of its own yet: it repeats fewer elements, is
/// loaded, or computed from such tiles one by one.
static bool isOpen(Value tile, unsigned depth = 0) {
  constexpr unsigned kDeepest = 8;
  Operation *op = tile.getDefiningOp();
  if (!isTile(tile.getType()) || (op && isa<arith::ConstantOp>(op)))
    return true;
  if (getLayout(tile) || !op || depth > kDeepest)
    return false;
  if (isa<ViewAccessOpInterface>(op))
    return true;
  if (isa<IndexMapOpInterface>(op))
    return llvm::all_of(op->getOperands(), [&](Value from) {
      return !isTile(from.getType()) ||
             ShapedType::getNumElements(shapeOf(from)) <
                 ShapedType::getNumElements(shapeOf(tile));
    });
  return OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value from) { return isOpen(from, depth + 1); });
}

LayoutAttr Assigner::wantedLayout(Value tile, unsigned &budget,
                                  bool skipsOpen) {
  for (OpOperand &use : tile.getUses()) {
    Operation *op = use.getOwner();
    if (auto access = dyn_cast<ViewAccessOpInterface>(op))
      for (const ViewAxis &axis : access.getAxes())
        if (axis.isIndirect() && axis.indices == tile)
          return indicesLayout(ofAccess(access), axis);
    bool isElementwise = OpTrait::hasElementwiseMappableTraits(op);
    if (!budget || op->getNumResults() != 1 ||
        !isTile(op->getResult(0).getType()) ||
        !(isElementwise || isa<IndexMapOpInterface>(op)))
      continue;
    --budget;
    LayoutAttr layout;
    for (Value other : op->getOperands())
      if (isElementwise && !layout && isTile(other.getType()) &&
          other != tile && !(skipsOpen && isOpen(other)))
        layout = predict(other);
    if (!layout)
      layout = wantedLayout(op->getResult(0), budget, skipsOpen);
    if (!layout)
      continue;
    if (isElementwise)
      return layout;
    if (std::optional<LayoutAttr> own = operandLayout(use, layout))
      return *own;
  }
  return {};
}

/// Whether several warps have the same elements: each of them would load them.
static bool hasCopies(LayoutAttr layout, const BlockShape &block) {
  return llvm::any_of(
      layout.getWarpBases(block.warpBits()), [](const Basis &basis) {
        return llvm::all_of(basis, [](int64_t n) { return n == 0; });
      });
}

/// Whether a product, or a loop with one, stands before an operation in its
/// block.
static bool isBehindProduct(Operation *op) {
  return op->getParentOfType<tile::KernelOp>()
      .walk([&](MatrixProductOpInterface product) {
        Operation *whole = op->getBlock()->findAncestorOpInBlock(*product);
        return whole && whole->isBeforeInBlock(op) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LayoutAttr Assigner::wantedByProduct(Value tile) {
  for (OpOperand &use : tile.getUses()) {
    Operation *user = use.getOwner();
    LayoutAttr layout;
    if (auto product = dyn_cast<MatrixProductOpInterface>(user)) {
      std::optional<ProductChoice> choice;
      if (&use == &product.getLhsOperand())
        choice = choiceOf(product);
      if (choice)
        layout = choice->lhs;
    } else if (OpTrait::hasElementwiseMappableTraits(user) &&
               user->getNumOperands() == 1 && user->getNumResults() == 1) {
      layout = wantedByProduct(user->getResult(0));
    }
    if (layout && !hasCopies(layout, block))
      return layout;
  }
  return {};
}

LayoutAttr Assigner::keepWarps(const Contiguity &along, LayoutAttr best,
                               LayoutAttr has) {
  if (along.dim < 0 || !has)
    return best;
  LayoutAttr kept =
      ::keepWarps(best, has, vectorBits(best, along.dim, along.count).size(),
                  llvm::Log2_64(lanes), llvm::Log2_64(warps));
  return kept ? kept : best;
}

/// Whether each thread loads its elements of a row by one instruction: it has
/// one, or neighbours that lie together.
static bool isOneAccess(const Contiguity &along, LayoutAttr layout) {
  int64_t count = layout.getNumRegisters();
  return count == 1 ||
         (along.dim >= 0 && along.count >= count &&
          int64_t(1) << vectorBits(layout, along.dim, count).size() == count);
}

/// Whether a tile is a row: it has one element along all dimensions but one.
static bool isRow(ArrayRef<int64_t> shape) {
  return llvm::count_if(shape, [](int64_t n) { return n != 1; }) <= 1;
}

/// Whether each thread loads its elements of a row by few accesses, as wide as
/// those by which threads share the row out: warps that each use all of it find
/// it in a cache, and wait for no other warp.
static bool isFewAccesses(const Contiguity &along, LayoutAttr usual,
                          LayoutAttr wanted) {
  constexpr int64_t kMost = 4;
  if (along.dim < 0 || along.count < 2)
    return false;
  auto widthOf = [&](LayoutAttr layout) {
    return int64_t(1) << vectorBits(layout, along.dim, along.count).size();
  };
  int64_t width = widthOf(wanted);
  return width >= widthOf(usual) &&
         wanted.getNumRegisters() <=
             kMost * width * (usual.getNumRegisters() / widthOf(usual));
}

LayoutAttr Assigner::ofRow(ViewAccessOpInterface access, LayoutAttr usual) {
  RankedTensorType type = access.getAccessedType();
  if (!isRow(type.getShape()))
    return {};
  unsigned budget = 24;
  LayoutAttr wanted = wantedLayout(access.getAccessedTile(), budget);
  if (!wanted || !hasAll(wanted, type.getNumElements()))
    return {};
  Contiguity along = contiguityOf(access, facts);
  bool isDirect = usual.getNumRegisters() == 1
                      ? isOneAccess(along, wanted)
                      : isFewAccesses(along, usual, wanted);
  return isDirect ? wanted : LayoutAttr();
}

LayoutAttr Assigner::ofSplit(ViewAccessOpInterface access, LayoutAttr usual) {
  ArrayRef<int64_t> shape = access.getAccessedType().getShape();
  if (shape.empty())
    return {};
  int64_t size = shape.back(), last = shape.size() - 1;
  Contiguity along = contiguityOf(access, facts);
  constexpr int64_t kMostInstructions = 2;
  if (size < 2 || !llvm::isPowerOf2_64(size) || along.dim != last ||
      along.count * kMostInstructions < size ||
      int64_t(1) << vectorBits(usual, last, size).size() == size ||
      !isSplitWhole(access.getAccessedTile()))
    return {};
  SmallVector<Basis> registers, lanesOfRest, warpsOfRest;
  for (int64_t step = 1; step < size; step *= 2) {
    registers.emplace_back(last + 1, 0);
    registers.back()[last] = step;
  }
  if (last > 0) {
    LayoutAttr rest = canonical(shape.drop_back()).insertDim(last);
    llvm::append_range(registers, rest.getRegisterBases());
    lanesOfRest = rest.getLaneBases(0);
    warpsOfRest = rest.getWarpBases(0);
  }
  return LayoutAttr::get(b.getContext(), last + 1, registers, lanesOfRest,
                         warpsOfRest);
}

LayoutAttr Assigner::ofListed(ViewAccessOpInterface access) {
  RankedTensorType type = access.getAccessedType();
  const ViewAxis *listed = nullptr;
  SmallVector<ViewAxis> axes(access.getAxes());
  for (const ViewAxis &axis : axes)
    if (axis.isIndirect() && std::exchange(listed, &axis))
      return {};
  if (!listed || contiguityOf(access, facts).dim >= 0)
    return {};
  // The list names all elements, and no neighbours that are known.
  auto list = cast<RankedTensorType>(listed->indices.getType());
  if (list.getNumElements() != type.getNumElements())
    return {};
  for (auto [size, step] :
       llvm::zip_equal(list.getShape(), steps.of(listed->indices)))
    if (size > 1 && step && step < tile::TileSteps::kUnknown)
      return {};
  LayoutAttr has = getLayout(listed->indices);
  if (!has)
    has = handedOn(listed->indices);
  if (!has || !hasAll(has, list.getNumElements()))
    return {};
  return has.transform(type.getRank(), [&](ArrayRef<int64_t> basis) {
    Basis at(type.getRank(), 0);
    llvm::copy(basis, at.begin() + listed->tileDim);
    return at;
  });
}

void Assigner::assignAccess(ViewAccessOpInterface access) {
  LayoutAttr layout;
  OpOperand *written = access.getWrittenOperand();
  if (written) {
    LayoutAttr has = getLayout(written->get());
    LayoutAttr best = ofAccess(access);
    // Small tiles, and those that each thread stores well already, stay.
    layout = best;
    if (has && access.getAccessedType().getRank() <= 1)
      layout = has;
    else
      layout = keepWarps(contiguityOf(access, facts), best, has);
    // What changes its layout to be stored, such as the result of a product,
    // shares none with a tile of narrower elements: the lanes of an
    // instruction write whole lines.
    if (has && layout != has)
      layout = keepWarps(contiguityOf(access, facts),
                         ofAccess(access, /*isShared=*/false), has);
    if (LayoutAttr asked = askedLayout(access))
      layout = asked;
    requireOperand(*written, layout);
  } else {
    layout = ofAccess(access);
    // Few elements, such as indices, are loaded where they are used: threads
    // that use one load it, which takes no exchange and no more instructions.
    // What a product has in registers, and what meets a product's result behind
    // it, has that one's rows in each warp.
    LayoutAttr used =
        askedLayout(access) ? LayoutAttr() : ofRow(access, layout);
    if (!used && !askedLayout(access))
      used = ofSplit(access, layout);
    if (!used && !askedLayout(access))
      used = ofListed(access);
    if (used) {
      layout = used;
    } else if (access.getAccessedType().getRank() > 1 && !askedLayout(access)) {
      LayoutAttr wanted = wantedByProduct(access.getAccessedTile());
      // What has a layout already, such as a product, tells most; of tiles that
      // fill a third of the registers, lines of memory do.
      bool isLarge = 3 * layout.getNumRegisters() > registersOf(description);
      for (bool skipsOpen : {true, false}) {
        if (wanted || !isBehindProduct(access) || (skipsOpen && isLarge))
          continue;
        unsigned budget = 24;
        wanted = wantedLayout(access.getAccessedTile(), budget, skipsOpen);
        if (wanted && hasCopies(wanted, block))
          wanted = {};
      }
      layout = keepWarps(contiguityOf(access, facts), layout, wanted);
    }
    setResult(access.getAccessedTile(), layout);
  }
  for (const ViewAxis &axis : access.getAxes()) {
    if (!axis.isIndirect())
      continue;
    Value indices = require(axis.indices, indicesLayout(layout, axis));
    for (OpOperand &operand : access->getOpOperands())
      if (operand.get() == axis.indices)
        operand.set(indices);
  }
}
