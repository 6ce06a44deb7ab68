//===- AssignLayouts.cpp - Which thread holds what ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes through a kernel once, in program order. What costs nothing to make
// waits until a layout is asked for, and is made in that one; everything else
// gets one layout and is converted where another is needed.
//
//===----------------------------------------------------------------------===//

#include "KernelWalk.h"
#include "LayoutChoice.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <map>

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTASSIGNLAYOUTS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
class Assigner {
public:
  Assigner(tile::KernelOp kernel, int64_t lanes, int64_t warps)
      : kernel(kernel), b(kernel.getContext()), lanes(lanes), warps(warps),
        description(target::getDescription(kernel)) {}

  LogicalResult run();

private:
  using Basis = LayoutAttr::Basis;

  LayoutAttr canonical(ArrayRef<int64_t> shape);
  LayoutAttr canonical(Value tile) {
    return canonical(cast<RankedTensorType>(tile.getType()).getShape());
  }
  LayoutAttr ofAccess(ViewAccessOpInterface access);
  LayoutAttr ofProduct(Operation *op);
  /// The layout that a tile has or will have, as far as can be told before it
  /// is reached.
  LayoutAttr predict(Value tile, unsigned depth = 0);
  bool isDeferred(Operation *op);
  /// The layout that an operand needs for its result to have one.
  std::optional<LayoutAttr> operandLayout(OpOperand &operand,
                                          LayoutAttr layout);
  /// The layout that an undecided tile has where its elements stay in the
  /// registers that they come from; null where they are in none yet, or where
  /// some would be copied.
  LayoutAttr handedOn(Value tile, function_ref<LayoutAttr(Value)> layoutOf);
  LayoutAttr handedOn(Value tile);
  Value require(Value tile, LayoutAttr layout);
  /// Bytes of a thread that are exchanged in an iteration of a loop, whose body
  /// is `block`, for a tile to have another layout.
  int64_t costAgain(Value tile, LayoutAttr layout, Block *block,
                    unsigned depth = 0);
  /// Whether a tile of a loop is computed again in another layout rather than
  /// converted, since what it is computed from takes less.
  bool isWorthAgain(Value tile, LayoutAttr layout);
  Value makeAgain(Value tile, LayoutAttr layout);
  /// A layout it has, or the usual one.
  LayoutAttr settle(Value tile);
  void requireOperand(OpOperand &operand, LayoutAttr layout) {
    operand.set(require(operand.get(), layout));
  }
  void setResult(Value result, LayoutAttr layout) {
    result.setType(withLayout(result.getType(), layout));
  }
  void requireAll(Operation *op, LayoutAttr layout, bool results = true);

  void assignBlock(Block *block);
  void assign(Operation *op);
  void assignAccess(ViewAccessOpInterface access);
  bool assignPointers(Operation *op);
  void assignLoop(scf::ForOp loop);
  void assignIf(scf::IfOp op);
  void assignWhile(scf::WhileOp op);
  void assignYield(Operation *yield, ValueRange like, unsigned skip = 0);

  tile::KernelOp kernel;
  OpBuilder b;
  int64_t lanes, warps;
  target::TargetAttr description;
  index::Analysis scalars;
  tile::AxisAnalysis facts{scalars};
  DenseMap<std::pair<Value, Attribute>, Value> made;
  DenseMap<Attribute, Contiguity> widest; ///< by shape
  bool replaces = false; ///< some tiles may have no use any more
};

bool isTile(Type type) { return isa<RankedTensorType>(type); }

ArrayRef<int64_t> shapeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getShape();
}
} // namespace

LayoutAttr Assigner::canonical(ArrayRef<int64_t> shape) {
  auto it = widest.find(b.getDenseI64ArrayAttr(shape));
  Contiguity best;
  if (it != widest.end())
    best = it->second;
  else
    best.count = 4;
  return blockedLayout(b.getContext(), shape, best.dim, best.count, lanes,
                       warps);
}

LayoutAttr Assigner::ofAccess(ViewAccessOpInterface access) {
  Contiguity own = contiguityOf(access, facts);
  auto shape = access.getAccessedType().getShape();
  auto it = widest.find(b.getDenseI64ArrayAttr(shape));
  // All accesses that run along one dimension share one layout.
  if (it != widest.end() && (own.dim < 0 || it->second.dim == own.dim))
    own = it->second;
  return blockedLayout(b.getContext(), shape, own.dim, own.count, lanes, warps);
}

LayoutAttr Assigner::ofProduct(Operation *op) {
  if (auto choice =
          chooseProduct(cast<MatrixProductOpInterface>(op), description, warps))
    return choice->acc;
  return canonical(op->getResult(0));
}

/// What is made again rather than converted.
bool Assigner::isDeferred(Operation *op) {
  if (op->getNumRegions() || op->getNumResults() != 1 ||
      !isTile(op->getResult(0).getType()))
    return false;
  auto deferredOperands = [&] {
    return llvm::all_of(op->getOperands(), [&](Value value) {
      return !isTile(value.getType()) || !getLayout(value);
    });
  };
  if (isa<arith::ConstantOp>(op))
    return cast<arith::ConstantOp>(op).getValue().getType() &&
           isa<SplatElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  if (auto moved = dyn_cast<IndexMapOpInterface>(op)) {
    if (moved.getGeneratedElement())
      return true;
    if (!moved.movesElements())
      return false;
    // Of one tile, by bits.
    OpOperand *tile = nullptr;
    for (OpOperand &operand : op->getOpOperands())
      if (isTile(operand.get().getType())) {
        if (tile)
          return false;
        tile = &operand;
      }
    if (!tile)
      return false;
    return operandLayout(*tile, canonical(op->getResult(0))).has_value();
  }
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(op) ||
                       isa<tile::PtrAddOp, tile::PtrCastOp>(op);
  return isElementwise && isMemoryEffectFree(op) && deferredOperands();
}

std::optional<LayoutAttr> Assigner::operandLayout(OpOperand &operand,
                                                  LayoutAttr layout) {
  Operation *op = operand.getOwner();
  auto from = shapeOf(operand.get()), to = shapeOf(op->getResult(0));
  OperandRead read = getOperandRead(operand);
  if (!read || read.domain || read.map.getNumSymbols())
    return std::nullopt;
  bool simple = llvm::all_of(read.map.getResults(), [](AffineExpr expr) {
    return isa<AffineDimExpr>(expr) ||
           (isa<AffineConstantExpr>(expr) &&
            cast<AffineConstantExpr>(expr).getValue() == 0);
  });
  auto powers = [](ArrayRef<int64_t> shape) {
    return llvm::all_of(shape,
                        [](int64_t n) { return llvm::isPowerOf2_64(n); });
  };
  if (!simple && (!isa<tile::ReshapeOp>(op) || !powers(from) || !powers(to)))
    return std::nullopt;
  return layout.transform(from.size(), [&](ArrayRef<int64_t> basis) {
    SmallVector<int64_t> dims(basis);
    dims.resize(read.map.getNumDims(), 0);
    Basis at(read.map.compose(dims));
    for (auto [n, size] : llvm::zip_equal(at, from))
      if (size == 1)
        n = 0;
    return at;
  });
}

LayoutAttr Assigner::handedOn(Value tile,
                              function_ref<LayoutAttr(Value)> layoutOf) {
  Operation *op = tile.getDefiningOp();
  auto moved = dyn_cast_or_null<IndexMapOpInterface>(op);
  if (!moved || !moved.movesElements() || op->getNumOperands() != 1 ||
      !isTile(op->getOperand(0).getType()))
    return {};
  OpOperand &operand = op->getOpOperand(0);
  auto from = cast<RankedTensorType>(operand.get().getType()),
       to = cast<RankedTensorType>(tile.getType());
  if (from.getNumElements() != to.getNumElements() ||
      !llvm::all_of(to.getShape(),
                    [](int64_t n) { return llvm::isPowerOf2_64(n); }))
    return {};
  // Which bit of a coordinate each bit of one comes from.
  unsigned rank = to.getRank();
  SmallVector<Basis> bits;
  for (auto [d, size] : llvm::enumerate(to.getShape()))
    for (int64_t n = 1; n < size; n *= 2) {
      bits.emplace_back(rank, 0);
      bits.back()[d] = n;
    }
  auto sources = operandLayout(
      operand, LayoutAttr::get(b.getContext(), rank, bits, {}, {}));
  LayoutAttr layout = sources ? layoutOf(operand.get()) : LayoutAttr();
  if (!layout)
    return {};
  std::map<std::pair<unsigned, int64_t>, Basis> becomes;
  for (auto [bit, source] : llvm::zip_equal(bits, sources->getRegisterBases()))
    for (auto [d, n] : llvm::enumerate(source))
      if (n)
        becomes[{d, n}] = bit;
  if (becomes.size() != bits.size())
    return {};
  return layout.transform(rank, [&](ArrayRef<int64_t> basis) {
    Basis at(rank, 0);
    for (auto [d, n] : llvm::enumerate(basis))
      for (int64_t bit = 1; bit <= n; bit *= 2)
        if (n & bit)
          for (auto [x, y] : llvm::zip_equal(at, becomes.at({d, bit})))
            x ^= y;
    return at;
  });
}

LayoutAttr Assigner::handedOn(Value tile) {
  return handedOn(tile, [&](Value source) {
    LayoutAttr layout = getLayout(source);
    return layout ? layout : handedOn(source);
  });
}

LayoutAttr Assigner::predict(Value tile, unsigned depth) {
  if (!isTile(tile.getType()) || depth > 24)
    return {};
  if (LayoutAttr layout = getLayout(tile))
    return layout;
  Operation *op = tile.getDefiningOp();
  if (!op || isa<arith::ConstantOp>(op))
    return {};
  if (auto access = dyn_cast<ViewAccessOpInterface>(op))
    return ofAccess(access);
  if (isa<MatrixProductOpInterface>(op))
    return ofProduct(op);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    LayoutAttr layout = predict(reduce.getSources()[0], depth + 1);
    if (!layout)
      layout = canonical(reduce.getSources()[0]);
    return reduce.getOrdered() ? canonical(tile)
                               : layout.dropDim(reduce.getAxis());
  }
  if (LayoutAttr layout = handedOn(
          tile, [&](Value source) { return predict(source, depth + 1); }))
    return layout;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return predict(
        loop.getYieldedValues()[cast<OpResult>(tile).getResultNumber()],
        depth + 1);
  if (OpTrait::hasElementwiseMappableTraits(op) ||
      isa<tile::ScanOp, tile::SortOp>(op))
    for (Value operand : op->getOperands())
      if (LayoutAttr layout = predict(operand, depth + 1))
        return layout;
  return {};
}

int64_t Assigner::costAgain(Value tile, LayoutAttr layout, Block *block,
                            unsigned depth) {
  LayoutAttr has = getLayout(tile);
  Operation *op = tile.getDefiningOp();
  // What is there before the loop is converted before the loop.
  if (!has || has == layout || !op || op->getBlock() != block ||
      isa<arith::ConstantOp>(op) || made.lookup({tile, Attribute(layout)}))
    return 0;
  Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  int64_t own = has.getNumRegisters() * ThreadBuilder::storedBytes(element);
  if (depth > 16)
    return own;
  int64_t sum = 0;
  if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
    sum = costAgain(convert.getSource(), layout, block, depth + 1);
    return std::min(sum, own);
  }
  auto moved = dyn_cast<IndexMapOpInterface>(op);
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(op) &&
                       isMemoryEffectFree(op) && tile.hasOneUse();
  if (op->getNumRegions() || op->getNumResults() != 1 ||
      (!isElementwise && !moved))
    return own;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTile(operand.get().getType()))
      continue;
    std::optional<LayoutAttr> needs = layout;
    if (moved)
      needs = operandLayout(operand, layout);
    if (!needs)
      return own;
    sum += costAgain(operand.get(), *needs, block, depth + 1);
  }
  return 2 * sum <= own ? sum : own;
}

bool Assigner::isWorthAgain(Value tile, LayoutAttr layout) {
  Operation *op = tile.getDefiningOp();
  if (!op || !isa_and_nonnull<scf::ForOp>(op->getParentOp()) ||
      isa<ConvertLayoutOp>(op))
    return false;
  Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  int64_t own =
      getLayout(tile).getNumRegisters() * ThreadBuilder::storedBytes(element);
  return 2 * costAgain(tile, layout, op->getBlock()) <= own;
}

Value Assigner::makeAgain(Value tile, LayoutAttr layout) {
  Operation *op = tile.getDefiningOp();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (isTile(value.getType())) {
      LayoutAttr needs = layout;
      if (isa<IndexMapOpInterface>(op))
        needs = *operandLayout(operand, layout);
      value = require(value, needs);
    }
    operands.push_back(value);
  }
  b.setInsertionPoint(op);
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  copy->getResult(0).setType(withLayout(tile.getType(), layout));
  return copy->getResult(0);
}

Value Assigner::require(Value tile, LayoutAttr layout) {
  LayoutAttr has = getLayout(tile);
  if (has == layout)
    return tile;
  auto key = std::make_pair(tile, Attribute(layout));
  if (Value known = made.lookup(key))
    return known;
  OpBuilder::InsertionGuard guard(b);
  Operation *op = tile.getDefiningOp();
  Value result;
  if (has && isa_and_nonnull<ConvertLayoutOp>(op)) {
    result = require(op->getOperand(0), layout);
    replaces = true;
  } else if (has && isWorthAgain(tile, layout)) {
    result = makeAgain(tile, layout);
    replaces = true;
  } else if (has || !op) {
    b.setInsertionPointAfterValue(tile);
    result = ConvertLayoutOp::create(b, tile.getLoc(),
                                     withLayout(tile.getType(), layout), tile);
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    b.setInsertionPoint(op);
    auto type = withLayout(tile.getType(), layout);
    auto value = cast<DenseElementsAttr>(constant.getValue());
    result =
        arith::ConstantOp::create(b, tile.getLoc(), type, value.reshape(type));
  } else {
    result = makeAgain(tile, layout);
  }
  made[key] = result;
  return result;
}

LayoutAttr Assigner::settle(Value tile) {
  LayoutAttr layout = getLayout(tile);
  if (!layout)
    layout = handedOn(tile);
  return layout ? layout : canonical(tile);
}

void Assigner::requireAll(Operation *op, LayoutAttr layout, bool results) {
  for (OpOperand &operand : op->getOpOperands())
    if (isTile(operand.get().getType()))
      requireOperand(operand, layout);
  if (results)
    for (Value result : op->getResults())
      if (isTile(result.getType()))
        setResult(result, layout);
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
    requireOperand(*written, layout);
  } else {
    layout = ofAccess(access);
    setResult(access.getAccessedTile(), layout);
  }
  for (const ViewAxis &axis : access.getAxes()) {
    if (!axis.isIndirect())
      continue;
    int64_t rank = cast<RankedTensorType>(axis.indices.getType()).getRank();
    LayoutAttr own = layout.transform(rank, [&](ArrayRef<int64_t> basis) {
      return Basis(basis.slice(axis.tileDim, rank));
    });
    Value indices = require(axis.indices, own);
    for (OpOperand &operand : access->getOpOperands())
      if (operand.get() == axis.indices)
        operand.set(indices);
  }
}

namespace {
/// An access through a tile of pointers.
struct PointerAccess {
  Value pointers, mask, stored;
  bool isAtomic = false;
};
} // namespace

static std::optional<PointerAccess> getPointerAccess(Operation *op) {
  PointerAccess access;
  if (auto load = dyn_cast<tile::LoadPtrOp>(op))
    access = {load.getPtr(), load.getMask(), {}};
  else if (auto store = dyn_cast<tile::StorePtrOp>(op))
    access = {store.getPtr(), store.getMask(), store.getValue()};
  else if (auto update = dyn_cast<tile::AtomicRMWOp>(op))
    access = {update.getPtr(), update.getMask(), update.getValue(), true};
  else
    return std::nullopt;
  if (!isTile(access.pointers.getType()))
    return std::nullopt;
  return access;
}

/// Neighbours go to neighbouring threads, in vectors where they are loaded or
/// stored. False where pointers are not known to be neighbours.
bool Assigner::assignPointers(Operation *op) {
  auto access = getPointerAccess(op);
  if (!access)
    return false;
  Contiguity own = contiguityOf(access->pointers, access->mask, facts);
  if (own.dim < 0)
    return false;
  auto shape = shapeOf(access->pointers);
  LayoutAttr has = access->stored ? getLayout(access->stored) : LayoutAttr();
  if (access->isAtomic) {
    // Memory updates the elements of one instruction line by line.
    own.count = 1;
    if (has && vectorBits(has, own.dim, 2).empty())
      return false;
  } else {
    if (has && shape.size() <= 1)
      return false;
    auto it = widest.find(b.getDenseI64ArrayAttr(shape));
    if (it != widest.end() && it->second.dim == own.dim)
      own.count = it->second.count;
  }
  requireAll(op, blockedLayout(b.getContext(), shape, own.dim, own.count, lanes,
                               warps));
  return true;
}

void Assigner::assignYield(Operation *yield, ValueRange like, unsigned skip) {
  for (auto [i, value] : llvm::enumerate(like))
    if (isTile(value.getType()))
      requireOperand(yield->getOpOperand(i + skip), getLayout(value));
}

void Assigner::assignLoop(scf::ForOp loop) {
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!isTile(argument.getType()))
      continue;
    OpOperand &init = loop.getInitArgsMutable()[i];
    LayoutAttr layout = predict(loop.getYieldedValues()[i]);
    if (!layout)
      layout = getLayout(init.get());
    if (!layout)
      layout = canonical(argument);
    requireOperand(init, layout);
    setResult(argument, layout);
    setResult(loop.getResult(i), layout);
  }
  assignBlock(loop.getBody());
  assignYield(loop.getBody()->getTerminator(), loop.getRegionIterArgs());
}

void Assigner::assignIf(scf::IfOp op) {
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()})
    if (!region->empty())
      assignBlock(&region->front());
  if (!op.getNumResults())
    return;
  Operation *yields[] = {op.thenYield(), op.elseYield()};
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    if (!isTile(result.getType()))
      continue;
    LayoutAttr layout;
    for (Operation *yield : yields)
      if (!layout)
        layout = getLayout(yield->getOperand(i));
    if (!layout)
      layout = canonical(result);
    for (Operation *yield : yields)
      requireOperand(yield->getOpOperand(i), layout);
    setResult(result, layout);
  }
}

void Assigner::assignWhile(scf::WhileOp op) {
  auto give = [&](Value value, LayoutAttr layout) {
    if (isTile(value.getType()))
      setResult(value, layout);
  };
  for (auto [i, init] : llvm::enumerate(op.getInitsMutable())) {
    if (!isTile(init.get().getType()))
      continue;
    LayoutAttr layout = settle(init.get());
    requireOperand(init, layout);
    give(op.getBeforeArguments()[i], layout);
  }
  assignBlock(op.getBeforeBody());
  for (auto [i, operand] :
       llvm::enumerate(op.getConditionOp().getArgsMutable())) {
    if (!isTile(operand.get().getType()))
      continue;
    LayoutAttr layout = settle(operand.get());
    requireOperand(operand, layout);
    give(op.getAfterArguments()[i], layout);
    give(op.getResult(i), layout);
  }
  assignBlock(op.getAfterBody());
  assignYield(op.getYieldOp(), op.getBeforeArguments());
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
  if (!touchesTiles || isDeferred(op))
    return;
  if (auto product = dyn_cast<MatrixProductOpInterface>(op)) {
    if (auto choice = chooseProduct(product, description, warps)) {
      requireOperand(product.getLhsOperand(), choice->lhs);
      requireOperand(product.getRhsOperand(), choice->rhs);
      if (OpOperand *acc = product.getAccOperand())
        requireOperand(*acc, choice->acc);
      op->setAttr(kRowAttr, b.getStringAttr(choice->row.getName()));
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
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    LayoutAttr layout;
    for (Value source : reduce.getSources())
      if (!layout)
        layout = getLayout(source);
    for (Value source : reduce.getSources())
      if (!layout)
        layout = handedOn(source);
    if (!layout)
      layout = canonical(reduce.getSources()[0]);
    requireAll(op, layout, /*results=*/false);
    for (Value result : op->getResults())
      setResult(result, reduce.getOrdered() ? canonical(result)
                                            : layout.dropDim(reduce.getAxis()));
    return;
  }
  if (auto gather = dyn_cast<tile::GatherOp>(op)) {
    LayoutAttr layout = settle(gather.getIndices());
    requireOperand(gather.getIndicesMutable(), layout);
    requireOperand(gather.getSourceMutable(), settle(gather.getSource()));
    return setResult(gather.getResult(), layout);
  }
  if (auto counts = dyn_cast<tile::HistogramOp>(op)) {
    requireAll(op, settle(counts.getSource()), /*results=*/false);
    return setResult(counts.getResult(), canonical(counts.getResult()));
  }
  if (auto join = dyn_cast<tile::JoinOp>(op)) {
    LayoutAttr layout = getLayout(join.getLhs());
    if (!layout)
      layout = settle(join.getRhs());
    requireAll(op, layout, /*results=*/false);
    // The two come to stand in neighbouring registers.
    int64_t rank = layout.getRank();
    LayoutAttr wider = layout.insertDim(rank);
    auto registers = wider.getRegisterBases();
    Basis pair(rank + 1, 0);
    pair[rank] = 1;
    registers.insert(registers.begin(), pair);
    return setResult(join.getResult(),
                     LayoutAttr::get(b.getContext(), rank + 1, registers,
                                     wider.getLaneBases(0),
                                     wider.getWarpBases(0)));
  }
  if (auto moved = dyn_cast<IndexMapOpInterface>(op);
      moved && moved.movesElements()) {
    // Through the memory of the block.
    for (OpOperand &operand : op->getOpOperands())
      if (isTile(operand.get().getType()))
        requireOperand(operand, settle(operand.get()));
    for (Value result : op->getResults())
      setResult(result, canonical(result));
    return;
  }
  if (auto assembly = dyn_cast<tile::InlineAsmOp>(op);
      assembly && assembly.getPack() > 1) {
    for (Type type :
         llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                  SmallVector<Type>(op->getResultTypes())))
      if (auto tile = dyn_cast<RankedTensorType>(type))
        return requireAll(op, packedLayout(b.getContext(), tile.getShape(),
                                           assembly.getPack(), lanes, warps));
  }
  // On elements, or whatever keeps them where they are.
  LayoutAttr layout;
  for (Value operand : op->getOperands())
    if (!layout && isTile(operand.getType()))
      layout = getLayout(operand);
  for (Value operand : op->getOperands())
    if (!layout && isTile(operand.getType()))
      layout = handedOn(operand);
  if (!layout) {
    for (Value value :
         llvm::concat<Value>(SmallVector<Value>(op->getResults()),
                             SmallVector<Value>(op->getOperands())))
      if (!layout && isTile(value.getType()))
        layout = canonical(value);
  }
  requireAll(op, layout);
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

/// Four, or eight where four would have to keep more than 64 rows and columns
/// each of one accumulator. Without products, as many as have 32 elements for
/// each thread of what is loaded.
static int64_t usualWarps(tile::KernelOp kernel, int64_t lanes) {
  constexpr int64_t kUsual = 4, kLarge = 128 * 128 + 1, kShare = 32;
  bool hasProduct = false, isLarge = false;
  int64_t loaded = 0;
  kernel.walk([&](Operation *op) {
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
  return std::clamp<int64_t>(llvm::divideCeil(loaded, kShare * lanes), kUsual,
                             32);
}

namespace {
struct SimtAssignLayouts
    : simt::impl::SimtAssignLayoutsBase<SimtAssignLayouts> {
  using Base::Base;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    int64_t count = warps;
    if (!count)
      if (auto hints = kernel->getAttrOfType<tile::KernelHintsAttr>(
              tile::kKernelHintsAttr))
        count = hints.getWarps();
    if (count < 1)
      count = usualWarps(kernel, lanes);
    count = std::min<int64_t>(count, 32);
    count = llvm::PowerOf2Ceil(count);
    if (!llvm::isPowerOf2_64(lanes)) {
      kernel.emitError("expected lanes to be a power of two, found ")
          << lanes.getValue();
      return signalPassFailure();
    }
    kernel->setAttr(kWarpsAttr, OpBuilder(kernel).getI64IntegerAttr(count));
    if (failed(Assigner(kernel, lanes, count).run()))
      signalPassFailure();
  }
};
} // namespace
