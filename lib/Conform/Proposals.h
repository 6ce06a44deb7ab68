//===- Proposals.h - Operations from their definitions ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CONFORM_PROPOSALS_H
#define KILN_LIB_CONFORM_PROPOSALS_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include <string>
#include <vector>

namespace kiln::conform {

/// A way to use an operation whose operands and results have one shape: types
/// of elements, and attributes, that its verifier takes.
struct Proposal {
  std::string op;
  std::vector<std::string> operands, results;
  std::string attributes; ///< "<{predicate = 3 : i64}>", or empty
  std::string variant;    ///< "predicate3", or empty

  /// "f32", or "f32,i32->f16" where they are not all alike.
  std::string typeText() const;
  /// The operation on tiles or scalars.
  std::string text(llvm::ArrayRef<std::string> values,
                   llvm::ArrayRef<int64_t> shape, bool isScalar) const;
};

/// Tries types and attributes; once for each operation, as a process may ask
/// for many suites.
const std::vector<Proposal> &proposalsFor(mlir::RegisteredOperationName name,
                                          mlir::MLIRContext &context);
/// Whether there is any; not all are tried.
bool hasProposal(mlir::RegisteredOperationName name,
                 mlir::MLIRContext &context);

} // namespace kiln::conform

#endif // KILN_LIB_CONFORM_PROPOSALS_H
