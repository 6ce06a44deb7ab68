//===- Decided.h - What passes decide about operations ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the GPU family decide things about operations of other dialects,
// for passes behind them. An operation has all of them in one dictionary, whose
// entries are read and written through this header, and which the dialect
// verifies (Decided.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_SIMT_DECIDED_H
#define KILN_DIALECT_SIMT_DECIDED_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace kiln::simt {

/// On an operation: what passes decided about it (a dictionary of the entries
/// below).
inline constexpr llvm::StringLiteral kDecidedAttr = "simt.decided";

/// On a product: the name of the row that computes it (string).
inline constexpr llvm::StringLiteral kRowEntry = "row";
/// On a product: the row computes its transpose, with lhs and rhs exchanged
/// (unit).
inline constexpr llvm::StringLiteral kExchangedEntry = "exchanged";
/// On a `stage.product` after `simt-stage-products`, by an instruction that
/// reads shared memory: the columns that one instruction computes (i64).
inline constexpr llvm::StringLiteral kColumnsEntry = "columns";
/// On a `stage.product` after `simt-stage-products`, without an instruction:
/// rows of the operands in scratch memory are a vector apart, so that
/// neighbouring rows lie in different banks (unit).
inline constexpr llvm::StringLiteral kPaddedEntry = "padded";
/// On a `stage.product` after `simt-stage-products`, without an instruction:
/// the rhs is stored in scratch memory by columns, each of which is contiguous
/// (unit). Without the entry its rows are.
inline constexpr llvm::StringLiteral kByColumnsEntry = "rhs_by_columns";
/// On a load after `simt-stage-operands`: the name of the plug-in's lowering
/// that starts the copies which fill its slot (string). Without the entry the
/// GPU family starts them.
inline constexpr llvm::StringLiteral kCopierEntry = "copier";
/// On an operation of a kernel after `simt-insert-barriers`: its scratch memory
/// in shared memory, as an offset and a size in bytes for each piece
/// (array<i64>).
inline constexpr llvm::StringLiteral kScratchEntry = "scratch";
/// On a kernel or a loop after `simt-insert-barriers`: the first thread of a
/// block runs it alone, and no barrier stands in it (unit).
inline constexpr llvm::StringLiteral kFirstThreadEntry = "first_thread";
/// From the early run of lowerings to the late one: whose the operation is,
/// names of lowerings (array). `unit` stands behind them while the operation is
/// offered: it tells the operation from one that took its address.
inline constexpr llvm::StringLiteral kEmittersEntry = "emitters";
/// On the function of a kernel after its target lowered it: all its blocks have
/// to run at once (unit).
inline constexpr llvm::StringLiteral kCooperativeEntry = "cooperative";
/// On the function of a kernel after its target lowered it: for each of its
/// last parameters that a recipe makes at a launch, in their order, the
/// parameter of the kernel whose view the recipe describes, and the words of
/// the recipe (array of array<i64>).
inline constexpr llvm::StringLiteral kRecipesEntry = "recipes";

/// An entry; null if there is none.
mlir::Attribute getDecided(mlir::Operation *op, llvm::StringRef entry);
template <typename T> T getDecided(mlir::Operation *op, llvm::StringRef entry) {
  return llvm::dyn_cast_or_null<T>(getDecided(op, entry));
}

/// Adds an entry, in place of one of that name.
void setDecided(mlir::Operation *op, llvm::StringRef entry,
                mlir::Attribute value);

/// Removes an entry, if it is there.
void removeDecided(mlir::Operation *op, llvm::StringRef entry);

/// Requires a dictionary of these entries, each of its form.
llvm::LogicalResult verifyDecided(mlir::Operation *op, mlir::Attribute value);

} // namespace kiln::simt

#endif // KILN_DIALECT_SIMT_DECIDED_H
