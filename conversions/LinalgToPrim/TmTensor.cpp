// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of tm_tensor, which torch-mlir writes beside linalg.
#include "kiln/Dialect/TmTensor/TmTensor.h"
#include "Linalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// How two values become one.
std::optional<prim::ScatterKind> kindOf(Operation *op) {
  using Kind = prim::ScatterKind;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Kind::add; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Kind::mul; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(
          [](auto) { return Kind::max; })
      .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(
          [](auto) { return Kind::min; })
      .Case<arith::MaxUIOp>([](auto) { return Kind::umax; })
      .Case<arith::MinUIOp>([](auto) { return Kind::umin; })
      .Case<arith::AndIOp>([](auto) { return Kind::and_; })
      .Case<arith::OrIOp>([](auto) { return Kind::or_; })
      .Case<arith::XOrIOp>([](auto) { return Kind::xor_; })
      .Default(std::nullopt);
}

/// What a region with two arguments does with them: gives the first one (`set`)
/// or a combination of both.
std::optional<prim::ScatterKind> combinerOf(Region &region) {
  Block &block = region.front();
  Value yielded = block.back().getOperand(0);
  Value first = block.getArgument(0), second = block.getArgument(1);
  if (yielded == first)
    return prim::ScatterKind::set;
  Operation *op = yielded.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  Value x = op->getOperand(0), y = op->getOperand(1);
  if ((x != first || y != second) && (x != second || y != first))
    return std::nullopt;
  return kindOf(op);
}

std::optional<prim::ScanKind> scanKind(prim::ScatterKind kind) {
  switch (kind) {
  case prim::ScatterKind::add:
    return prim::ScanKind::sum;
  case prim::ScatterKind::mul:
    return prim::ScanKind::prod;
  case prim::ScatterKind::max:
    return prim::ScanKind::max;
  case prim::ScatterKind::min:
    return prim::ScanKind::min;
  default:
    return std::nullopt;
  }
}

/// What a scan with this kind does with two values.
Value combine(prim::ScanKind kind, Value x, Value y, Translator &e) {
  switch (kind) {
  case prim::ScanKind::sum:
    return e.add(x, y);
  case prim::ScanKind::prod:
    return e.mul(x, y);
  case prim::ScanKind::max:
    return e.binary<prim::MaximumOp>(x, y);
  default:
    return e.binary<prim::MinimumOp>(x, y);
  }
}

LogicalResult scan(tm_tensor::ScanOp op, Translator &e) {
  auto combiner = combinerOf(op.getRegion());
  auto kind = combiner ? scanKind(*combiner) : std::nullopt;
  if (!kind)
    return e.unsupported(op, "has a region that is no sum, product, largest "
                             "or smallest value of its arguments");
  Value x = e.get(op.getInputs()[0]);
  if (e.elementOf(x).isInteger(1))
    return e.unsupported(op, "scans truth values");
  int64_t dim = op.getDimension(), rank = e.typeOf(x).getRank();
  auto along = [&](bool exclusive) -> Value {
    return prim::ScanOp::create(e.b, x.getType(), *kind, x, dim,
                                /*reverse=*/false, exclusive);
  };
  // The sizes with one element along the dimension.
  Sizes sizes = e.sizesOf(x), kept;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim)
      kept.push_back(sizes[d]);
  Value all = along(false), result = all, start;
  if (!op.getInclusive()) {
    start = e.get(op.getOutputs()[1]);
    Sizes one = sizes;
    one[dim] = e.size(1);
    start = e.reshape(start, one);
    result = combine(*kind, along(true), e.broadcast(start, sizes), e);
  }
  if (failed(e.set(op.getResult(0), result)))
    return failure();
  if (op.getResult(1).use_empty())
    return success();
  int64_t size = e.typeOf(all).getDimSize(dim);
  if (ShapedType::isDynamic(size) || size == 0)
    return e.unsupported(op, "has an end that is read where the size of the "
                             "dimension is 0 or not known");
  Value last = e.sliceDim(all, dim, size - 1, size);
  if (start)
    last = combine(*kind, last, start, e);
  return e.set(op.getResult(1), e.reshape(last, kept));
}

/// What a sort goes by.
struct Order {
  unsigned key;
  bool descending, isUnsigned;
};

std::optional<Order> orderOf(tm_tensor::SortOp op) {
  Block &block = op.getRegion().front();
  Operation *compare = block.back().getOperand(0).getDefiningOp();
  bool isLess = false, isUnsigned = false;
  if (auto floats = dyn_cast_or_null<arith::CmpFOp>(compare)) {
    using P = arith::CmpFPredicate;
    P p = floats.getPredicate();
    isLess = p == P::OLT || p == P::OLE || p == P::ULT || p == P::ULE;
    bool isMore = p == P::OGT || p == P::OGE || p == P::UGT || p == P::UGE;
    if (!isLess && !isMore)
      return std::nullopt;
  } else if (auto ints = dyn_cast_or_null<arith::CmpIOp>(compare)) {
    using P = arith::CmpIPredicate;
    P p = ints.getPredicate();
    isUnsigned = p == P::ult || p == P::ule || p == P::ugt || p == P::uge;
    isLess = p == P::ult || p == P::ule || p == P::slt || p == P::sle;
    if (p == P::eq || p == P::ne)
      return std::nullopt;
  } else {
    return std::nullopt;
  }
  auto x = dyn_cast<BlockArgument>(compare->getOperand(0));
  auto y = dyn_cast<BlockArgument>(compare->getOperand(1));
  if (!x || !y || x.getOwner() != &block || y.getOwner() != &block || x == y ||
      x.getArgNumber() / 2 != y.getArgNumber() / 2)
    return std::nullopt;
  bool isInOrder = x.getArgNumber() < y.getArgNumber();
  return Order{x.getArgNumber() / 2, isLess != isInOrder, isUnsigned};
}

LogicalResult sort(tm_tensor::SortOp op, Translator &e) {
  std::optional<Order> order = orderOf(op);
  if (!order)
    return e.unsupported(op, "has a region that is no order of one of the "
                             "tensors");
  SmallVector<Value> operands;
  for (Value output : op.getOutputs())
    operands.push_back(e.get(output));
  // The key comes first.
  std::swap(operands[0], operands[order->key]);
  auto sorted = prim::SortOp::create(
      e.b, ValueRange(operands).getTypes(), operands, op.getDimension(),
      /*keys=*/1, order->descending, /*total_order=*/false, order->isUnsigned);
  SmallVector<Value> results(sorted.getResults());
  std::swap(results[0], results[order->key]);
  for (auto [result, value] : llvm::zip(op.getResults(), results))
    if (failed(e.set(result, value)))
      return failure();
  return success();
}

LogicalResult scatter(tm_tensor::ScatterOp op, Translator &e) {
  auto kind = combinerOf(op.getRegion());
  if (!kind)
    return e.unsupported(op, "has a region that is no combination of its "
                             "arguments");
  Value updates = e.get(op.getInputs()[0]), places = e.get(op.getInputs()[1]);
  Value whole = e.get(op.getOutputs()[0]);
  // Windows have all dimensions, one element along those with coordinates.
  Sizes from = e.sizesOf(updates), to = {from[0]};
  unsigned next = 1;
  for (int64_t d = 0; d < e.typeOf(whole).getRank(); ++d)
    to.push_back(llvm::is_contained(op.getDimensionMap(), d) ? e.size(1)
                                                             : from[next++]);
  updates = e.reshape(updates, to);
  return e.set(op.getResult(0), prim::ScatterOp::create(
                                    e.b, whole.getType(), *kind, whole, places,
                                    updates, op.getDimensionMap(),
                                    /*batch_dims=*/0, op.getUniqueIndices()));
}

LogicalResult attention(tm_tensor::AttentionOp op, Translator &e) {
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(e.get(input));
  RankedTensorType query = e.typeOf(inputs[0]), value = e.typeOf(inputs[2]);
  int64_t depth = query.getShape().back();
  if (ShapedType::isDynamic(depth) || depth == 0)
    return e.unsupported(op, "has a query whose last size is 0 or not known");
  SmallVector<int64_t> shape(query.getShape());
  shape.back() = value.getShape().back();
  Value mask;
  if (inputs.size() == 4) {
    Sizes sizes = e.sizesOf(inputs[0]);
    sizes.back() = e.sizesOf(inputs[1])[query.getRank() - 2];
    mask = e.broadcast(e.convert(inputs[3], query.getElementType()), sizes);
  }
  auto made = prim::AttentionOp::create(
      e.b, RankedTensorType::get(shape, query.getElementType()), inputs[0],
      inputs[1], inputs[2], mask,
      e.b.getF64FloatAttr(1.0 / std::sqrt(static_cast<double>(depth))));
  return e.set(op.getResult(0), made.getResult());
}

} // namespace

void addTmTensorRules(Rules &rules) {
  rules.add<tm_tensor::ScanOp>(scan);
  rules.add<tm_tensor::SortOp>(sort);
  rules.add<tm_tensor::ScatterOp>(scatter);
  rules.add<tm_tensor::AttentionOp>(attention);
}

} // namespace kiln::tensor_to_prim
