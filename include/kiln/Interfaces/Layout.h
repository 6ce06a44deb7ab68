//===- Layout.h - Where the elements of a tile are --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout is an attribute that maps the coordinates of each element of a tile
// to a place, which is a list of integers: register, lane and warp on a GPU, or
// panel and offset in memory. Layout.td defines the interface.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_LAYOUT_H
#define KILN_INTERFACES_LAYOUT_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace kiln::detail {
/// The default implementations of the interface: comparison of two layouts, and
/// the check of a layout against a shape.
bool haveSamePlaces(mlir::Attribute a, mlir::Attribute b,
                    llvm::ArrayRef<int64_t> shape);
llvm::LogicalResult
verifyPlaces(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError);
} // namespace kiln::detail

#include "kiln/Interfaces/Layout.h.inc"

namespace kiln {

/// Returns the coordinate of the element at `place` in a tile of this shape;
/// nothing if no element is there. Tries every element.
std::optional<llvm::SmallVector<int64_t>>
findCoordinate(LayoutAttrInterface layout, llvm::ArrayRef<int64_t> shape,
               llvm::ArrayRef<int64_t> place);

/// Attaches LayoutAttrInterface to AffineMapAttr.
void attachLayoutModels(mlir::MLIRContext *context);

} // namespace kiln

#endif // KILN_INTERFACES_LAYOUT_H
