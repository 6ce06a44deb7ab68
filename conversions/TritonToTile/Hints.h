// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triton's hints in tile's words.
#ifndef KILN_CONVERSIONS_TRITONTOTILE_HINTS_H
#define KILN_CONVERSIONS_TRITONTOTILE_HINTS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Dialect/Triton/Triton.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace kiln::triton_to_tile {

tile::CacheHint convertCache(tt::CacheModifier cache);
tile::EvictHint convertEvict(tt::EvictionPolicy evict);

/// Takes what Triton's GPU dialects say of the module: what every kernel was
/// written for, or null. Other attributes of them go, with a remark.
mlir::FailureOr<tile::KernelHintsAttr> takeKernelHints(mlir::ModuleOp module);

/// Renames hints on operations; those of loops become `tile.hints`.
mlir::LogicalResult convertHints(mlir::ModuleOp module);

/// The facts and hints about a parameter.
mlir::DictionaryAttr convertParameterHints(mlir::FunctionOpInterface function,
                                           unsigned index);

/// Hands hints about elements on to what replaces an operation.
struct HintCarrier : mlir::RewriterBase::Listener {
  void notifyOperationReplaced(mlir::Operation *op,
                               mlir::ValueRange replacement) override;
};

} // namespace kiln::triton_to_tile

#endif // KILN_CONVERSIONS_TRITONTOTILE_HINTS_H
