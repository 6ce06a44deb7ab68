// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far eigenvectors and singular vectors may be off.
#include "VectorErrors.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace kiln::eval::linear {

/// Two vectors of length 1 differ by no more.
static constexpr Real kAny = 2;

VectorErrors::VectorErrors(const Matrix &values, double relative)
    : values(values), error(0) {
  for (Real value : values.elements)
    error = std::max(error, std::fabs(value) * static_cast<Real>(relative));
}

Matrix VectorErrors::ofValues() const {
  Matrix made(1, values.columns);
  std::fill(made.elements.begin(), made.elements.end(), error);
  return made;
}

Real VectorErrors::turnOf(int64_t column, bool fromZero) const {
  Real value = values(0, column);
  Real gap =
      fromZero ? std::fabs(value) : std::numeric_limits<Real>::infinity();
  for (int64_t i = 0; i < values.columns; ++i)
    if (i != column)
      gap = std::min(gap, std::fabs(values(0, i) - value));
  // Both values move.
  gap -= 2 * error;
  return gap > 0 ? std::min(kAny, 2 * error / gap) : kAny;
}

/// Whether a vector of which each element is off by `error` may have the other
/// sign: among the elements that can be the first of half the largest magnitude
/// is a negative one.
static bool maySwitch(const Matrix &columns, int64_t column, Real error) {
  Real largest = 0;
  for (int64_t i = 0; i < columns.rows; ++i)
    largest = std::max(largest, std::fabs(columns(i, column)));
  Real doubt = 1.5L * error;
  for (int64_t i = 0; i < columns.rows; ++i) {
    Real size = std::fabs(columns(i, column));
    if (size < largest / 2 - doubt)
      continue;
    if (columns(i, column) <= error)
      return true;
    if (size >= largest / 2 + doubt)
      return false;
  }
  return true;
}

Matrix VectorErrors::ofColumns(const Matrix &columns, const Matrix &deciding,
                               bool fromZero, bool decidingFromZero) const {
  Matrix made(columns.rows, columns.columns);
  for (int64_t j = 0; j < columns.columns; ++j) {
    bool hasValue = j < values.columns;
    Real turn = hasValue ? turnOf(j, fromZero) : kAny;
    bool switches =
        hasValue && maySwitch(deciding, j, turnOf(j, decidingFromZero));
    for (int64_t i = 0; i < columns.rows; ++i)
      made(i, j) = turn + (switches ? 2 * std::fabs(columns(i, j)) : 0);
  }
  return made;
}

} // namespace kiln::eval::linear
