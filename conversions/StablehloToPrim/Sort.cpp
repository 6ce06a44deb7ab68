// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting of StableHLO: comparators are read as keys, or called for each pair.
#include "Reduction.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// One comparison: a function of the elements of the left side, by which order
/// they come first.
struct Key {
  Value left, right;
  bool descending = false, totalOrder = false;
};

/// Reads the comparator of a sort.
class Comparator {
public:
  explicit Comparator(stablehlo::SortOp op)
      : block(op.getComparator().front()) {}

  /// The keys in the order of their weight, or nothing.
  std::optional<SmallVector<Key>> read() {
    Operation *last = block.getTerminator();
    SmallVector<Key> keys;
    if (last->getNumOperands() != 1 || !readLess(last->getOperand(0), keys) ||
        keys.empty())
      return std::nullopt;
    return keys;
  }

private:
  using Direction = stablehlo::ComparisonDirection;

  /// What `mirrored` found: a value that is read often is compared once.
  DenseMap<std::pair<Value, Value>, bool> compared;

  /// The number of an argument and whether it is of the right side.
  static std::pair<unsigned, bool> side(BlockArgument argument) {
    return {argument.getArgNumber() / 2, argument.getArgNumber() % 2 == 1};
  }

  /// Whether `b` computes of right elements what `a` does of left ones.
  bool mirrored(Value a, Value b) {
    auto x = dyn_cast<BlockArgument>(a), y = dyn_cast<BlockArgument>(b);
    if (x && x.getOwner() == &block)
      return y && y.getOwner() == &block && !side(x).second && side(y).second &&
             side(x).first == side(y).first;
    if (a == b && !isInside(a))
      return true;
    Operation *f = a.getDefiningOp(), *g = b.getDefiningOp();
    if (!f || !g || f->getName() != g->getName() ||
        f->getAttrDictionary() != g->getAttrDictionary() ||
        f->getNumOperands() != g->getNumOperands() || f->getNumRegions() != 0 ||
        f->getNumResults() != 1 || a.getType() != b.getType())
      return false;
    if (auto known = compared.find({a, b}); known != compared.end())
      return known->second;
    bool isMirrored = llvm::all_of(
        llvm::zip(f->getOperands(), g->getOperands()), [&](auto pair) {
          return mirrored(std::get<0>(pair), std::get<1>(pair));
        });
    compared[{a, b}] = isMirrored;
    return isMirrored;
  }

  bool isInside(Value value) { return value.getParentBlock() == &block; }

  /// A comparison of both sides, whichever stands first.
  std::optional<Key> readCompare(Value value, bool equality) {
    auto compare = value.getDefiningOp<stablehlo::CompareOp>();
    if (!compare)
      return std::nullopt;
    Direction direction = compare.getComparisonDirection();
    if (equality != (direction == Direction::EQ) || direction == Direction::NE)
      return std::nullopt;
    Key key{compare.getLhs(), compare.getRhs()};
    key.descending = direction == Direction::GT || direction == Direction::GE;
    if (!mirrored(key.left, key.right)) {
      std::swap(key.left, key.right);
      key.descending = !key.descending;
      if (!mirrored(key.left, key.right))
        return std::nullopt;
    }
    key.totalOrder =
        compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
    return key;
  }

  static bool same(const Key &a, const Key &b) { return a.left == b.left; }

  /// a < b, or (a < b) | (a == b & rest), or a == b ? rest : a < b.
  bool readLess(Value value, SmallVector<Key> &keys) {
    if (auto key = readCompare(value, false)) {
      keys.push_back(*key);
      return true;
    }
    Value less, equal, rest;
    if (auto select = value.getDefiningOp<stablehlo::SelectOp>()) {
      equal = select.getPred();
      rest = select.getOnTrue();
      less = select.getOnFalse();
    } else if (auto either = value.getDefiningOp<stablehlo::OrOp>()) {
      less = either.getLhs();
      auto both = either.getRhs().getDefiningOp<stablehlo::AndOp>();
      if (!both) {
        less = either.getRhs();
        both = either.getLhs().getDefiningOp<stablehlo::AndOp>();
      }
      if (!both)
        return false;
      equal = both.getLhs();
      rest = both.getRhs();
      if (!readCompare(equal, true))
        std::swap(equal, rest);
    } else {
      return false;
    }
    auto first = readCompare(less, false), tie = readCompare(equal, true);
    if (!first || !tie || !same(*first, *tie))
      return false;
    keys.push_back(*first);
    return readLess(rest, keys);
  }

  Block &block;
};

/// A key in the opposite order.
Value opposite(Value x, Translator &e) {
  return isa<FloatType>(e.elementOf(x)) ? e.unary<prim::NegOp>(x)
                                        : e.unary<prim::BitwiseNotOp>(x);
}

/// What is sorted by: tensors, and flags of the sort.
struct Order {
  Tensors keys;
  bool descending = false, totalOrder = false;
};

/// The order of keys, or nothing where prim has no such order.
std::optional<Order> orderOf(stablehlo::SortOp op, ArrayRef<Key> keys,
                             Translator &e) {
  Order order;
  order.descending = keys.front().descending;
  auto shape = cast<RankedTensorType>(op.getInputs()[0].getType());
  IRMapping arrays;
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    arrays.map(op.getComparator().getArgument(2 * i), input);
  bool sawFloat = false;
  for (const Key &key : keys) {
    Value array = vectorize(key.left, arrays, shape, op, e);
    if (!array || isComplex(array.getType()))
      return std::nullopt;
    Value x = e.get(array);
    bool isFloat = isa<FloatType>(e.elementOf(x));
    if (isFloat && sawFloat && key.totalOrder != order.totalOrder)
      return std::nullopt;
    if (isFloat)
      order.totalOrder = key.totalOrder;
    sawFloat |= isFloat;
    if (isUnsigned(array.getType()) && !e.elementOf(x).isInteger(1))
      x = flipTop(x, e);
    order.keys.push_back(key.descending == order.descending ? x
                                                            : opposite(x, e));
  }
  return order;
}

/// The tensors of all pairs of elements along a dimension: in front element i
/// of that dimension (`isRight`: element j), where j counts a new last one.
SmallVector<Value> pairsOf(stablehlo::SortOp op, RankedTensorType pairs,
                           int64_t dim, bool isRight, Translator &e) {
  OpBuilder b(op);
  SmallVector<Value> made;
  int64_t rank = pairs.getRank() - 1;
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (isRight)
    dims[dim] = rank;
  for (Value input : op.getInputs()) {
    Type element = getElementTypeOrSelf(input.getType());
    made.push_back(stablehlo::BroadcastInDimOp::create(
        b, op.getLoc(), pairs.clone(element), input, dims));
    if (failed(e.emit(made.back().getDefiningOp())))
      return {};
  }
  return made;
}

/// A comparator that is no order of keys is asked about each pair of elements:
/// of two elements the later one comes first if it is less than the earlier
/// one. What is sorted by is the number of elements before each one.
FailureOr<Order> askedOrder(stablehlo::SortOp op, int64_t dim, Translator &e) {
  auto shape = cast<RankedTensorType>(op.getInputs()[0].getType());
  if (!shape.hasStaticShape())
    return e.unsupported(op, "has a comparator that is no order of keys, on a "
                             "size that is not known");
  double bytes = 0;
  for (Value x : tensorsOf(op.getInputs(), e))
    bytes += (e.elementOf(x).getIntOrFloatBitWidth() + 7) / 8;
  bytes *= double(shape.getNumElements()) * shape.getDimSize(dim);
  if (bytes > double(1 << 28))
    return e.unsupported(op, "has a comparator that is no order of keys, for "
                             "pairs of elements of more than 256 MiB");
  SmallVector<int64_t> sizes(shape.getShape());
  sizes.push_back(shape.getDimSize(dim));
  auto pairs = RankedTensorType::get(sizes, e.b.getI64Type());
  auto here = pairsOf(op, pairs, dim, false, e),
       there = pairsOf(op, pairs, dim, true, e);
  if (here.empty() || there.empty())
    return failure();
  Block &block = op.getComparator().front();
  auto less = [&](ArrayRef<Value> left, ArrayRef<Value> right) -> Value {
    IRMapping arrays;
    for (auto [i, x] : llvm::enumerate(left)) {
      arrays.map(block.getArgument(2 * i), x);
      arrays.map(block.getArgument(2 * i + 1), right[i]);
    }
    Operation *last = block.getTerminator();
    Value array = last->getNumOperands() == 1
                      ? vectorize(last->getOperand(0), arrays, pairs, op, e)
                      : Value();
    return array ? e.get(array) : Value();
  };
  Value thereIsLess = less(there, here), hereIsLess = less(here, there);
  if (!thereIsLess || !hereIsLess) {
    if (e.reported)
      return failure();
    return e.unsupported(op, "has a comparator that does not work on one "
                             "element at a time");
  }
  Value i = prim::IotaOp::create(e.b, pairs, ValueRange{}, dim);
  Value j = prim::IotaOp::create(e.b, pairs, ValueRange{}, shape.getRank());
  Value isBefore = e.where(
      e.compare<prim::LtOp>(j, i),
      e.compare<prim::EqOp>(hereIsLess, e.integer(0, hereIsLess)),
      e.binary<prim::BitwiseAndOp>(e.compare<prim::GtOp>(j, i), thereIsLess));
  Order order;
  order.keys.push_back(prim::SumOp::create(
      e.b, RankedTensorType::get(shape.getShape(), e.b.getI64Type()),
      e.convert(isBefore, e.b.getI64Type(), false, true),
      ArrayRef<int64_t>{shape.getRank()}));
  return order;
}

LogicalResult sort(stablehlo::SortOp op, Translator &e) {
  auto shape = cast<RankedTensorType>(op.getInputs()[0].getType());
  int64_t dim = op.getDimension();
  if (dim < 0)
    dim += shape.getRank();
  if (failed(checkDims(op, "dimension", dim, shape.getRank(), e)))
    return failure();
  std::optional<Order> order;
  if (auto keys = Comparator(op).read())
    order = orderOf(op, *keys, e);
  if (e.reported)
    return failure();
  if (!order) {
    auto asked = askedOrder(op, dim, e);
    if (failed(asked))
      return failure();
    order = *asked;
  }
  Tensors operands = order->keys;
  llvm::append_range(operands, tensorsOf(op.getInputs(), e));
  SmallVector<NamedAttribute> flags{
      e.b.getNamedAttr("dim", e.b.getI64IntegerAttr(dim)),
      e.b.getNamedAttr("keys", e.b.getI64IntegerAttr(order->keys.size()))};
  if (order->descending)
    flags.push_back(e.b.getNamedAttr("descending", e.b.getUnitAttr()));
  if (order->totalOrder)
    flags.push_back(e.b.getNamedAttr("total_order", e.b.getUnitAttr()));
  auto made =
      make(op, "sort", operands, ValueRange(operands).getTypes(), e, flags);
  if (failed(made))
    return failure();
  return bindAll(op.getResults(),
                 Tensors((*made)->getResults().drop_front(order->keys.size())),
                 e);
}

} // namespace

void addSortRules(Rules &rules) { rules.add<stablehlo::SortOp>(sort); }

} // namespace kiln::stablehlo_to_prim
