//===- Claim.h - Operations that a target has claimed -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// prim.claim, for code that knows no dialect: the operation and its attributes
// `target` and `name` are found by their names.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_CLAIM_H
#define KILN_INTERFACES_CLAIM_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace kiln {

/// Returns true for a prim.claim, whose region holds what was claimed.
inline bool isClaim(mlir::Operation *op) {
  return op->getName().getStringRef() == "prim.claim";
}

/// The target that claimed it.
inline llvm::StringRef claimant(mlir::Operation *claim) {
  auto target = claim->getAttrOfType<mlir::StringAttr>("target");
  return target ? target.getValue() : llvm::StringRef();
}

/// What it was claimed as.
inline llvm::StringRef claimName(mlir::Operation *claim) {
  auto name = claim->getAttrOfType<mlir::StringAttr>("name");
  return name ? name.getValue() : llvm::StringRef();
}

} // namespace kiln

#endif // KILN_INTERFACES_CLAIM_H
