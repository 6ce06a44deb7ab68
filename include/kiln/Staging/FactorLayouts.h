//===- FactorLayouts.h - Layouts of operands for an instruction -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts that a matrix instruction of a description asks of its operands,
// as layouts of storage.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_STAGING_FACTORLAYOUTS_H
#define KILN_STAGING_FACTORLAYOUTS_H

#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace kiln::staging {

/// Storage in panels, of `width` rows (columns) each, as `#kiln.interleave` of
/// `group` says: element (r, s) is in panel r floordiv width, and there at
/// (s floordiv group * width + r mod width) * group + s mod group.
struct PanelLayout {
  unsigned panelDim, stepDim; ///< of the storage: r and s
  int64_t width = 1, group = 1;

  /// Of storage of some rank; the first dimension of three is a batch.
  mlir::AffineMap getMap(mlir::MLIRContext *context, unsigned rank) const;
};

/// The panels of storage, if it lies in panels and all of them are whole.
std::optional<PanelLayout> getPanelLayout(mlir::MemRefType storage);

/// Elements between neighbours that lie at the same place of their panel or of
/// their group, along each dimension: what origins of whole blocks are
/// multiplied by.
llvm::SmallVector<int64_t> getPanelStrides(mlir::MemRefType storage,
                                           const PanelLayout &panels);

/// Storage of a shape whose last two dimensions lie in columns.
mlir::MemRefType inColumns(mlir::MemRefType storage);

} // namespace kiln::staging

#endif // KILN_STAGING_FACTORLAYOUTS_H
