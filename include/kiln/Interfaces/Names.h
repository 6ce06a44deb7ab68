//===- Names.h - Kinds of operations, by interface --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for what an operation is by its interfaces. A lowering can be
// registered for such a name instead of that of one operation (see Lowering.h),
// and then takes operations of plug-ins, too.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_NAMES_H
#define KILN_INTERFACES_NAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace kiln {

/// A product by MatrixProductOpInterface.
inline constexpr llvm::StringLiteral kMatrixProduct =
    "interface.matrix_product";
/// A read or a write (or update) by ViewAccessOpInterface.
inline constexpr llvm::StringLiteral kViewRead = "interface.view_read";
inline constexpr llvm::StringLiteral kViewWrite = "interface.view_write";

/// Arithmetic on elements: scalars, or tiles element by element.
inline constexpr llvm::StringLiteral kElementwise = "interface.elementwise";
/// What moves elements, or makes them from coordinates and scalars, by
/// IndexMapOpInterface.
inline constexpr llvm::StringLiteral kMovement = "interface.movement";

/// All of these names.
llvm::ArrayRef<llvm::StringLiteral> interfaceNames();

/// True if `name` is one of them and `op` is such an operation.
bool isOfKind(mlir::Operation *op, llvm::StringRef name);

} // namespace kiln

#endif // KILN_INTERFACES_NAMES_H
