//===- ScanFunction.h - Functions that scans combine by ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_SCANFUNCTION_H
#define KILN_LIB_SCHEDULE_SCANFUNCTION_H

#include "ScanRecursion.h"

namespace kiln::schedule {

/// Writes the function of a scan as an attribute: its operations in order, with
/// the numbers of their operands, and the numbers of what it returns. First are
/// the earlier elements of all components, then the later ones.
mlir::DictionaryAttr encodeFunction(const ScanRecursion &scan);

/// A function that combines an element of each component with one that comes
/// behind it, on scalars and tiles alike.
class ScanFunction {
public:
  /// Reads what `encodeFunction` wrote; `isValid` says whether it could.
  ScanFunction(mlir::DictionaryAttr code, llvm::ArrayRef<mlir::Type> elements);

  bool isValid = true;
  unsigned size() const { return elements.size(); }
  /// The type that elements of a component have between combinations.
  mlir::Type carriedType(unsigned component) const;
  /// `value` of a component as it is in memory, in that type, and back.
  mlir::Value widen(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                    mlir::Type to) const;
  /// Values of carried types; empty where an operation has no expansion, which
  /// `missing` names.
  llvm::SmallVector<mlir::Value> combine(mlir::OpBuilder &b, mlir::Location loc,
                                         mlir::ValueRange x,
                                         mlir::ValueRange y);
  std::string missing;

private:
  mlir::Value addStep(mlir::DictionaryAttr step,
                      llvm::ArrayRef<mlir::Value> values);

  llvm::SmallVector<mlir::Type> elements;
  mlir::Block body; ///< on tensors of rank 0
  llvm::SmallVector<mlir::Value> yields;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SCANFUNCTION_H
