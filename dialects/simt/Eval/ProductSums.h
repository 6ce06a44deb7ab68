// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of asynchronous products that are still in flight.
#ifndef KILN_DIALECTS_SIMT_EVAL_PRODUCTSUMS_H
#define KILN_DIALECTS_SIMT_EVAL_PRODUCTSUMS_H

#include "Machine.h"
#include "kiln/Dialect/Simt/SimtDialect.h"

namespace kiln::eval {

/// Whether sums of a type have 16 bits, so that fewer of them can be in flight.
bool hasHalfSums(DType dtype);

/// Numbers a product, so that its sums can be named while it is in flight.
llvm::LogicalResult numberProduct(simt::MmaAsyncOp op, Warp &warp,
                                  const std::shared_ptr<WarpProduct> &product);

/// Returns what stands for result `result` of a product in flight: one element
/// for each lane, which is no value.
Value sumInFlight(Warp &warp, WarpProduct &product, unsigned result,
                  DType dtype);

/// Replaces sums in flight by what they are: of all products, or of those that
/// have been waited for.
llvm::FailureOr<Value> resolveSums(Warp &warp, const Value &value,
                                   bool waitedForAlone);

} // namespace kiln::eval

#endif // KILN_DIALECTS_SIMT_EVAL_PRODUCTSUMS_H
