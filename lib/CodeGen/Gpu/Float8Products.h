//===- Float8Products.h - Products of 8-bit floats --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_FLOAT8PRODUCTS_H
#define KILN_LIB_GPU_FLOAT8PRODUCTS_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace kiln::simt {

/// The pass `simt-widen-accumulators`.
std::unique_ptr<mlir::Pass> createWidenAccumulatorsPass();

/// The pass `simt-widen-float8-factors`.
std::unique_ptr<mlir::Pass> createWidenFloat8FactorsPass();

} // namespace kiln::simt

#endif // KILN_LIB_GPU_FLOAT8PRODUCTS_H
