// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far eigenvectors and singular vectors may be off. Private to this folder.
#ifndef KILN_LIB_EVAL_VECTORERRORS_H
#define KILN_LIB_EVAL_VECTORERRORS_H

#include "LinearAlgebra.h"

namespace kiln::eval::linear {

/// Vectors that belong to values, where the matrix is off by `relative` of its
/// norm. A value moves by that much at most (Weyl); a vector turns by the error
/// over the distance of its value from the others (Davis and Kahan, SIAM J.
/// Numer. Anal. 7, 1970; Wedin, BIT 12, 1972), so that those of equal values
/// are any. The sign of a vector is any, too, where the elements that decide it
/// are about as large as each other.
class VectorErrors {
public:
  VectorErrors(const Matrix &values, double relative);

  /// Of each value.
  Matrix ofValues() const;
  /// Of the elements of columns whose signs `deciding` ones decide. Those
  /// without values are any. `fromZero`: each value is away from 0, too, or its
  /// vector turns or changes its sign.
  Matrix ofColumns(const Matrix &columns, const Matrix &deciding,
                   bool fromZero = false, bool decidingFromZero = false) const;

private:
  Real turnOf(int64_t column, bool fromZero) const;

  const Matrix &values;
  Real error;
};

} // namespace kiln::eval::linear

#endif // KILN_LIB_EVAL_VECTORERRORS_H
