// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain algorithms on one matrix, in a type that is wider than the elements'.
// Private to this folder.
#ifndef KILN_LIB_EVAL_LINEARALGEBRA_H
#define KILN_LIB_EVAL_LINEARALGEBRA_H

#include <complex>
#include <cstdint>
#include <vector>

namespace kiln::eval::linear {

using Real = long double;

/// A row-major matrix.
template <typename T> struct MatrixOf {
  MatrixOf(int64_t rows = 0, int64_t columns = 0)
      : rows(rows), columns(columns),
        elements(static_cast<size_t>(rows * columns)) {}
  static MatrixOf identity(int64_t rows, int64_t columns) {
    MatrixOf made(rows, columns);
    for (int64_t i = 0; i < rows && i < columns; ++i)
      made(i, i) = 1;
    return made;
  }
  T &operator()(int64_t i, int64_t j) {
    return elements[static_cast<size_t>(i * columns + j)];
  }
  T operator()(int64_t i, int64_t j) const {
    return elements[static_cast<size_t>(i * columns + j)];
  }
  MatrixOf transposed() const {
    MatrixOf made(columns, rows);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        made(j, i) = (*this)(i, j);
    return made;
  }

  int64_t rows, columns;
  std::vector<T> elements;
};
using Matrix = MatrixOf<Real>;
using ComplexMatrix = MatrixOf<std::complex<Real>>;
using Numbers = std::vector<int64_t>;

/// Each does what the operation of prim of that name says of one matrix, in
/// place where it has one result; `info` is returned.
int64_t cholesky(Matrix &a);
int64_t lu(Matrix &a, Numbers &pivots);
/// False: a pivot is out of range.
bool permute(const Numbers &pivots, Numbers &rows);
void triangularSolve(const Matrix &a, Matrix &b, bool lower, bool transpose,
                     bool unit);
int64_t complexCholesky(ComplexMatrix &a);
int64_t complexLu(ComplexMatrix &a, Numbers &pivots);
void complexTriangularSolve(const ComplexMatrix &a, ComplexMatrix &b,
                            bool lower, bool transpose, bool unit);
// Of Real and of complex numbers.
template <typename T> void householderQr(MatrixOf<T> &a, MatrixOf<T> &scales);
template <typename T>
void householderProduct(MatrixOf<T> &a, const MatrixOf<T> &scales);
template <typename T>
int64_t eigh(const MatrixOf<T> &a, Matrix &values, MatrixOf<T> &vectors);
template <typename T>
int64_t svd(const MatrixOf<T> &a, bool full, MatrixOf<T> &left, Matrix &values,
            MatrixOf<T> &right);
int64_t eig(const Matrix &a, ComplexMatrix &values, ComplexMatrix &vectors);

} // namespace kiln::eval::linear

#endif // KILN_LIB_EVAL_LINEARALGEBRA_H
