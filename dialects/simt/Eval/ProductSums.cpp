// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands for the sums of a product in flight until a wait covers it.
#include "ProductSums.h"
#include "Products.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Marks.h"
#include <algorithm>
#include <cstring>

using namespace mlir;

namespace kiln::eval {

/// What stands for a sum in flight: poison whose bits name a product, modulo so
/// many, and one of its results. As NaN, so that arithmetic does not turn one
/// into another one.
static constexpr uint32_t kToken = 0x7fd00000, kTokenMask = 0xfff00000;
static constexpr uint32_t kProducts = 2048, kResults = 512;

/// The same in 16 bits: products are numbered from one, as a NaN needs a bit,
/// and as signalling NaNs, which arithmetic does not make.
static constexpr uint16_t kHalfToken = 0x7c00, kHalfTokenMask = 0xfe00;
static constexpr uint16_t kHalfProducts = 3, kHalfResultBits = 7,
                          kHalfResults = 1 << kHalfResultBits;

bool hasHalfSums(DType dtype) { return runtime::dtypeBytes(dtype) == 2; }

Value sumInFlight(Warp &warp, WarpProduct &product, unsigned result,
                  DType dtype) {
  uint32_t token = kToken | (product.number * kResults + result);
  uint16_t halfToken =
      kHalfToken | ((product.number + 1) * kHalfResults + result);
  Value out = Value::tensor(dtype, {warp.block.code->lanes});
  uint8_t mark = poisonBy(product.op, "is a product in flight, which is not "
                                      "waited for before its sum is used");
  for (int64_t lane = 0; lane < out.size(); ++lane) {
    if (hasHalfSums(dtype))
      out.as<uint16_t>()[lane] = halfToken;
    else
      out.as<uint32_t>()[lane] = token;
    out.makePoison()[lane] = mark;
  }
  return out;
}

/// The product whose sum a lane's element stands for, and which of its results
/// that is; null where the element is a value.
static std::pair<WarpProduct *, unsigned>
tokenAt(const Warp &warp, const Value &value, unsigned lane) {
  if (!value.poison() || !(value.poison()[lane] & kPoison))
    return {};
  if (hasHalfSums(value.dtype())) {
    uint16_t bits = value.as<uint16_t>()[lane], token = bits & ~kHalfTokenMask;
    unsigned number = token / kHalfResults;
    if ((bits & kHalfTokenMask) != kHalfToken || !number ||
        number > warp.latestHalfProducts.size())
      return {};
    return {warp.latestHalfProducts[number - 1].get(), token % kHalfResults};
  }
  if (runtime::dtypeBytes(value.dtype()) != 4)
    return {};
  uint32_t bits = value.as<uint32_t>()[lane], token = bits & ~kTokenMask;
  if ((bits & kTokenMask) != kToken ||
      token / kResults >= warp.latestProducts.size())
    return {};
  return {warp.latestProducts[token / kResults].get(), token % kResults};
}

FailureOr<Value> resolveSums(Warp &warp, const Value &value,
                             bool waitedForAlone) {
  Value out = value;
  bool isNew = false;
  for (unsigned lane = 0; lane < value.size(); ++lane) {
    auto [product, result] = tokenAt(warp, value, lane);
    if (!product || (waitedForAlone && product->isInFlight))
      continue;
    if (failed(product->happen()))
      return failure();
    if (!isNew) {
      out = Value::tensor(value.dtype(), value.shape());
      std::memcpy(out.mutableData(), value.data(), value.bytes());
      std::memcpy(out.makePoison(), value.poison(), value.size());
      isNew = true;
    }
    const Value &sum = product->results[result];
    out.makePoison()[lane] = 0;
    copyElement(sum, lane, out, lane);
  }
  return out;
}

LogicalResult numberProduct(simt::MmaAsyncOp op, Warp &warp,
                            const std::shared_ptr<WarpProduct> &product) {
  bool ofHalves = hasHalfSums(laneType(op.getAcc()[0].getType()));
  if (op.getNumResults() > (ofHalves ? kHalfResults : kResults))
    return op.emitOpError("unsupported: evaluation of so many results");
  auto &latest = ofHalves ? warp.latestHalfProducts : warp.latestProducts;
  product->number =
      warp.numProducts++ % (ofHalves ? uint32_t(kHalfProducts) : kProducts);
  latest.resize(std::max<size_t>(latest.size(), product->number + 1));
  if (ofHalves && latest[product->number] &&
      latest[product->number]->isInFlight)
    return op.emitOpError("unsupported: evaluation of more than ")
           << kHalfProducts << " products with sums of 16 bits in flight";
  latest[product->number] = product;
  return success();
}

} // namespace kiln::eval
