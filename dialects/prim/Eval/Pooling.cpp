// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling over windows.
#include "Families.h"
#include "Windows.h"
#include "kiln/Eval/Perturb.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

enum class Pool { max, sum, average };

double larger(double x, double y) {
  if (x == y)
    return std::signbit(x) ? y : x;
  return x > y || x != x ? x : y;
}

/// Lets sums of `terms` terms, over `divisor`, err as far as they may.
void err(std::vector<double> &sums, ArrayRef<double> sizes, int64_t divisor,
         double terms, int64_t first, DType dtype) {
  double unit = dtype == DType::f64 ? kHalfUlpF64 : kHalfUlp;
  double most = std::min(largestFinite(dtype), largestFinite(DType::f32));
  if (dtype == DType::f64)
    most = largestFinite(dtype);
  for (size_t c = 0; c < sums.size(); ++c) {
    if (sizes[c] > most)
      sums[c] = std::numeric_limits<double>::quiet_NaN();
    else
      sums[c] += errorDirection(first + int64_t(c)) * (terms + 1) * unit *
                 sizes[c] / double(divisor);
  }
}

template <typename OpTy> LogicalResult pool(OpTy op, Frame &frame, Pool kind) {
  const Value &input = frame.get(op.getInput());
  Windows windows;
  windows.input.assign(input.shape().drop_front().drop_back());
  windows.window.assign(op.getWindow());
  windows.strides.assign(op.getStrides());
  windows.padLow.assign(op.getPadLow());
  windows.padHigh.assign(op.getPadHigh());
  windows.dilation.assign(windows.input.size(), 1);
  windows.inputDilation.assign(windows.input.size(), 1);
  if (failed(windows.finalize(op)))
    return failure();
  int64_t channels = input.shape().back();
  SmallVector<int64_t> shape = {input.dim(0)};
  llvm::append_range(shape, windows.output);
  shape.push_back(channels);
  FailureOr<Value> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  Value &out = *result;

  bool isFloat = runtime::isFloat(input.dtype());
  double none =
      kind == Pool::max ? -std::numeric_limits<double>::infinity() : 0;
  int64_t noInt = kind == Pool::max ? smallestInt(input.dtype()) : 0;
  parallelFor(
      input.dim(0) * windows.positions, 64, [&](int64_t begin, int64_t end) {
        std::vector<double> sum(channels), x(channels), size(channels);
        std::vector<int64_t> isum(channels), ix(channels);
        for (int64_t row = begin; row < end; ++row) {
          int64_t n = row / windows.positions, p = row % windows.positions;
          int64_t inside = 0;
          std::fill(sum.begin(), sum.end(), none);
          std::fill(size.begin(), size.end(), 0);
          std::fill(isum.begin(), isum.end(), noInt);
          for (int64_t w = 0; w < windows.elements; ++w) {
            int64_t at = windows.source(p, w);
            if (at < 0)
              continue;
            ++inside;
            int64_t from = (n * windows.inputs + at) * channels;
            if (isFloat) {
              loadDoubles(input.dtype(), input.data(), from, channels,
                          x.data());
              for (int64_t c = 0; c < channels; ++c)
                size[c] += std::fabs(x[c]);
              for (int64_t c = 0; c < channels; ++c)
                sum[c] =
                    kind == Pool::max ? larger(sum[c], x[c]) : sum[c] + x[c];
            } else {
              loadInts(input.dtype(), input.data(), from, channels, ix.data());
              for (int64_t c = 0; c < channels; ++c)
                isum[c] = kind == Pool::max ? std::max(isum[c], ix[c])
                                            : isum[c] + ix[c];
            }
          }
          if (kind == Pool::average)
            for (double &value : sum)
              value /= static_cast<double>(inside);
          if (isFloat && kind != Pool::max && perturbation().isOn())
            err(sum, size, kind == Pool::average ? inside : 1,
                double(windows.elements), row * channels, out.dtype());
          if (isFloat)
            storeDoubles(out.dtype(), out.mutableData(), row * channels,
                         channels, sum.data());
          else
            storeInts(out.dtype(), out.mutableData(), row * channels, channels,
                      isum.data());
        }
      });
  return finish(op, frame, std::move(out));
}

} // namespace

void addPrimPooling(PrimTable &table) {
  table.add<prim::MaxPoolOp>([](prim::MaxPoolOp op, Frame &frame) {
    return pool(op, frame, Pool::max);
  });
  table.add<prim::SumPoolOp>([](prim::SumPoolOp op, Frame &frame) {
    return pool(op, frame, Pool::sum);
  });
  table.add<prim::AvgPoolOp>([](prim::AvgPoolOp op, Frame &frame) {
    return pool(op, frame, Pool::average);
  });
}

} // namespace kiln::eval
