// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells whether sizes are equal in every run. Private to the conversions.
#ifndef KILN_CONVERSIONS_TENSORTOPRIM_SIZEFORMS_H
#define KILN_CONVERSIONS_TENSORTOPRIM_SIZEFORMS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <optional>
#include <string>

namespace kiln::tensor_to_prim {

/// Compares sizes of one function by their normal forms: sums of products of
/// sizes of its arguments and of values that it computes. Dimensions that have
/// the same name are one size. A conversion keeps one for a function, because
/// forms are computed once.
class SizeForms {
public:
  /// Whether two sizes are equal for certain.
  bool areEqual(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// The number that a size is for certain.
  std::optional<int64_t> numberOf(mlir::OpFoldResult size);
  /// Says what the source calls a dimension.
  void setName(mlir::Value tensor, int64_t dim, llvm::StringRef name);
  /// Called before operations are erased.
  void forget();
  void forgetNames() { names.clear(); }

private:
  /// Coefficients of products of atoms, which are numbered.
  using Form = std::map<llvm::SmallVector<unsigned>, int64_t>;
  using Dimension = std::pair<mlir::Value, int64_t>;

  static Form number(int64_t value);
  static std::optional<int64_t> numberOf(const Form &form);
  static std::string keyOf(const Form &form);
  Form atom(const std::string &key);
  Form atom(mlir::Value value) { return atom(keyOf(value)); }
  std::string keyOf(mlir::Value value);

  Form formOf(mlir::OpFoldResult size, int depth);
  Form formOf(mlir::Operation *op, mlir::Value value, int depth);
  Form formOf(mlir::Value tensor, int64_t dim, int depth);
  std::string keyOfCondition(mlir::Value value, int depth);
  std::optional<Form> sum(const Form &a, const Form &b, int64_t factor);
  std::optional<Form> product(const Form &a, const Form &b);
  Form quotient(const Form &a, const Form &b);

  llvm::StringMap<unsigned> atoms;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::DenseMap<Dimension, Form> dimensions;
  llvm::DenseMap<Dimension, std::string> names;
  /// Blocks of formulas that are being written.
  llvm::SmallPtrSet<mlir::Block *, 4> formulas;
  unsigned erased = 0;
};

} // namespace kiln::tensor_to_prim

#endif // KILN_CONVERSIONS_TENSORTOPRIM_SIZEFORMS_H
