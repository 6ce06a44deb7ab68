//===- Fourier.cpp - Facts of discrete Fourier transforms -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/Fourier.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace kiln;

std::complex<double> kiln::rootOfUnity(int64_t number, int64_t period) {
  int64_t n = number % period;
  bool isLower = 2 * n > period, isLeft = false, isSteep = false;
  if (isLower)
    n = period - n;
  // Now in units of half a period, then of a quarter.
  if ((isLeft = 4 * n > period))
    n = period - 2 * n; // of 2 period
  else
    n *= 2;
  int64_t whole = 2 * period;
  if ((isSteep = 8 * n > whole))
    n = period - 2 * n; // of 4 period
  else
    n *= 2;
  long double angle = 2 * 3.14159265358979323846264338327950288L *
                      static_cast<long double>(n) /
                      static_cast<long double>(2 * whole);
  double x = double(std::cos(angle)), y = double(std::sin(angle));
  if (isSteep)
    std::swap(x, y);
  if (isLeft)
    x = -x;
  return {x, isLower ? -y : y};
}

std::complex<double> kiln::transformRoot(int64_t number, int64_t period,
                                         bool isInverse) {
  std::complex<double> root = rootOfUnity(number, period);
  return isInverse ? root : std::conj(root);
}

template <typename Number>
static ComplexTable makeTable(const ComplexNumbers &numbers,
                              RankedTensorType type) {
  std::vector<Number> re, im;
  for (const std::complex<double> &number : numbers) {
    re.push_back(static_cast<Number>(number.real()));
    im.push_back(static_cast<Number>(number.imag()));
  }
  return {DenseElementsAttr::get(type, ArrayRef(re)),
          DenseElementsAttr::get(type, ArrayRef(im))};
}

ComplexTable kiln::tableOf(const ComplexNumbers &numbers,
                           RankedTensorType type) {
  return type.getElementType().isF32() ? makeTable<float>(numbers, type)
                                       : makeTable<double>(numbers, type);
}

ComplexNumbers kiln::transformedNumbers(const ComplexNumbers &numbers) {
  int64_t size = numbers.size(), factor = 2;
  if (size == 1)
    return numbers;
  while (size % factor)
    ++factor;
  int64_t length = size / factor;
  std::vector<ComplexNumbers> parts(factor);
  for (int64_t i = 0; i < size; ++i)
    parts[i % factor].push_back(numbers[i]);
  for (ComplexNumbers &part : parts)
    part = transformedNumbers(part);
  ComplexNumbers result(size);
  for (int64_t k = 0; k < size; ++k)
    for (int64_t part = 0; part < factor; ++part)
      result[k] += transformRoot(part * k % size, size, /*isInverse=*/false) *
                   parts[part][k % length];
  return result;
}

int64_t kiln::fourierLength(TypeRange sources, TypeRange results,
                            int64_t axis) {
  Type whole = sources.size() == 1 ? sources.front() : results.front();
  return cast<RankedTensorType>(whole).getDimSize(axis);
}

std::string kiln::whyNoFourier(TypeRange sources, TypeRange results,
                               int64_t axis) {
  std::string why;
  llvm::raw_string_ostream os(why);
  size_t from = sources.size(), to = results.size();
  // (C1)
  if (from < 1 || from > 2 || to < 1 || to > 2 || from + to < 3) {
    os << "expected one or two sources and results, and two of one of them, "
          "found "
       << from << " and " << to;
    return why;
  }
  auto first = cast<RankedTensorType>(sources.front());
  int64_t rank = first.getRank();
  // (C3)
  if (axis < 0 || axis >= rank) {
    os << "expected a dimension in [0, " << rank << "), found " << axis;
    return why;
  }
  // (C4)
  for (TypeRange side : {sources, results})
    if (side.front() != side.back()) {
      os << "expected parts of one type, found '" << side.front() << "' and '"
         << side.back() << "'";
      return why;
    }
  auto last = cast<RankedTensorType>(results.front());
  // (C2)
  if (first.getElementType() != last.getElementType()) {
    os << "expected results of '" << first.getElementType() << "', found '"
       << last.getElementType() << "'";
    return why;
  }
  bool fits = last.getRank() == rank;
  for (int64_t d = 0; fits && d < rank; ++d) {
    int64_t given = first.getDimSize(d), made = last.getDimSize(d);
    bool isEmpty = d == axis && (given == 0 || made == 0);
    if (ShapedType::isDynamic(given) || ShapedType::isDynamic(made))
      continue;
    // (C5)
    if (d == axis && from < to)
      given = given / 2 + 1;
    else if (d == axis && from > to)
      made = made / 2 + 1;
    fits = given == made && !isEmpty;
  }
  if (fits)
    return why;
  os << "expected the sizes of a transform of '" << first
     << "' along dimension " << axis << ", found '" << last << "'";
  return why;
}
