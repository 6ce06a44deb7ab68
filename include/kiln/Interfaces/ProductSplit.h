//===- ProductSplit.h - How a product is split into blocks ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_PRODUCTSPLIT_H
#define KILN_INTERFACES_PRODUCTSPLIT_H

#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace kiln {

/// How one operand of a split product lies in memory: in panels. A panel has as
/// many rows of the left operand, or columns of the right one, as a block;
/// `group` consecutive steps of the summed dimension lie beside each other.
struct PanelForm {
  mlir::Type element; ///< what the panel holds; integers have signs
  int64_t group = 1;
};

/// A product computed block by block.
struct ProductSplit {
  std::string lowering; ///< whose work it is, for the report
  std::string row;      ///< the matrix instruction; empty: multiply and add
  int64_t rows = 1, columns = 1, depth = 1; ///< of a block, in elements
  /// Room for the steps of a panel, at least `depth`.
  int64_t deepest = 1;
  PanelForm lhs, rhs;
  /// Number of panels of the right operand that are packed together, `strip`
  /// steps of all of them at a time, along its rows.
  int64_t panels = 1, strip = 1;
  /// Added to signed 8-bit operands that are packed as unsigned ones.
  int64_t lhsOffset = 0;
};

/// A faster way to compute a product. Its result is exact if the integers of
/// both operands fit in the given numbers of bits: `stage-guard-products`
/// checks them first.
struct NarrowProduct {
  mlir::Attribute how; ///< replaces the attribute that lists this version
  int64_t lhsBits = 0, rhsBits = 0; ///< 0: whatever the type holds
};

} // namespace kiln

#include "kiln/Interfaces/ProductSplit.h.inc"

#include "kiln/Interfaces/ProductSplitOp.h.inc"

#endif // KILN_INTERFACES_PRODUCTSPLIT_H
