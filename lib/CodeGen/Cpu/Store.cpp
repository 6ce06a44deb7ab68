//===- Store.cpp - Writing through views ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweringTable.h"
#include "Machine.h"
#include "OwnLowerings.h"
#include "SmallFloats.h"
#include "kiln/Analysis/Aliases.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// The atomic operation of a combining store that does not multiply.
static LLVM::AtomicBinOp atomicOf(tile::Combine combine, bool isFloat) {
  switch (combine) {
  case tile::Combine::add:
    return isFloat ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
  case tile::Combine::max:
    return isFloat ? LLVM::AtomicBinOp::fmaximum : LLVM::AtomicBinOp::max;
  case tile::Combine::min:
    return isFloat ? LLVM::AtomicBinOp::fminimum : LLVM::AtomicBinOp::min;
  case tile::Combine::umax:
    return LLVM::AtomicBinOp::umax;
  case tile::Combine::umin:
    return LLVM::AtomicBinOp::umin;
  case tile::Combine::and_:
    return LLVM::AtomicBinOp::_and;
  case tile::Combine::or_:
    return LLVM::AtomicBinOp::_or;
  case tile::Combine::xor_:
    return LLVM::AtomicBinOp::_xor;
  case tile::Combine::inc:
    return LLVM::AtomicBinOp::uinc_wrap;
  case tile::Combine::dec:
    return LLVM::AtomicBinOp::udec_wrap;
  case tile::Combine::mul:
  case tile::Combine::assign:
    break;
  }
  return LLVM::AtomicBinOp::xchg;
}

/// Combines one element with the one at an address.
static void combineAt(KernelEmitter &e, Operation *store, Type element,
                      Value value, Value address) {
  tile::Combine combine = tile::combineOf(store);
  Type combined = combinedType(store, element);
  LLVM::AtomicBinOp kind = atomicOf(combine, isa<FloatType>(combined));
  // Truth values are bytes, of which a sum must leave one bit.
  if (element.isInteger(1) && combine == tile::Combine::add)
    kind = LLVM::AtomicBinOp::_xor;
  if (combine == tile::Combine::mul)
    return multiplyAtomically(e, combined, address, value);
  combineAtomically(e, kind, LLVM::AtomicOrdering::monotonic, combined, address,
                    value);
}

/// The address of a point of a tile that begins at `base`: `steps` are the
/// elements from one coordinate to the next, null where it does not count.
static Value tileAddress(KernelEmitter &e, Value base, const Point &point,
                         ArrayRef<Value> steps, Type element) {
  Value address = base;
  for (int level = 0; level <= point.level(); ++level) {
    KernelEmitter::AtLevel at(e, level);
    Value sum;
    for (auto [step, coord] : llvm::zip_equal(steps, point.coords)) {
      bool here = coord.index ? coord.level == level : level == 0;
      if (!step || !here || (!coord.index && coord.constant == 0))
        continue;
      Value term = e.mul(e.coordValue(coord), step);
      sum = sum ? e.add(sum, term) : term;
    }
    if (sum)
      address = e.gep(address, sum, element);
  }
  return address;
}

/// Stores to every second element, by two vectors of neighbours of which each
/// leaves the elements between alone: faster than a scatter. Fails where the
/// machine has no such stores.
static LogicalResult storeEverySecond(KernelEmitter &e, Value value,
                                      Value address, Type element, Value mask) {
  constexpr int64_t kLeastLanes = 4;
  constexpr unsigned kLeastBytes = 4;
  auto type = cast<VectorType>(value.getType());
  int64_t lanes = type.getNumElements();
  unsigned align = e.storageBytes(element);
  if (align < kLeastBytes || lanes < kLeastLanes || lanes % 2 ||
      extraOf(e.kernel, kMaskedBits))
    return failure();
  auto masks = VectorType::get({lanes}, e.b.getI1Type());
  auto constant = [&](bool is) -> Value {
    return arith::ConstantOp::create(e.b, e.loc,
                                     DenseElementsAttr::get(masks, is));
  };
  if (!mask)
    mask = constant(true);
  Value none = constant(false);
  for (int64_t first : {int64_t(0), lanes / 2}) {
    // Element i of the value is element 2 i of memory.
    SmallVector<int64_t> spread, kept;
    for (int64_t i = 0; i < lanes; ++i) {
      spread.push_back(first + i / 2);
      kept.push_back(i % 2 ? lanes : first + i / 2);
    }
    Value at = first ? e.gep(address, e.c64(lanes), element) : address;
    e.storeMasked(vector::ShuffleOp::create(e.b, e.loc, value, value, spread),
                  at, vector::ShuffleOp::create(e.b, e.loc, mask, none, kept),
                  align);
  }
  return success();
}

/// Stores vectors of lanes `stride` (null: one) elements apart that are in
/// `mask` (null: all of them).
static void storeLanes(KernelEmitter &e, Value value, Value address,
                       Value stride, Type element, Value mask) {
  unsigned align = e.storageBytes(element);
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type || (!stride && !mask)) {
    LLVM::StoreOp::create(e.b, e.loc, value, address, align);
    return;
  }
  if (!stride) {
    e.storeMasked(value, address, mask, align);
    return;
  }
  if (getConstantIntValue(stride) == 2 &&
      succeeded(storeEverySecond(e, value, address, element, mask)))
    return;
  int64_t lanes = type.getNumElements();
  Value offsets =
      arith::MulIOp::create(e.b, e.loc, e.laneIds(e.b.getI64Type(), lanes),
                            e.broadcastLanes(stride, lanes));
  auto pointers = VectorType::get({lanes}, address.getType());
  Value addresses =
      LLVM::GEPOp::create(e.b, e.loc, pointers, e.storageType(element), address,
                          ValueRange{offsets});
  if (!mask)
    mask = e.laneMask(e.c64(lanes), lanes);
  LLVM::masked_scatter::create(e.b, e.loc, value, addresses, mask, align);
}

/// A condition for non-temporal (streaming) stores, where the region asks for
/// them: the view has as many bytes as it says, and every vector of the tile
/// that starts at `base` is aligned, or is once `peel` elements of each row
/// have been stored by themselves. Those are none where it does not hold. Null
/// where that is never so.
static Value streamingCondition(KernelEmitter &e, ViewAccessOpInterface store,
                                const Nest &nest, Value base, Value &peel) {
  auto region = dyn_cast<stage::BoxRegionOpInterface>(store->getParentOp());
  stage::StreamAttr stream = region ? region.getStreamAttr() : nullptr;
  if (!stream)
    return nullptr;
  auto type = cast<tile::ViewType>(store.getAccessedView().getType());
  const ViewInfo &view = e.viewOf(store.getAccessedView());
  int64_t bytes = e.storageBytes(view.elementType), rank = type.getRank();
  int64_t vectorBytes = nest.lanes * bytes;
  if (vectorBytes * 8 != e.config.vectorBits || vectorBytes < 32)
    return nullptr;
  Value elements = e.c64(1), misaligned = e.c64(0),
        first = LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(), base);
  SmallVector<ViewAxis, 4> axes = store.getAxes();
  for (int64_t d = 0; d < rank; ++d) {
    elements = e.mul(elements, view.sizes[d]);
    int64_t dim = axes[d].tileDim;
    if (dim < 0 || nest.shape[dim] == 1)
      continue;
    if (dim != nest.laneDim)
      misaligned = arith::OrIOp::create(e.b, e.loc, misaligned,
                                        e.mul(view.strides[d], e.c64(bytes)));
    else if (Value lo = nest.ranges[dim].lo)
      first = e.add(first, e.mul(lo, e.c64(bytes)));
  }
  int64_t known = stream.getPeel() ? bytes : vectorBytes;
  misaligned = arith::OrIOp::create(
      e.b, e.loc,
      arith::AndIOp::create(e.b, e.loc, misaligned, e.c64(vectorBytes - 1)),
      arith::AndIOp::create(e.b, e.loc, first, e.c64(known - 1)));
  Value streaming = e.conjunction(
      e.compare(arith::CmpIPredicate::eq, misaligned, e.c64(0)),
      e.compare(arith::CmpIPredicate::sge, e.mul(elements, e.c64(bytes)),
                e.c64(stream.getBytes())));
  if (stream.getPeel()) {
    Value over = arith::AndIOp::create(e.b, e.loc, e.sub(e.c64(0), first),
                                       e.c64(vectorBytes - 1));
    over = arith::DivUIOp::create(e.b, e.loc, over, e.c64(bytes));
    peel = streaming ? e.select(streaming, over, e.c64(0)) : over;
  }
  return streaming;
}

/// Why the family cannot write through an access; empty if it can.
static std::string whyNotWritten(ViewAccessOpInterface store) {
  auto view = dyn_cast<tile::ViewType>(store.getAccessedView().getType());
  if (!view ||
      view.getElementType() != store.getAccessedType().getElementType())
    return "it changes the type of the elements that it stores";
  if (llvm::count_if(store.getAxes(), [](const ViewAxis &axis) {
        return axis.isIndirect();
      }) > 1)
    return "several dimensions are indirect";
  if (store.getAccessKind() == AccessKind::Update &&
      tile::combineOf(store) == tile::Combine::assign)
    return "it is an operation of a plug-in that combines values with memory";
  return {};
}

static LogicalResult lowerScatter(ViewAccessOpInterface scatter,
                                  KernelEmitter &e) {
  e.freshLevels();
  RankedTensorType type = scatter.getAccessedType();
  auto viewType = cast<tile::ViewType>(scatter.getAccessedView().getType());
  const ViewInfo &view = e.viewOf(scatter.getAccessedView());
  SmallVector<ViewAxis, 4> axes = scatter.getAxes();
  int64_t dim = indirectAxis(axes);
  Value indices = axes[dim].indices, stored = scatter.getAccessedTile();
  int64_t indexRank = cast<RankedTensorType>(indices.getType()).getRank();

  // Indices have no range; the other dimensions have that of their view.
  Nest nest;
  nest.shape.assign(type.getShape().begin(), type.getShape().end());
  nest.ranges.resize(type.getRank());
  SmallVector<int> identity, indexDims;
  SmallVector<int64_t> strides(type.getRank(), 0);
  SmallVector<Value> steps(type.getRank());
  Value origin = e.c64(0);
  for (int64_t d = 0; d < type.getRank(); ++d)
    identity.push_back(nest.shape[d] == 1 ? kZero : int(d));
  for (int64_t i = 0; i < indexRank; ++i)
    indexDims.push_back(identity[axes[dim].tileDim + i]);
  for (auto [d, axis] : llvm::enumerate(axes)) {
    if (axis.isIndirect())
      continue;
    int64_t t = axis.tileDim;
    strides[t] = viewType.getStaticStride(d);
    steps[t] = view.strides[d];
    Bounds range = e.validRange(scatter, d);
    range.hi = e.minimum(range.hi, e.c64(nest.shape[t]));
    nest.ranges[t] = range;
    origin = e.add(origin, e.mul(e.offsetOf(scatter, d), view.strides[d]));
  }
  e.chooseLanes(nest, stored, strides);
  bool combines = scatter.getAccessKind() == AccessKind::Update;
  if (combines)
    nest.lanes = 1;
  e.collect(stored, identity, nest);
  e.collect(indices, indexDims, nest);
  Value base = e.gep(view.base, origin, view.elementType);

  Type element = view.elementType;
  e.runNest(nest, [&](Point point, Value count) {
    point.coords.resize(type.getRank());
    Point indexPoint = indexPointOf(axes[dim], point);
    Value index = indexPoint.hasLanes() ? e.evaluateLanes(indices, indexPoint)
                                        : e.evaluate(indices, indexPoint);
    Value value = e.toStorage(e.evaluate(stored, point));
    Value address = tileAddress(e, base, point, steps, element);
    auto lanes = dyn_cast<VectorType>(index.getType());
    index = e.toI64(index);
    Value size = view.sizes[dim], stride = view.strides[dim];
    if (point.hasLanes() && point.lanes > 1)
      value = e.broadcastLanes(value, point.lanes);
    Value mask =
        count && point.lanes > 1 ? e.laneMask(count, point.lanes) : Value();
    if (!lanes) {
      // All lanes, if there are any, go to one place along the dimension.
      Value inside = e.compare(arith::CmpIPredicate::ult, index, size);
      e.ifEnabled(inside, Type(), [&]() -> Value {
        Value place = e.gep(address, e.mul(index, stride), element);
        if (combines) {
          combineAt(e, scatter, element, value, place);
          return {};
        }
        bool isContiguous =
            !isa<VectorType>(value.getType()) || strides[nest.laneDim] == 1;
        storeLanes(e, value, place,
                   isContiguous ? Value() : steps[nest.laneDim], element, mask);
        return {};
      });
      return;
    }
    Value inside = e.compare(arith::CmpIPredicate::ult, index,
                             e.broadcastLanes(size, point.lanes));
    Value offsets = arith::MulIOp::create(
        e.b, e.loc, index, e.broadcastLanes(stride, point.lanes));
    auto pointers = VectorType::get({point.lanes}, address.getType());
    Value addresses =
        LLVM::GEPOp::create(e.b, e.loc, pointers, e.storageType(element),
                            address, ValueRange{offsets});
    LLVM::masked_scatter::create(e.b, e.loc, value, addresses,
                                 e.conjunction(mask, inside),
                                 e.storageBytes(element));
  });
  return success();
}

namespace {
/// The nest of one store of a tile through a view.
class TileStore {
public:
  TileStore(ViewAccessOpInterface store, KernelEmitter &e);
  void emit();

private:
  /// Bounds along the tile, and the strides that lanes are chosen by.
  void planNest();
  /// The address of the tile's first element. Nothing is stored where a leading
  /// dimension, which the tile lacks, is outside.
  Value findOrigin();
  void storeAt(Point point, Value count);
  /// Row by row, from the first aligned vector of each row if there is one.
  void emitRows();
  /// A whole vector, by a non-temporal store where `streaming` holds.
  void streamAt(Value value, Value address, Value stride);

  KernelEmitter &e;
  ViewAccessOpInterface store;
  SmallVector<ViewAxis, 4> axes;
  RankedTensorType type;
  tile::ViewType viewType;
  const ViewInfo &view;
  Value stored, base;
  Type element;
  tile::Combine combine = tile::Combine::assign;
  Nest nest;
  SmallVector<int64_t> strides; ///< of the view along the tile, 0: unknown
  SmallVector<Value> steps;
  Value streaming, peel;
};
} // namespace

TileStore::TileStore(ViewAccessOpInterface store, KernelEmitter &e)
    : e(e), store(store), axes(store.getAxes()), type(store.getAccessedType()),
      viewType(cast<tile::ViewType>(store.getAccessedView().getType())),
      view(e.viewOf(store.getAccessedView())), stored(store.getAccessedTile()),
      element(view.elementType) {
  combine = tile::combineOf(store);
}

void TileStore::planNest() {
  int64_t rank = type.getRank();
  nest.shape.assign(type.getShape().begin(), type.getShape().end());
  nest.ranges.resize(rank);
  SmallVector<int> identity;
  strides.assign(rank, 0);
  for (int64_t d = 0; d < rank; ++d)
    identity.push_back(nest.shape[d] == 1 ? kZero : int(d));
  for (auto [d, axis] : llvm::enumerate(axes)) {
    if (axis.tileDim < 0)
      continue;
    int64_t t = axis.tileDim;
    strides[t] = axis.step == 1 ? viewType.getStaticStride(d) : 0;
    Bounds range = e.validRange(store, d);
    range.hi = e.minimum(range.hi, e.c64(nest.shape[t]));
    nest.ranges[t] = range;
  }
  e.chooseLanes(nest, stored, strides);
  if (combine != tile::Combine::assign)
    nest.lanes = 1;
  e.collect(stored, identity, nest);
}

Value TileStore::findOrigin() {
  Value condition;
  Value origin = e.c64(0);
  for (int64_t d = 0; d < viewType.getRank(); ++d) {
    origin = e.add(origin, e.mul(e.offsetOf(store, d), view.strides[d]));
    if (axes[d].tileDim >= 0)
      continue;
    Bounds range = e.validRange(store, d);
    condition = e.conjunction(
        condition, e.compare(arith::CmpIPredicate::sgt, range.hi, e.c64(0)));
    if (range.lo)
      condition = e.conjunction(
          condition, e.compare(arith::CmpIPredicate::sle, range.lo, e.c64(0)));
  }
  if (condition) {
    if (nest.shape.empty()) {
      nest.shape.push_back(1);
      nest.ranges.push_back({});
      nest.laneDim = -1;
    }
    Bounds &first = nest.ranges.front();
    first.hi = e.select(condition, first.hi ? first.hi : e.c64(1), e.c64(0));
  }
  return e.gep(view.base, origin, view.elementType);
}

void TileStore::streamAt(Value value, Value address, Value stride) {
  OpBuilder &b = e.b;
  auto choice = scf::IfOp::create(b, e.loc, TypeRange{}, streaming, true, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  auto past =
      LLVM::StoreOp::create(b, e.loc, value, address, e.config.vectorBits / 8);
  past.setNontemporal(true);
  scf::YieldOp::create(b, e.loc);
  b.setInsertionPointToStart(choice.elseBlock());
  storeLanes(e, value, address, stride, element, Value());
  scf::YieldOp::create(b, e.loc);
}

void TileStore::storeAt(Point point, Value count) {
  if (type.getRank() == 0)
    point.coords.clear();
  Value value = e.toStorage(e.evaluate(stored, point));
  Value address = tileAddress(e, base, point, steps, element);
  if (combine != tile::Combine::assign)
    return combineAt(e, store, element, value, address);
  if (point.lanes == 1 || !point.hasLanes())
    return storeLanes(e, value, address, Value(), element, Value());
  value = e.broadcastLanes(value, point.lanes);
  Value mask = count ? e.laneMask(count, point.lanes) : Value();
  bool isContiguous = strides[nest.laneDim] == 1;
  Value stride = isContiguous ? Value() : steps[nest.laneDim];
  if (!streaming || mask)
    return storeLanes(e, value, address, stride, element, mask);
  streamAt(value, address, stride);
}

/// Whether elements of the two lie one after the other along different
/// dimensions.
static bool isTransposed(tile::ViewType a, tile::ViewType b) {
  if (a.getRank() != b.getRank())
    return false;
  auto innermost = [](tile::ViewType type) {
    for (int64_t d = type.getRank(); d-- > 0;)
      if (type.getStaticStride(d) == 1 && type.getShape()[d] != 1)
        return d;
    return int64_t(-1);
  };
  int64_t inA = innermost(a), inB = innermost(b);
  return inA >= 0 && inB >= 0 && inA != inB;
}

/// Whether a nest reads at the places that it stores to. A program may give
/// both views one memory then, whatever their parameters say: each element is
/// read before it is written, but not once more.
static bool readsOwnPlaces(ViewAccessOpInterface read,
                           ViewAccessOpInterface store) {
  auto readType = dyn_cast<tile::ViewType>(read.getAccessedView().getType());
  auto storeType = dyn_cast<tile::ViewType>(store.getAccessedView().getType());
  // Not in one memory if the elements lie in different orders.
  if (readType && storeType && isTransposed(readType, storeType))
    return false;
  if (read.getAxes().size() != store.getAxes().size())
    return read.getAccessedType().getNumElements() ==
           store.getAccessedType().getNumElements();
  return llvm::equal(read.getAxes(), store.getAxes(),
                     [](const ViewAxis &a, const ViewAxis &b) {
                       return isEqualConstantIntOrValue(a.offset, b.offset) &&
                              a.countsBlocks == b.countsBlocks &&
                              a.block == b.block && a.step == b.step &&
                              a.tileDim == b.tileDim && a.indices == b.indices;
                     });
}

void TileStore::emit() {
  planNest();
  base = findOrigin();
  if (combine == tile::Combine::assign && nest.laneDim >= 0 &&
      strides[nest.laneDim] == 1)
    streaming = streamingCondition(e, store, nest, base, peel);
  e.streams |= bool(streaming);
  if (nest.hasFunctions || peel)
    nest.side = e.sideBySide(nest);
  Squares squares;
  if (combine == tile::Combine::assign) {
    nest.rows = e.rowsTogether(nest);
    bool mayRepeat = llvm::none_of(nest.accesses, [&](const Access &access) {
      auto read = cast<ViewAccessOpInterface>(access.op);
      return tile::mayAlias(read.getAccessedView(), store.getAccessedView()) ||
             readsOwnPlaces(read, store);
    });
    nest.mayRepeat = mayRepeat && !streaming;
    if (mayRepeat && nest.laneDim >= 0 && strides[nest.laneDim] == 1)
      squares = e.squaresOf(nest, stored);
  }
  steps.resize(type.getRank());
  for (auto [d, axis] : llvm::enumerate(axes))
    if (axis.tileDim >= 0)
      steps[axis.tileDim] = e.mul(view.strides[d], e.c64(axis.step));
  if (squares.across < 0)
    return emitRows();
  auto inSquares = [&] {
    e.runSquares(nest, squares, stored, [&](Value row, const Point &point) {
      storeLanes(e, row, tileAddress(e, base, point, steps, element), Value(),
                 element, Value());
    });
  };
  Value condition = e.squaresCondition(nest, squares);
  if (!condition)
    return inSquares();
  // Loops of one iteration or none, because only they are levels: what both
  // ways use is computed in front of them.
  auto only = [&](Value once, llvm::function_ref<void()> body) {
    e.forLoop(e.c64(0), once, 1, {}, /*fast=*/false, [&](Coord, ValueRange) {
      body();
      return SmallVector<Value>();
    });
  };
  only(e.select(condition, e.c64(1), e.c64(0)), inSquares);
  only(e.select(condition, e.c64(0), e.c64(1)), [&] { emitRows(); });
}

void TileStore::emitRows() {
  auto body = [&](Point point, Value count) { storeAt(point, count); };
  if (peel) {
    // What comes before the first aligned vector of each row.
    Bounds &lane = nest.ranges[nest.laneDim];
    Value whole = lane.hi, start = e.add(lane.lo ? lane.lo : e.c64(0), peel);
    bool neverFast = std::exchange(nest.neverFast, true);
    lane.hi = e.minimum(start, whole);
    e.runNest(nest, body);
    nest.neverFast = neverFast;
    lane = {start, whole};
  }
  e.runNest(nest, body);
}

static LogicalResult lowerStore(ViewAccessOpInterface store, KernelEmitter &e) {
  if (std::string why = whyNotWritten(store); !why.empty())
    return e.decline(why);
  if (indirectAxis(store.getAxes()) >= 0)
    return lowerScatter(store, e);
  e.freshLevels();
  TileStore(store, e).emit();
  return success();
}

void cpu::addStoreLowerings(LoweringTable &table) {
  table.add<ViewAccessOpInterface>("cpu.store", kViewWrite, lowerStore);
}
