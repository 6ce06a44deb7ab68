// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution: windows become rows of a matrix product.
#include "Families.h"
#include "Windows.h"
#include "kiln/Eval/Perturb.h"
#include "kiln/Eval/Products.h"

using namespace mlir;

namespace kiln::eval {

LogicalResult Windows::finalize(Operation *op) {
  for (size_t d = 0; d < input.size(); ++d) {
    int64_t spread = (input[d] - 1) * inputDilation[d] + 1;
    int64_t room =
        spread + padLow[d] + padHigh[d] - ((window[d] - 1) * dilation[d] + 1);
    if (room < 0 || input[d] <= 0)
      return op->emitOpError("expected a window that fits into dimension ")
             << d + 1 << " of size " << input[d];
    output.push_back(room / strides[d] + 1);
    positions *= output.back();
    elements *= window[d];
    inputs *= input[d];
  }
  return success();
}

int64_t Windows::source(int64_t p, int64_t w) const {
  int64_t result = 0, scale = 1;
  for (int64_t d = static_cast<int64_t>(input.size()) - 1; d >= 0; --d) {
    int64_t at =
        p % output[d] * strides[d] - padLow[d] + w % window[d] * dilation[d];
    p /= output[d];
    w /= window[d];
    if (at < 0 || at % inputDilation[d] != 0 ||
        at / inputDilation[d] >= input[d])
      return -1;
    result += at / inputDilation[d] * scale;
    scale *= input[d];
  }
  return result;
}

namespace {

template <typename Sum> std::vector<Sum> load(const Value &value) {
  std::vector<Sum> result(value.size());
  if constexpr (std::is_same_v<Sum, uint64_t>) {
    loadInts(value.dtype(), value.data(), 0, value.size(),
             reinterpret_cast<int64_t *>(result.data()));
  } else {
    std::vector<double> doubles = toDoubles(value);
    std::copy(doubles.begin(), doubles.end(), result.begin());
  }
  return result;
}

/// Rows of the input matrix that are made at a time.
int64_t rowsAtOnce(int64_t columns) {
  return std::max<int64_t>(16, (1 << 21) / std::max<int64_t>(1, columns));
}

template <typename Sum>
void convolve(const Value &input, const Value &filter, Value &out,
              const Windows &windows, int64_t groups) {
  std::vector<Sum> x = load<Sum>(input), f = load<Sum>(filter);
  int64_t batches = input.dim(0), channels = input.shape().back();
  int64_t outputs = filter.dim(0);
  int64_t inGroup = channels / groups, outGroup = outputs / groups;
  int64_t columns = windows.elements * inGroup;
  std::vector<Sum> weights(columns * outGroup), rows, sums;
  std::vector<double> rounded;
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t o = 0; o < outGroup; ++o)
      for (int64_t k = 0; k < columns; ++k)
        weights[k * outGroup + o] = f[(g * outGroup + o) * columns + k];
    int64_t all = batches * windows.positions;
    int64_t step = std::min(all, rowsAtOnce(columns));
    for (int64_t first = 0; first < all; first += step) {
      int64_t count = std::min(step, all - first);
      rows.assign(count * columns, Sum(0));
      parallelFor(count, 64, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          int64_t n = (first + r) / windows.positions;
          int64_t p = (first + r) % windows.positions;
          for (int64_t w = 0; w < windows.elements; ++w) {
            int64_t at = windows.source(p, w);
            if (at < 0)
              continue;
            const Sum *from =
                x.data() + (n * windows.inputs + at) * channels + g * inGroup;
            std::copy(from, from + inGroup,
                      rows.data() + r * columns + w * inGroup);
          }
        }
      });
      sums.assign(count * outGroup, Sum(0));
      multiply(count, outGroup, columns, rows.data(), weights.data(),
               sums.data());
      for (int64_t r = 0; r < count; ++r) {
        int64_t to = (first + r) * outputs + g * outGroup;
        if constexpr (std::is_same_v<Sum, uint64_t>) {
          storeInts(out.dtype(), out.mutableData(), to, outGroup,
                    reinterpret_cast<const int64_t *>(sums.data()) +
                        r * outGroup);
        } else {
          rounded.assign(sums.begin() + r * outGroup,
                         sums.begin() + (r + 1) * outGroup);
          storeDoubles(out.dtype(), out.mutableData(), to, outGroup,
                       rounded.data());
        }
      }
    }
  }
}

LogicalResult conv(prim::ConvOp op, Frame &frame) {
  const Value &input = frame.get(op.getInput());
  const Value &filter = frame.get(op.getFilter());
  int64_t groups = op.getGroups(), channels = input.shape().back();
  if (channels != filter.shape().back() * groups || filter.dim(0) % groups != 0)
    return op.emitOpError("expected ") << filter.shape().back() * groups
                                       << " input channels, found " << channels;
  Windows windows;
  windows.input.assign(input.shape().drop_front().drop_back());
  windows.window.assign(filter.shape().drop_front().drop_back());
  windows.strides.assign(op.getStrides());
  windows.padLow.assign(op.getPadLow());
  windows.padHigh.assign(op.getPadHigh());
  windows.dilation.assign(op.getDilation());
  windows.inputDilation.assign(op.getInputDilation());
  if (failed(windows.finalize(op)))
    return failure();
  SmallVector<int64_t> shape = {input.dim(0)};
  llvm::append_range(shape, windows.output);
  shape.push_back(filter.dim(0));
  FailureOr<Value> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  if (perturbation().isOn() && runtime::isFloat(result->dtype())) {
    Value sums = Value::tensor(DType::f64, shape);
    Value sizes = Value::tensor(DType::f64, shape);
    convolve<long double>(input, filter, sums, windows, groups);
    // Both operands may lose all but 10 bits.
    bool isTf32 = op.getPrecision() == prim::Precision::tf32;
    auto sizesOf = isTf32 ? tf32Sizes : magnitudes;
    convolve<long double>(sizesOf(input), sizesOf(filter), sizes, windows,
                          groups);
    if (isTf32) {
      Value rest = Value::tensor(DType::f64, shape);
      convolve<long double>(tf32Rest(input), tf32Rest(filter), rest, windows,
                            groups);
      markLostTerms(rest, sizes);
    }
    Value kept = sizes;
    bool flushes = mayFlushProduct(input.dtype(), filter.dtype());
    if (flushes) {
      kept = Value::tensor(DType::f64, shape);
      convolve<long double>(normalMagnitudes(input), normalMagnitudes(filter),
                            kept, windows, groups);
    }
    storeSumsWithin(sums, sizes,
                    double(windows.elements * filter.shape().back()) +
                        (isTf32 ? 0x1p15 : 0),
                    *result, flushes ? &kept : nullptr);
  } else if (result->dtype() == DType::f64)
    convolve<long double>(input, filter, *result, windows, groups);
  else if (runtime::isFloat(result->dtype()))
    convolve<double>(input, filter, *result, windows, groups);
  else
    convolve<uint64_t>(input, filter, *result, windows, groups);
  return finish(op, frame, std::move(*result));
}

} // namespace

void addPrimConv(PrimTable &table) { table.add<prim::ConvOp>(conv); }

} // namespace kiln::eval
