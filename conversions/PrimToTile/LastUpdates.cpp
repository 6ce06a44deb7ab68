//===- LastUpdates.cpp - Scatters of which the last update counts ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of several updates of one element a scatter that sets elements keeps the last
// one. Threads that run at the same time cannot know which one that is, unless
// they compare the numbers of the places first:
//
//   number = 0, 1, 2 ...          of the places, in order
//
//   last = scatter max            (-1 everywhere), place, number
//
//   counts = last[place] == number
//
//   result = scatter set, unique  operand, (counts ? place : nowhere), updates
//
// The result is the same in each call, whichever thread comes first.
//
// Where windows have several elements along dimensions that an index moves,
// windows may overlap in part. Then each of these elements is a place of its
// own.
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/PrimToTile.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Tiling/Tiling.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

namespace kiln {
#define GEN_PASS_DEF_PRIMFINDLASTUPDATES
#include "kiln/Conversion/PrimToTile.h.inc"
} // namespace kiln

using namespace mlir;
using namespace kiln;
using prim::ScatterOp;

namespace {

/// Fewer places take less time one after the other than three more kernels.
constexpr int64_t kFewPlaces = 64;
/// A number for each element that indices can name is worth it if there are no
/// more than this for an update, or few elements.
constexpr int64_t kElementsOfUpdate = 64, kFewElements = int64_t(1) << 22;

struct PrimFindLastUpdates
    : kiln::impl::PrimFindLastUpdatesBase<PrimFindLastUpdates> {
  using PrimFindLastUpdatesBase::PrimFindLastUpdatesBase;
  void runOnOperation() override;
};

/// Rewrites one scatter.
class LastUpdates {
public:
  LastUpdates(ScatterOp op, OpBuilder &b)
      : op(op), b(b), loc(op.getLoc()), batch(op.getBatchDims()),
        dims(op.getDims()), operand(typeOf(op.getOperand())),
        indices(op.getIndices()), updates(op.getUpdates()) {}

  /// Whether several updates may be for one element, places are many and all
  /// sizes are known.
  bool isNeeded();
  Value run();

private:
  static RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  ArrayRef<int64_t> shapeOf(Value value) { return typeOf(value).getShape(); }
  /// The dimensions of the places, matched ones included.
  int64_t placeRank() { return typeOf(indices).getRank() - 1; }
  /// The size of the windows along a dimension of the operand.
  int64_t windowOf(int64_t dim) {
    return typeOf(updates).getDimSize(placeRank() + dim - batch);
  }
  Value full(ArrayRef<int64_t> shape, Type element, int64_t value) {
    return prim::FullOp::create(b, loc, RankedTensorType::get(shape, element),
                                ValueRange(), b.getIntegerAttr(element, value));
  }
  Value iota(ArrayRef<int64_t> shape, Type element, int64_t dim) {
    return prim::IotaOp::create(b, loc, RankedTensorType::get(shape, element),
                                ValueRange(), dim);
  }
  Value convert(Value value, Type element) {
    RankedTensorType type = typeOf(value);
    return type.getElementType() == element
               ? value
               : prim::ConvertElementTypeOp::create(b, loc, type.clone(element),
                                                    value)
                     .getResult();
  }
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return prim::ReshapeOp::create(b, loc, typeOf(value).clone(shape), value,
                                   ValueRange());
  }
  /// `value`, whose dimensions are the first ones of `shape`.
  Value broadcast(Value value, ArrayRef<int64_t> shape) {
    return prim::BroadcastInDimOp::create(
        b, loc, typeOf(value).clone(shape), value, ValueRange(),
        llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank())));
  }
  template <typename Op> Value map(Value lhs, Value rhs) {
    return Op::create(b, loc, lhs.getType(), lhs, rhs);
  }
  template <typename Op> Value compare(Value lhs, Value rhs) {
    return Op::create(b, loc, typeOf(lhs).clone(b.getI1Type()), lhs, rhs);
  }
  /// Makes a place of each element of the windows along indexed dimensions.
  void splitWindows();
  /// How many elements indices can name.
  int64_t countNamed() const {
    int64_t named = 1;
    for (int64_t size : operand.getShape().take_front(batch))
      named *= size;
    for (int64_t dim : dims)
      named *= operand.getDimSize(dim);
    return named;
  }
  /// The row-major number of each place among those of the operand that
  /// indices name; -1 outside.
  Value numberOfPlaces();
  /// Whether each place is the last one of those that are equal.
  Value areLast(Value places);

  ScatterOp op;
  OpBuilder &b;
  Location loc;
  int64_t batch;
  ArrayRef<int64_t> dims;
  RankedTensorType operand;
  Value indices, updates;
};

} // namespace

bool LastUpdates::isNeeded() {
  if (op.getCombine() != prim::ScatterKind::set || op.getUnique() ||
      dims.empty() || !operand.hasStaticShape() ||
      !typeOf(indices).hasStaticShape() || !typeOf(updates).hasStaticShape())
    return false;
  int64_t count = 1;
  for (int64_t size : shapeOf(indices).drop_back().drop_front(batch))
    count *= size;
  for (int64_t dim : dims)
    count *= windowOf(dim);
  int64_t all = typeOf(updates).getNumElements(), named = countNamed();
  if (named > kFewElements && named / kElementsOfUpdate > count)
    return false;
  // Each element of a window becomes a place, with a coordinate for each index.
  bool hasWindows =
      llvm::any_of(dims, [&](int64_t dim) { return windowOf(dim) != 1; });
  if (hasWindows && count > kFewElements)
    return false;
  return count >= kFewPlaces && operand.getNumElements() > 0 && all > 0 &&
         all <= std::numeric_limits<int32_t>::max();
}

void LastUpdates::splitWindows() {
  SmallVector<int64_t> wide;
  for (auto [number, dim] : llvm::enumerate(dims))
    if (windowOf(dim) != 1)
      wide.push_back(number);
  if (wide.empty())
    return;
  // The new places come behind the old ones, the coordinates last.
  int64_t rank = placeRank(), count = dims.size();
  SmallVector<int64_t> shape(shapeOf(indices).drop_back()), order, rest;
  llvm::append_range(order, llvm::seq<int64_t>(0, rank));
  for (int64_t number : wide) {
    shape.push_back(windowOf(dims[number]));
    order.push_back(rank + dims[number] - batch);
  }
  shape.push_back(count);
  // Sums of narrow indices might wrap.
  Type i64 = b.getI64Type();
  Value wider = convert(indices, i64);
  auto along = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  along.push_back(shape.size() - 1);
  wider = prim::BroadcastInDimOp::create(
      b, loc, RankedTensorType::get(shape, i64), wider, ValueRange(), along);
  Value coordinate = iota(shape, i64, shape.size() - 1);
  for (auto [place, number] : llvm::enumerate(wide)) {
    Value isOwn = compare<prim::EqOp>(coordinate, full(shape, i64, number));
    Value step = prim::WhereOp::create(b, loc, coordinate.getType(), isOwn,
                                       iota(shape, i64, rank + int64_t(place)),
                                       full(shape, i64, 0));
    wider = map<prim::AddOp>(wider, step);
  }
  SmallVector<int64_t> sizes(shape);
  sizes.pop_back();
  for (int64_t d = batch; d < operand.getRank(); ++d) {
    bool isWide = llvm::any_of(wide, [&](int64_t n) { return dims[n] == d; });
    if (!isWide)
      order.push_back(rank + d - batch);
    sizes.push_back(isWide ? 1 : windowOf(d));
  }
  SmallVector<int64_t> moved;
  for (int64_t d : order)
    moved.push_back(typeOf(updates).getDimSize(d));
  updates = prim::TransposeOp::create(b, loc, typeOf(updates).clone(moved),
                                      updates, order);
  updates = reshape(updates, sizes);
  indices = wider;
}

Value LastUpdates::numberOfPlaces() {
  ArrayRef<int64_t> sizes = shapeOf(indices), places = sizes.drop_back();
  Type i64 = b.getI64Type();
  Value number, inside;
  auto append = [&](Value coordinate, int64_t size) {
    if (number)
      coordinate = map<prim::AddOp>(
          map<prim::MulOp>(number, full(places, i64, size)), coordinate);
    number = coordinate;
  };
  for (int64_t d = 0; d < batch; ++d)
    append(iota(places, i64, d), places[d]);
  for (auto [k, dim] : llvm::enumerate(dims)) {
    SmallVector<int64_t> starts(sizes.size(), 0), limits(sizes),
        steps(sizes.size(), 1);
    starts.back() = k;
    limits.back() = k + 1;
    SmallVector<int64_t> one(sizes);
    one.back() = 1;
    Value coordinate = prim::SliceOp::create(b, loc, typeOf(indices).clone(one),
                                             indices, starts, limits, steps);
    coordinate = convert(reshape(coordinate, places), i64);
    int64_t size = operand.getDimSize(dim);
    Value here = map<prim::BitwiseAndOp>(
        compare<prim::GeOp>(coordinate, full(places, i64, 0)),
        compare<prim::LtOp>(coordinate, full(places, i64, size)));
    inside = inside ? map<prim::BitwiseAndOp>(inside, here) : here;
    append(coordinate, size);
  }
  return prim::WhereOp::create(b, loc, number.getType(), inside, number,
                               full(places, i64, -1));
}

Value LastUpdates::areLast(Value places) {
  SmallVector<int64_t> shape(shapeOf(places));
  int64_t count = typeOf(places).getNumElements(), all = countNamed();
  Type i32 = b.getI32Type();
  if (all <= std::numeric_limits<int32_t>::max())
    places = convert(places, i32);
  Type index = typeOf(places).getElementType();
  places = reshape(places, {count});
  Value number = iota({count}, i32, 0);
  Value last = ScatterOp::create(
      b, loc, RankedTensorType::get({all}, i32), prim::ScatterKind::max,
      full({all}, i32, -1), reshape(places, {count, 1}),
      reshape(number, {count, 1}), ArrayRef<int64_t>{0}, /*batch_dims=*/0,
      /*unique=*/false);
  // No number is at a place that is not the number's own, such as the first.
  Value somewhere = map<prim::MaximumOp>(places, full({count}, index, 0));
  Value there = prim::GatherOp::create(b, loc, number.getType(), last,
                                       somewhere, /*dim=*/0, /*batch_dims=*/0);
  return reshape(compare<prim::EqOp>(there, number), shape);
}

Value LastUpdates::run() {
  splitWindows();
  Value isLast = areLast(numberOfPlaces());
  RankedTensorType type = typeOf(indices);
  Value places = prim::WhereOp::create(
      b, loc, type, broadcast(isLast, type.getShape()), indices,
      full(type.getShape(), type.getElementType(), -1));
  return ScatterOp::create(b, loc, operand, prim::ScatterKind::set,
                           op.getOperand(), places, updates, dims, batch,
                           /*unique=*/true);
}

void PrimFindLastUpdates::runOnOperation() {
  func::FuncOp func = getOperation();
  target::BoundTarget bound = target::TargetRegistry::get().boundTarget(
      func->getParentOfType<ModuleOp>());
  if (!bound)
    return;
  tiling::Chooser chooser(bound.target, bound.description, bound.options);
  if (!chooser.model().sharesTiles())
    return;
  SmallVector<ScatterOp> scatters;
  func.walk([&](ScatterOp op) { scatters.push_back(op); });
  for (ScatterOp op : scatters) {
    OpBuilder builder(op);
    LastUpdates updates(op, builder);
    if (!updates.isNeeded())
      continue;
    op.replaceAllUsesWith(updates.run());
    op.erase();
  }
}
