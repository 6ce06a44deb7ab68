// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot_general: operands become [batch, m, k] and [batch, k, n].
#include "Families.h"
#include "kiln/Eval/Perturb.h"
#include "kiln/Eval/Products.h"

using namespace mlir;

namespace kiln::eval {

namespace {

/// `n` elements of `value` from number `begin` on, in the type that sums are
/// made in.
template <typename Sum>
void loadPart(const Value &value, int64_t begin, int64_t n, Sum *to) {
  if constexpr (std::is_same_v<Sum, uint64_t>) {
    loadInts(value.dtype(), value.data(), begin, n,
             reinterpret_cast<int64_t *>(to));
  } else if constexpr (std::is_same_v<Sum, double>) {
    loadDoubles(value.dtype(), value.data(), begin, n, to);
  } else {
    double x[kChunk];
    for (int64_t i = 0; i < n; i += kChunk) {
      int64_t part = std::min(kChunk, n - i);
      loadDoubles(value.dtype(), value.data(), begin + i, part, x);
      std::copy(x, x + part, to + i);
    }
  }
}

/// All elements of `value`.
template <typename Sum> std::vector<Sum> load(const Value &value) {
  std::vector<Sum> result(value.size());
  parallelFor(value.size(), 1 << 16, [&](int64_t begin, int64_t end) {
    loadPart(value, begin, end - begin, result.data() + begin);
  });
  return result;
}

template <typename Sum>
void batched(const Value &lhs, const Value &rhs, Value &out, int64_t batches,
             int64_t m, int64_t n, int64_t k) {
  std::vector<Sum> a = load<Sum>(lhs);
  std::vector<Sum> c(batches * m * n);
  for (int64_t i = 0; i < batches; ++i)
    multiply(m, n, k, a.data() + i * m * k,
             LoadElements<Sum>([&](int64_t begin, int64_t count, Sum *to) {
               loadPart(rhs, i * k * n + begin, count, to);
             }),
             c.data() + i * m * n);
  int64_t count = out.size();
  for (int64_t i = 0; i < count; i += kChunk) {
    int64_t part = std::min(kChunk, count - i);
    if constexpr (std::is_same_v<Sum, uint64_t>) {
      storeInts(out.dtype(), out.mutableData(), i, part,
                reinterpret_cast<const int64_t *>(c.data()) + i);
    } else {
      double x[kChunk];
      std::copy(c.data() + i, c.data() + i + part, x);
      storeDoubles(out.dtype(), out.mutableData(), i, part, x);
    }
  }
}

/// Brings dimensions into the given order.
Value ordered(const Value &value, ArrayRef<int64_t> first,
              ArrayRef<int64_t> second, ArrayRef<int64_t> third) {
  SmallVector<int64_t> order(first);
  llvm::append_range(order, second);
  llvm::append_range(order, third);
  return llvm::is_sorted(order) ? value : transposed(value, order);
}

int64_t product(const Value &value, ArrayRef<int64_t> dims) {
  int64_t result = 1;
  for (int64_t d : dims)
    result *= value.dim(d);
  return result;
}

LogicalResult dotGeneral(prim::DotGeneralOp op, Frame &frame) {
  const Value &lhs = frame.get(op.getLhs()), &rhs = frame.get(op.getRhs());
  ArrayRef<int64_t> lhsBatch = op.getLhsBatch(), rhsBatch = op.getRhsBatch();
  ArrayRef<int64_t> lhsContract = op.getLhsContract();
  ArrayRef<int64_t> rhsContract = op.getRhsContract();
  auto match = [&](ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
    for (auto [l, r] : llvm::zip(left, right))
      if (lhs.dim(l) != rhs.dim(r)) {
        op.emitOpError("expected dimension ")
            << r << " of rhs to have size " << lhs.dim(l) << ", found "
            << rhs.dim(r);
        return failure();
      }
    return success();
  };
  if (failed(match(lhsBatch, rhsBatch)) ||
      failed(match(lhsContract, rhsContract)))
    return failure();

  SmallVector<int64_t> lhsFree, rhsFree, shape;
  for (int64_t d : lhsBatch)
    shape.push_back(lhs.dim(d));
  for (int64_t d = 0; d < static_cast<int64_t>(lhs.rank()); ++d)
    if (!llvm::is_contained(lhsBatch, d) &&
        !llvm::is_contained(lhsContract, d)) {
      lhsFree.push_back(d);
      shape.push_back(lhs.dim(d));
    }
  for (int64_t d = 0; d < static_cast<int64_t>(rhs.rank()); ++d)
    if (!llvm::is_contained(rhsBatch, d) &&
        !llvm::is_contained(rhsContract, d)) {
      rhsFree.push_back(d);
      shape.push_back(rhs.dim(d));
    }
  FailureOr<Value> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  int64_t batches = product(lhs, lhsBatch), k = product(lhs, lhsContract);
  int64_t m = product(lhs, lhsFree), n = product(rhs, rhsFree);
  Value a = ordered(lhs, lhsBatch, lhsFree, lhsContract);
  Value b = ordered(rhs, rhsBatch, rhsContract, rhsFree);
  // Sums of products of small integers are exact in doubles.
  bool isSmall = runtime::dtypeBits(lhs.dtype()) <= 16 &&
                 runtime::dtypeBits(rhs.dtype()) <= 16 && k < (1 << 21);
  bool errs = perturbation().isOn() && runtime::isFloat(result->dtype());
  if (errs) {
    Value sums = Value::tensor(DType::f64, shape);
    Value sizes = Value::tensor(DType::f64, shape);
    batched<long double>(a, b, sums, batches, m, n, k);
    // Both factors may lose all but 10 bits.
    bool isTf32 = op.getPrecision() == prim::Precision::tf32;
    auto sizesOf = isTf32 ? tf32Sizes : magnitudes;
    batched<long double>(sizesOf(a), sizesOf(b), sizes, batches, m, n, k);
    if (isTf32) {
      Value rest = Value::tensor(DType::f64, shape);
      batched<long double>(tf32Rest(a), tf32Rest(b), rest, batches, m, n, k);
      markLostTerms(rest, sizes);
    }
    Value kept = sizes;
    bool flushes = mayFlushProduct(lhs.dtype(), rhs.dtype());
    if (flushes) {
      kept = Value::tensor(DType::f64, shape);
      batched<long double>(normalMagnitudes(a), normalMagnitudes(b), kept,
                           batches, m, n, k);
    }
    // So many terms may be summed with 14 bits.
    double wide =
        isTf32 ? 0x1p15
               : double(std::min<int64_t>(k, op.getImprecise())) * 0x1p10;
    storeSumsWithin(sums, sizes, double(k) + wide, *result,
                    flushes ? &kept : nullptr);
  } else if (result->dtype() == DType::f64)
    batched<long double>(a, b, *result, batches, m, n, k);
  else if (runtime::isFloat(result->dtype()))
    batched<double>(a, b, *result, batches, m, n, k);
  else if (!isSmall)
    batched<uint64_t>(a, b, *result, batches, m, n, k);
  else {
    Value sums = Value::tensor(DType::f64, shape);
    batched<double>(a, b, sums, batches, m, n, k);
    int64_t x[kChunk];
    for (int64_t i = 0; i < sums.size(); i += kChunk) {
      int64_t part = std::min(kChunk, sums.size() - i);
      for (int64_t j = 0; j < part; ++j)
        x[j] = static_cast<int64_t>(sums.as<double>()[i + j]);
      storeInts(result->dtype(), result->mutableData(), i, part, x);
    }
  }
  return finish(op, frame, std::move(*result));
}

} // namespace

void addPrimMatMul(PrimTable &table) {
  table.add<prim::DotGeneralOp>(dotGeneral);
}

} // namespace kiln::eval
