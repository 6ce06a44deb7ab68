// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products.
#include "State.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Kernel.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

namespace {

/// An operand: a patch of storage, a box of a view or a fragment.
struct Operand {
  std::optional<Patch> patch;
  std::optional<View> view;
  Box box; ///< of the view
  Value fragment;
  /// Where the fragment of an earlier matmul in flight will be, and its number.
  std::shared_ptr<Value> future;
  int64_t earlier = -1;
  int64_t rows, columns;
  std::optional<DType> as;   ///< of the tile, where storage has another one
  bool isTransposed = false; ///< the tile is the transposed storage

  Value read(StageState &state) const {
    if (patch) {
      Value stored = state.read(*patch);
      Value tile = isTransposed ? transposed(stored, {1, 0}) : stored;
      return as ? withBits(tile, *as) : tile;
    }
    if (view) {
      Value out = Value::tensor(view->dtype, {rows, columns});
      Box part = box;
      part.view = &*view;
      SmallVector<int64_t, 4> strides(view->sizes.size() - 2, 0);
      strides.append({columns, 1});
      readBox(part, out, 0, strides);
      return out;
    }
    if (fragment.rank() == 3)
      return fragment;
    return gatherStrided(fragment, {rows, columns}, 0,
                         rowMajorStrides(fragment.shape()));
  }

  /// The same bytes as elements of another type.
  static Value withBits(const Value &tile, DType type) {
    Value out = Value::tensor(type, tile.shape());
    std::memcpy(out.mutableData(), tile.data(), tile.bytes());
    if (tile.poison())
      std::memcpy(out.makePoison(), tile.poison(), size_t(tile.size()));
    return out;
  }
};

/// A matrix of storage: the last two dimensions of a patch.
FailureOr<Patch> matrixOf(stage::ProductOp op, Frame &frame, StageState &state,
                          mlir::Value storage, ValueRange origin, int64_t rows,
                          int64_t columns) {
  auto type = cast<MemRefType>(storage.getType());
  SmallVector<int64_t, 4> sizes(type.getRank() - 2, 1);
  sizes.append({rows, columns});
  auto patch = state.patch(op, frame, storage, origin, sizes);
  if (failed(patch))
    return failure();
  auto dropLeading = [](SmallVector<int64_t, 4> &values) {
    values.erase(values.begin(), values.end() - 2);
  };
  dropLeading(patch->sizes);
  dropLeading(patch->strides);
  return patch;
}

LogicalResult readView(stage::ProductOp op, Frame &frame, mlir::Value view,
                       ValueRange origin, Operand &operand) {
  operand.view = frame.get(view).view();
  size_t rank = operand.view->sizes.size();
  for (size_t d = 0; d < rank; ++d) {
    int64_t first = frame.getInt(origin[d]);
    int64_t size = d + 2 == rank   ? operand.rows
                   : d + 1 == rank ? operand.columns
                                   : 1;
    if (first < 0 || first + size > operand.view->sizes[d])
      return op.emitOpError("out-of-bounds access: elements ")
             << first << " to " << first + size - 1 << " of dimension " << d
             << " of a view, which has " << operand.view->sizes[d];
    operand.box.first.push_back(first);
    operand.box.sizes.push_back(size);
    operand.box.steps.push_back(1);
  }
  operand.box.view = &*operand.view;
  return checkAccess(op, frame.instance, operand.box, Access::read);
}

Value zeros(DType type, int64_t rows, int64_t columns) {
  Value out = Value::tensor(type, {rows, columns});
  std::memset(out.mutableData(), 0,
              size_t(out.size() * runtime::dtypeBytes(type)));
  return out;
}

/// Subtracts a row from every row.
void subtract(Value &sum, const Value &row) {
  auto each = [&](auto zero) {
    using T = decltype(zero);
    auto *to = reinterpret_cast<T *>(sum.mutableData());
    auto *from = reinterpret_cast<const T *>(row.data());
    for (int64_t i = 0; i < sum.size(); ++i)
      to[i] -= from[i % sum.dim(1)];
  };
  if (runtime::dtypeBytes(sum.dtype()) == 8)
    each(uint64_t(0));
  else
    each(uint32_t(0));
}

/// The sizes of a product: of its block, or what its operands say.
FailureOr<std::array<int64_t, 3>> sizesOf(stage::ProductOp op, Frame &frame) {
  std::array<int64_t, 3> sizes = op.getSizes();
  std::tuple<StringRef, mlir::Value, int64_t *> counts[] = {
      {"depth", op.getDepth(), &sizes[2]},
      {"number of rows", op.getRows(), &sizes[0]},
      {"number of columns", op.getColumns(), &sizes[1]}};
  for (auto [name, given, size] : counts) {
    if (!given)
      continue;
    const Value &count = frame.get(given);
    if (count.hasPoison())
      return op.emitOpError("the ") << name << " is poison";
    // More rows and columns than the block has are those of others.
    if (count.asInt() < 0 || count.asInt() > *size)
      return op.emitOpError("expected a ")
             << name << " in [0, " << *size << "], found " << count.asInt();
    *size = count.asInt();
  }
  return sizes;
}

/// The sum of an earlier matmul that may be in flight.
LogicalResult readFuture(stage::ProductOp op, Frame &frame, StageState &state,
                         Operand &acc) {
  acc.earlier = frame.getInt(op.getAcc());
  Pending *pending = state.pending(acc.earlier);
  if (!pending)
    return op.emitOpError("adds to a future that was waited for before");
  acc.future = pending->result;
  return success();
}

/// Both factors and the accumulator, in this order.
LogicalResult readOperands(stage::ProductOp op, Frame &frame, StageState &state,
                           const std::array<int64_t, 3> &sizes,
                           MutableArrayRef<Operand> operands) {
  auto [m, n, k] = sizes;
  std::pair<std::optional<Type>, bool> tiles[] = {
      {op.getLhsAs(), op.getLhsTransposed()},
      {op.getRhsAs(), op.getRhsTransposed()}};
  for (auto [operand, tile] : llvm::zip(operands, tiles)) {
    if (tile.first)
      operand.as = dtypeOf(getElementTypeOrSelf(*tile.first));
    operand.isTransposed = tile.second;
  }
  std::tuple<mlir::Value, OperandRange, int64_t, int64_t> sides[] = {
      {op.getLhs(), op.getLhsOrigin(), m, k},
      {op.getRhs(), op.getRhsOrigin(), k, n},
      {op.getAcc(), op.getAccOrigin(), m, n}};
  for (auto [operand, side] : llvm::zip(operands, sides)) {
    auto [value, origin, rows, columns] = side;
    operand.rows = rows;
    operand.columns = columns;
    if (isa<tile::ViewType>(value.getType())) {
      if (failed(readView(op, frame, value, origin, operand)))
        return failure();
      continue;
    }
    if (isa<stage::FutureType>(value.getType()) &&
        !isComplete(frame.get(value))) {
      if (failed(readFuture(op, frame, state, operand)))
        return failure();
      continue;
    }
    if (!isa<MemRefType>(value.getType())) {
      operand.fragment = frame.get(value);
      if (operand.fragment.rank() == 3)
        continue;
      if (operand.fragment.dim(0) < rows || operand.fragment.dim(1) < columns)
        return op.emitOpError("expected a depth within a fragment of ")
               << value.getType() << ", found " << k;
      continue;
    }
    if (operand.isTransposed)
      std::swap(rows, columns);
    auto patch = matrixOf(op, frame, state, value, origin, rows, columns);
    if (failed(patch))
      return failure();
    operand.patch = std::move(*patch);
  }
  return success();
}

LogicalResult evaluateProduct(stage::ProductOp op, Frame &frame) {
  StageState *state = stateOf(op, frame);
  if (!state || failed(state->stir(frame)))
    return failure();
  FailureOr<std::array<int64_t, 3>> sizes = sizesOf(op, frame);
  Operand operands[3];
  if (failed(sizes) ||
      failed(readOperands(op, frame, *state, *sizes, operands)))
    return failure();
  std::optional<Patch> minus;
  if (op.getMinus()) {
    auto patch = matrixOf(op, frame, *state, op.getMinus(), {}, 1, (*sizes)[1]);
    if (failed(patch))
      return failure();
    minus = std::move(*patch);
  }
  bool isFresh = false;
  if (op.getFresh()) {
    const Value &given = frame.get(op.getFresh());
    if (given.hasPoison())
      return op.emitOpError("expected 'fresh' to be true or false, found "
                            "poison");
    isFresh = given.asInt() != 0;
  }
  Pending pending;
  pending.op = op;
  for (const Operand &operand : {operands[0], operands[1]})
    if (operand.patch)
      pending.reads.push_back(*operand.patch);
  if (minus)
    pending.reads.push_back(*minus);
  if (operands[1].view)
    pending.globals.push_back(globalOf(operands[1].box, /*isWrite=*/false));
  if (operands[2].patch) {
    // It is read, too, and by nobody else until it is written.
    if (!isFresh && failed(state->checkRead(op, *operands[2].patch)))
      return failure();
    pending.writes.push_back(*operands[2].patch);
  }
  bool isTf32 = op.getInputPrecision() == tile::InputPrecision::tf32;
  DotMode mode = {isTf32, op.getLhsUnsigned(), op.getRhsUnsigned(),
                  int64_t(op.getMaxImpreciseAcc())};
  auto sum = std::make_shared<Value>();
  DType type = dtypeOf(op.getAccType().getElementType());
  pending.effect = [=, lhs = operands[0], rhs = operands[1],
                    acc = operands[2]]() mutable {
    if (acc.future) {
      if (Pending *earlier = state->pending(acc.earlier);
          earlier && failed(state->complete(*earlier)))
        return failure();
      acc.fragment = *acc.future;
    }
    Value start =
        isFresh ? zeros(type, acc.rows, acc.columns) : acc.read(*state);
    *sum = dotOf(lhs.read(*state), rhs.read(*state), start, mode);
    if (minus)
      subtract(*sum, state->read(*minus));
    if (acc.patch)
      state->write(*acc.patch, *sum);
    return success();
  };
  if (op.getAsync()) {
    pending.matmul = state->matmuls++;
    pending.result = sum;
  }
  auto id = state->issue(std::move(pending));
  if (failed(id))
    return failure();
  if (!op.getAsync()) {
    if (failed(state->await(*id)))
      return failure();
    return op.getResult() ? frame.set(op.getResult(), *sum) : success();
  }
  return frame.set(op.getResult(), Value::ofIndex(*id));
}

} // namespace

void addStageProduct(EvaluationInterface &table) {
  table.add<stage::ProductOp>(evaluateProduct);
}

} // namespace kiln::eval
