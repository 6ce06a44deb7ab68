// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of tiles: known combiners in wide loops, others by their region.
#include "Families.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Eval/Perturb.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

/// A tile as [outer, length, inner] around the axis.
struct Axis {
  int64_t outer = 1, length = 1, inner = 1;
  SmallVector<int64_t> shape; ///< of the result

  Axis(ArrayRef<int64_t> from, int64_t axis) {
    for (auto [d, size] : llvm::enumerate(from)) {
      if (static_cast<int64_t>(d) == axis) {
        length = size;
        continue;
      }
      (static_cast<int64_t>(d) < axis ? outer : inner) *= size;
      shape.push_back(size);
    }
  }
};

/// The one operation of a region that combines its two arguments, or null.
Operation *soleCombiner(tile::ReduceOp op) {
  Block &block = op.getCombiner().front();
  if (op.getSources().size() != 1 || block.getOperations().size() != 2)
    return nullptr;
  Operation *combiner = &block.front();
  if (combiner->getNumOperands() != 2 || combiner->getNumResults() != 1 ||
      block.back().getNumOperands() != 1 ||
      block.back().getOperand(0) != combiner->getResult(0))
    return nullptr;
  mlir::Value x = block.getArgument(0), y = block.getArgument(1);
  bool straight = combiner->getOperand(0) == x && combiner->getOperand(1) == y;
  bool crossed = combiner->getOperand(0) == y && combiner->getOperand(1) == x;
  return straight || crossed ? combiner : nullptr;
}

template <typename Fn>
void foldFloats(const Axis &axis, const Value &a, Value &out, Fn fn) {
  std::vector<double> sum(axis.inner), row(axis.inner);
  for (int64_t o = 0; o < axis.outer; ++o) {
    if (axis.inner == 1) {
      // Rows that are contiguous are read in chunks.
      double x[kChunk], total = 0;
      for (int64_t i = 0; i < axis.length; i += kChunk) {
        int64_t n = std::min(kChunk, axis.length - i);
        loadDoubles(a.dtype(), a.data(), o * axis.length + i, n, x);
        if (i == 0)
          total = x[0];
        for (int64_t k = i == 0; k < n; ++k)
          total = fn(total, x[k]);
      }
      storeDoubles(out.dtype(), out.mutableData(), o, 1, &total);
      continue;
    }
    for (int64_t l = 0; l < axis.length; ++l) {
      int64_t at = (o * axis.length + l) * axis.inner;
      loadDoubles(a.dtype(), a.data(), at, axis.inner,
                  l ? row.data() : sum.data());
      for (int64_t i = 0; l && i < axis.inner; ++i)
        sum[i] = fn(sum[i], row[i]);
    }
    storeDoubles(out.dtype(), out.mutableData(), o * axis.inner, axis.inner,
                 sum.data());
  }
}

template <typename Fn>
void foldInts(const Axis &axis, const Value &a, Value &out, Extend extend,
              Fn fn) {
  std::vector<int64_t> sum(axis.inner), row(axis.inner);
  for (int64_t o = 0; o < axis.outer; ++o) {
    for (int64_t l = 0; l < axis.length; ++l) {
      int64_t at = (o * axis.length + l) * axis.inner;
      loadInts(a.dtype(), a.data(), at, axis.inner, l ? row.data() : sum.data(),
               extend);
      for (int64_t i = 0; l && i < axis.inner; ++i)
        sum[i] = fn(sum[i], row[i]);
    }
    storeInts(out.dtype(), out.mutableData(), o * axis.inner, axis.inner,
              sum.data());
  }
}

/// What a term adds to the size of a sum.
double finiteSize(double x) { return std::isinf(x) ? 0 : std::fabs(x); }

/// A sum that errs as far as its length lets it.
void sumWithin(const Axis &axis, const Value &a, Value &out) {
  Value sums = Value::tensor(DType::f64, out.shape());
  Value sizes = Value::tensor(DType::f64, out.shape());
  foldFloats(axis, a, sums, [](double x, double y) { return x + y; });
  foldFloats(axis, a, sizes,
             [](double x, double y) { return finiteSize(x) + finiteSize(y); });
  storeSumsWithin(sums, sizes, double(axis.length), out);
}

/// The same of a product. By their order parts of it may be as large as the
/// product of all large elements, or be subnormal before these come.
void multiplyWithin(const Axis &axis, const Value &a, Value &out) {
  Value products = Value::tensor(DType::f64, out.shape());
  Value sizes = Value::tensor(DType::f64, out.shape());
  Value large = Value::tensor(DType::f64, a.shape());
  for (int64_t i = 0; i < a.size(); ++i) {
    double x;
    loadDoubles(a.dtype(), a.data(), i, 1, &x);
    large.as<double>()[i] = std::max(1., std::fabs(x));
  }
  auto times = [](double x, double y) { return x * y; };
  foldFloats(axis, a, products, times);
  foldFloats(axis, large, sizes, times);
  DType wide = out.dtype() == DType::f64 ? DType::f64 : DType::f32;
  for (int64_t i = 0; i < out.size(); ++i)
    if (double &size = sizes.as<double>()[i]; size <= largestFinite(wide))
      size = std::fabs(products.as<double>()[i]) + size * smallestNormal(wide);
  storeSumsWithin(products, sizes, double(axis.length), out);
}

/// Folds by a known operation; false if it is not one.
bool foldKnown(Operation *op, const Axis &axis, const Value &a, Value &out) {
  using namespace arith;
  auto wrap = [](auto fn) {
    return [fn](int64_t x, int64_t y) {
      return static_cast<int64_t>(
          fn(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
    };
  };
  auto flags = [](auto op) {
    return op.getOverflowFlags() != IntegerOverflowFlags::none;
  };
  auto plus = [](double x, double y) { return x + y; };
  auto times = [](double x, double y) { return x * y; };
  bool errs = perturbation().isOn();
  if (isa<AddFOp>(op) && errs)
    sumWithin(axis, a, out);
  else if (isa<MulFOp>(op) && errs)
    multiplyWithin(axis, a, out);
  else if (isa<AddFOp>(op) && a.dtype() != DType::f64)
    foldFloats(axis, a, out, plus);
  else if (isa<MulFOp>(op) && a.dtype() != DType::f64)
    foldFloats(axis, a, out, times);
  else if (isa<MaximumFOp>(op))
    foldFloats(axis, a, out, [](double x, double y) {
      if (x == y)
        return std::signbit(x) ? y : x;
      return x > y || x != x ? x : y;
    });
  else if (isa<MinimumFOp>(op))
    foldFloats(axis, a, out, [](double x, double y) {
      if (x == y)
        return std::signbit(x) ? x : y;
      return x < y || x != x ? x : y;
    });
  else if (isa<MaxNumFOp>(op))
    foldFloats(axis, a, out, [](double x, double y) {
      return x > y || y != y || (x == y && !std::signbit(x)) ? x : y;
    });
  else if (isa<MinNumFOp>(op))
    foldFloats(axis, a, out, [](double x, double y) {
      return x < y || y != y || (x == y && std::signbit(x)) ? x : y;
    });
  else if (auto add = dyn_cast<AddIOp>(op); add && !flags(add))
    foldInts(axis, a, out, Extend::sign,
             wrap([](uint64_t x, uint64_t y) { return x + y; }));
  else if (auto mul = dyn_cast<MulIOp>(op); mul && !flags(mul))
    foldInts(axis, a, out, Extend::sign,
             wrap([](uint64_t x, uint64_t y) { return x * y; }));
  else if (isa<MaxSIOp>(op))
    foldInts(axis, a, out, Extend::sign,
             [](int64_t x, int64_t y) { return std::max(x, y); });
  else if (isa<MinSIOp>(op))
    foldInts(axis, a, out, Extend::sign,
             [](int64_t x, int64_t y) { return std::min(x, y); });
  else if (isa<MaxUIOp>(op))
    foldInts(axis, a, out, Extend::zero,
             wrap([](uint64_t x, uint64_t y) { return std::max(x, y); }));
  else if (isa<MinUIOp>(op))
    foldInts(axis, a, out, Extend::zero,
             wrap([](uint64_t x, uint64_t y) { return std::min(x, y); }));
  else if (isa<AndIOp>(op))
    foldInts(axis, a, out, Extend::sign,
             [](int64_t x, int64_t y) { return x & y; });
  else if (isa<OrIOp>(op))
    foldInts(axis, a, out, Extend::sign,
             [](int64_t x, int64_t y) { return x | y; });
  else if (isa<XOrIOp>(op))
    foldInts(axis, a, out, Extend::sign,
             [](int64_t x, int64_t y) { return x ^ y; });
  else
    return false;
  return true;
}

/// Element `l` along the axis, of every lane.
Value slice(const Value &a, const Axis &axis, int64_t l) {
  return gatherStrided(a, {axis.outer, axis.inner}, l * axis.inner,
                       {axis.length * axis.inner, 1});
}

/// A left fold that runs the region on all lanes at once.
LogicalResult foldLanes(tile::ReduceOp op, Frame &frame, const Axis &axis,
                        ArrayRef<Value> sources, SmallVector<Value> &sums) {
  for (const Value &source : sources)
    sums.push_back(slice(source, axis, 0));
  for (int64_t l = 1; l < axis.length; ++l) {
    SmallVector<Value> args = sums;
    for (const Value &source : sources)
      args.push_back(slice(source, axis, l));
    if (failed(frame.run(op.getCombiner(), args, sums)))
      return failure();
  }
  return success();
}

/// Combines neighbours, all lanes and pairs at once, until one is left.
LogicalResult foldPairs(tile::ReduceOp op, Frame &frame, const Axis &axis,
                        SmallVector<Value> parts, SmallVector<Value> &sums) {
  int64_t length = axis.length, inner = axis.inner;
  while (length > 1) {
    int64_t pairs = length / 2, rest = length % 2;
    SmallVector<int64_t> shape = {axis.outer, pairs, inner};
    SmallVector<int64_t> strides = {length * inner, 2 * inner, 1};
    SmallVector<Value> args, next;
    for (int64_t side : {0, 1})
      for (const Value &part : parts)
        args.push_back(gatherStrided(part, shape, side * inner, strides));
    if (failed(frame.run(op.getCombiner(), args, next)))
      return failure();
    // The last of an odd number stays for the next round.
    for (auto [part, combined] : llvm::zip(parts, next)) {
      if (rest) {
        int64_t kept = pairs + 1;
        Value both = Value::tensor(part.dtype(), {axis.outer, kept, inner});
        scatterStrided(combined, both, 0, {kept * inner, inner, 1});
        Value last = gatherStrided(part, {axis.outer, inner},
                                   (length - 1) * inner, {length * inner, 1});
        scatterStrided(last, both, pairs * inner, {kept * inner, 1});
        part = both;
      } else {
        part = combined;
      }
    }
    length = pairs + rest;
  }
  sums = parts;
  return success();
}

/// A left fold of one lane after another.
LogicalResult foldScalars(tile::ReduceOp op, Frame &frame, const Axis &axis,
                          ArrayRef<Value> sources,
                          SmallVector<Value> &results) {
  for (const Value &source : sources)
    results.push_back(Value::tensor(source.dtype(), {axis.outer, axis.inner}));
  for (int64_t lane = 0; lane < axis.outer * axis.inner; ++lane) {
    int64_t first =
        lane / axis.inner * axis.length * axis.inner + lane % axis.inner;
    SmallVector<Value> sums;
    for (const Value &source : sources)
      sums.push_back(source.element(first));
    for (int64_t l = 1; l < axis.length; ++l) {
      SmallVector<Value> args = sums;
      for (const Value &source : sources)
        args.push_back(source.element(first + l * axis.inner));
      if (failed(frame.run(op.getCombiner(), args, sums)))
        return failure();
    }
    for (auto [result, sum] : llvm::zip(results, sums)) {
      int64_t bytes = runtime::dtypeBytes(sum.dtype());
      std::memcpy(result.as<char>() + lane * bytes, sum.data(), bytes);
      if (sum.hasPoison())
        result.makePoison()[lane] = 1;
    }
  }
  return success();
}

LogicalResult reduce(tile::ReduceOp op, Frame &frame) {
  SmallVector<Value> sources = frame.get(op.getSources());
  Axis axis(sources.front().shape(), op.getAxis());
  Operation *combiner = soleCombiner(op);
  if (combiner && !sources.front().hasPoison() && !op.getOrdered()) {
    Value out = Value::tensor(sources.front().dtype(), axis.shape);
    if (foldKnown(combiner, axis, sources.front(), out))
      return frame.set(op->getResult(0), std::move(out));
  }
  SmallVector<Value> results;
  LogicalResult done = success();
  if (!isLaneWise(op.getCombiner().front()))
    done = foldScalars(op, frame, axis, sources, results);
  else if (op.getOrdered())
    done = foldLanes(op, frame, axis, sources, results);
  else
    done = foldPairs(op, frame, axis, sources, results);
  if (failed(done))
    return failure();
  for (auto [result, value] : llvm::zip(op->getResults(), results))
    (void)frame.set(result, value.reshaped(axis.shape));
  return success();
}

} // namespace

bool isLaneWise(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            op.getDialect()) ||
        isa<arith::ConstantOp>(op) || op.getNumRegions())
      return false;
    for (mlir::Value operand : op.getOperands())
      if (operand.getParentBlock() != &block)
        return false;
  }
  for (mlir::Value result : block.getTerminator()->getOperands())
    if (result.getParentBlock() != &block)
      return false;
  return true;
}

void addTileReduce(EvaluationInterface &table) {
  table.add<tile::ReduceOp>(reduce);
}

} // namespace kiln::eval
