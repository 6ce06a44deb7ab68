//===- JoinExchanged.cpp - Few dimensions around exchanges ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JoinExchanged.h"
#include "kiln/Dialect/Tile/ExchangeOps.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace kiln;

static RankedTensorType tileOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

namespace {
/// A shape that has all elements of another one. All sizes are powers of two.
struct Joined {
  SmallVector<int64_t> shape;

  struct Place {
    int64_t dim, stride;
  };
  /// The dimension in which `count` elements, a power of two, lie that are
  /// `stride` apart in row-major order, and how far they are apart there.
  std::optional<Place> find(int64_t stride, int64_t count) const {
    int64_t inner = 1;
    for (int64_t dim = shape.size(); dim-- > 0; inner *= shape[dim])
      if (stride >= inner && stride * count <= inner * shape[dim])
        return Place{dim, stride / inner};
    return std::nullopt;
  }
};

class Joiner {
public:
  explicit Joiner(tile::KernelOp kernel) : kernel(kernel), b(kernel) {}

  void run();

private:
  using Shape = ArrayRef<int64_t>;

  void choose();
  const Joined *find(Type type) const {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile || tile.getEncoding())
      return nullptr;
    auto it = joined.find(b.getDenseI64ArrayAttr(tile.getShape()));
    return it == joined.end() ? nullptr : &it->second;
  }
  RankedTensorType typeOf(Value like, Shape shape) const {
    return RankedTensorType::get(shape, tileOf(like).getElementType());
  }
  Value reshape(Value tile, Shape shape);
  /// The tile in the shape of few dimensions.
  Value join(Value tile) { return reshape(tile, find(tile.getType())->shape); }
  /// `value` takes the place of a result, in its shape.
  void replace(Value result, Value value) {
    result.replaceAllUsesWith(reshape(value, tileOf(result).getShape()));
  }
  /// The index along a dimension of `shape`, as i32; null where that is in
  /// several dimensions now.
  Value indexAlong(const Joined &in, Shape shape, int64_t dim);
  Value make(Value tile, ArrayRef<Value> indices, const Joined &in);
  Value compute(Value tile, ArrayRef<Value> indices, const Joined &in);
  bool isElementwise(Operation *op) const;
  Operation *clone(Operation *op, ValueRange operands, Shape shape);

  void rewrite(Operation *op, const Joined &in);
  void rewrite(tile::ExchangeOp op, const Joined &in);
  void rewrite(tile::ReduceOp op);

  tile::KernelOp kernel;
  mutable OpBuilder b;
  llvm::DenseMap<Attribute, Joined> joined; ///< by shape
  llvm::DenseMap<std::pair<Attribute, int64_t>, Value> indexBits;
  /// What `make` has given for a tile and indices since an operation began.
  std::map<std::pair<const void *, SmallVector<const void *>>, Value> made;
};
} // namespace

static int64_t strideOf(ArrayRef<int64_t> shape, int64_t dim) {
  return ShapedType::getNumElements(shape.drop_front(dim + 1));
}

/// Neighbouring dimensions of size 2 are one.
static SmallVector<int64_t> joinDims(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result;
  bool wasPair = false;
  for (int64_t size : shape) {
    bool isPair = size <= 2;
    if (isPair && wasPair)
      result.back() *= size;
    else
      result.push_back(size);
    wasPair = isPair;
  }
  return result;
}

Value Joiner::reshape(Value tile, Shape shape) {
  while (auto inner = tile.getDefiningOp<ReshapeOpInterface>())
    tile = inner.getMoved();
  if (tileOf(tile).getShape() == shape)
    return tile;
  return b.createOrFold<tile::ReshapeOp>(tile.getLoc(), typeOf(tile, shape),
                                         tile);
}

bool Joiner::isElementwise(Operation *op) const {
  return OpTrait::hasElementwiseMappableTraits(op) && !op->getNumRegions() &&
         isMemoryEffectFree(op);
}

/// The operation on tiles of another shape.
Operation *Joiner::clone(Operation *op, ValueRange operands, Shape shape) {
  Operation *copy = b.clone(*op);
  // One number for each dimension that it had.
  NamedAttrList kept(copy->getDiscardableAttrDictionary());
  tile::eraseElementFacts(kept);
  copy->setDiscardableAttrs(kept.getDictionary(copy->getContext()));
  copy->setOperands(operands);
  for (Value result : copy->getResults())
    result.setType(typeOf(result, shape));
  return copy;
}

Value Joiner::indexAlong(const Joined &in, Shape shape, int64_t dim) {
  int64_t size = shape[dim];
  auto place = in.find(strideOf(shape, dim), size);
  if (!place || size == 1)
    return {};
  auto [target, stride] = *place;
  Value &known = indexBits[{b.getDenseI64ArrayAttr({target, stride, size}),
                            ShapedType::getNumElements(in.shape)}];
  auto type = RankedTensorType::get(in.shape, b.getI32Type());
  if (known && known.getType() == type)
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  auto constant = [&](int64_t n) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getI32IntegerAttr(n)));
  };
  known = tile::IotaOp::create(b, loc, type, target);
  if (stride > 1)
    known =
        arith::ShRUIOp::create(b, loc, known, constant(llvm::Log2_64(stride)));
  if (in.shape[target] > stride * size)
    known = arith::AndIOp::create(b, loc, known, constant(size - 1));
  return known;
}

/// What a tile that is computed from indices alone has at these, one for each
/// of its dimensions; null where its size is 1 or the index is not known. Null
/// if it is more. A tile that is read twice is computed once: sums of the same
/// sums have very many ways to their operands.
Value Joiner::make(Value tile, ArrayRef<Value> indices, const Joined &in) {
  std::pair<const void *, SmallVector<const void *>> key{
      tile.getAsOpaquePointer(), {}};
  for (Value index : indices)
    key.second.push_back(index.getAsOpaquePointer());
  if (auto it = made.find(key); it != made.end())
    return it->second;
  Value value = compute(tile, indices, in);
  made[key] = value;
  return value;
}

Value Joiner::compute(Value tile, ArrayRef<Value> indices, const Joined &in) {
  Location loc = tile.getLoc();
  Type element = tileOf(tile).getElementType();
  auto type = RankedTensorType::get(in.shape, element);
  SplatElementsAttr splat;
  if (matchPattern(tile, m_Constant(&splat)))
    return arith::ConstantOp::create(b, loc, splat.resizeSplat(type));
  Operation *op = tile.getDefiningOp();
  if (!op)
    return {};
  if (Value fill = getFillValue(op))
    return tile::SplatOp::create(b, loc, type, fill);
  if (std::optional<unsigned> dim = getCountedDim(op)) {
    Value index = indices[*dim];
    if (tileOf(tile).getDimSize(*dim) == 1)
      return arith::ConstantOp::create(b, loc, type, b.getZeroAttr(type));
    if (!index)
      return {};
    if (element.isIndex())
      return arith::IndexCastOp::create(b, loc, type, index);
    unsigned bits = element.getIntOrFloatBitWidth();
    return bits > 32   ? arith::ExtUIOp::create(b, loc, type, index)
           : bits < 32 ? arith::TruncIOp::create(b, loc, type, index)
                       : index;
  }
  if (auto broadcast = dyn_cast<RepeatOpInterface>(op)) {
    SmallVector<Value> at;
    Shape before = tileOf(broadcast.getMoved()).getShape();
    for (auto [dim, size] : llvm::zip_equal(broadcast.getKeptDims(), before))
      at.push_back(size == 1 ? Value() : indices[dim]);
    return make(broadcast.getMoved(), at, in);
  }
  if (isa<ReshapeOpInterface>(op)) {
    Value source = op->getOperand(0);
    SmallVector<std::pair<Value, int64_t>> wide;
    for (auto [index, size] : llvm::zip_equal(indices, tileOf(tile).getShape()))
      if (size != 1)
        wide.push_back({index, size});
    SmallVector<Value> at;
    for (int64_t size : tileOf(source).getShape()) {
      if (size == 1) {
        at.push_back(nullptr);
        continue;
      }
      if (wide.empty() || wide.front().second != size)
        return {};
      at.push_back(wide.front().first);
      wide.erase(wide.begin());
    }
    return make(source, at, in);
  }
  if (!isElementwise(op) || op->getNumResults() != 1)
    return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value value = tileOf(operand) ? make(operand, indices, in) : operand;
    if (!value)
      return {};
    operands.push_back(value);
  }
  return clone(op, operands, in.shape)->getResult(0);
}

/// Dimensions before and behind the one that goes are joined.
void Joiner::rewrite(tile::ReduceOp op) {
  Shape shape = tileOf(op.getSources()[0]).getShape();
  SmallVector<int64_t> local = joinDims(shape.take_front(op.getAxis()));
  int64_t at = local.size();
  SmallVector<int64_t> left = local,
                       behind = joinDims(shape.drop_front(op.getAxis() + 1));
  left.append(behind);
  local.push_back(shape[op.getAxis()]);
  local.append(behind);
  if (local.size() == shape.size())
    return;
  SmallVector<Value> sources;
  for (Value source : op.getSources())
    sources.push_back(reshape(source, local));
  auto copy = cast<tile::ReduceOp>(b.clone(*op));
  copy->setOperands(sources);
  copy.setAxis(at);
  for (auto [result, old] :
       llvm::zip_equal(copy.getResults(), op.getResults())) {
    result.setType(typeOf(result, left));
    replace(old, result);
  }
}

void Joiner::rewrite(tile::ExchangeOp op, const Joined &in) {
  int64_t axis = op.getAxis(), unit = strideOf(op.getType().getShape(), axis);
  Value value = join(op.getSource());
  // A run of bits may belong to several dimensions now.
  llvm::MapVector<int64_t, int64_t> masks;
  for (int64_t left = op.getMask(); left; left &= left - 1) {
    auto place = in.find(unit * (left & -left), 2);
    masks[place->dim] |= place->stride;
  }
  for (auto [dim, mask] : masks)
    value = b.createOrFold<tile::ExchangeOp>(op.getLoc(), value, dim, mask);
  replace(op.getResult(), value);
}

void Joiner::rewrite(Operation *op, const Joined &in) {
  if (auto exchange = dyn_cast<tile::ExchangeOp>(op))
    return rewrite(exchange, in);
  if (isa<RepeatOpInterface>(op) || getFillValue(op) || getCountedDim(op)) {
    Shape shape = tileOf(op->getResult(0)).getShape();
    SmallVector<Value> indices;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      indices.push_back(indexAlong(in, shape, dim));
    made.clear();
    if (Value value = make(op->getResult(0), indices, in))
      replace(op->getResult(0), value);
    return;
  }
  if (!isElementwise(op))
    return;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(tileOf(operand) ? join(operand) : operand);
  Operation *copy = clone(op, operands, in.shape);
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), copy->getResults()))
    replace(old, result);
}

/// Shapes in which there are exchanges become those that the tiles were
/// reshaped from.
void Joiner::choose() {
  auto isPowers = [](Shape shape) {
    return !shape.empty() && llvm::all_of(shape, [](int64_t size) {
      return llvm::isPowerOf2_64(size);
    });
  };
  llvm::SetVector<Attribute> shapes;
  kernel.walk([&](tile::ExchangeOp op) {
    if (!op.getType().getEncoding() && isPowers(op.getType().getShape()))
      shapes.insert(b.getDenseI64ArrayAttr(op.getType().getShape()));
  });
  kernel.walk([&](tile::ReshapeOp op) {
    Shape sides[] = {tileOf(op.getSource()).getShape(),
                     tileOf(op.getResult()).getShape()};
    for (auto [own, other] :
         {std::pair(sides[1], sides[0]), std::pair(sides[0], sides[1])}) {
      Attribute key = b.getDenseI64ArrayAttr(own);
      if (shapes.contains(key) && isPowers(other) &&
          other.size() < own.size() &&
          !shapes.contains(b.getDenseI64ArrayAttr(other)))
        joined.try_emplace(key, Joined{SmallVector<int64_t>(other)});
    }
  });
  for (Attribute key : shapes) {
    Shape shape = cast<DenseI64ArrayAttr>(key).asArrayRef();
    SmallVector<int64_t> fewer = joinDims(shape);
    if (fewer.size() < shape.size())
      joined.try_emplace(key, Joined{fewer});
  }
}

void Joiner::run() {
  choose();
  if (joined.empty())
    return;
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    b.setInsertionPoint(op);
    auto reduce = dyn_cast<tile::ReduceOp>(op);
    if (reduce && find(reduce.getSources()[0].getType()))
      rewrite(reduce);
    else if (op->getNumResults())
      if (const Joined *in = find(op->getResult(0).getType()))
        rewrite(op, *in);
  }
}

void tile::joinExchanged(tile::KernelOp kernel) { Joiner(kernel).run(); }
