//===- FourierLines.h - Transforms of lines in memory -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_FOURIERLINES_H
#define KILN_LIB_CPU_FOURIERLINES_H

#include "FourierRegisters.h"
#include "KernelEmitter.h"
#include "kiln/Interfaces/Fourier.h"

namespace kiln::cpu {

/// Complex numbers in memory: rows of contiguous elements, `row` apart. No
/// imaginary parts: they are zero.
struct Plane {
  Value re, im;
  int64_t row = 0;
};

/// Emits transforms of planes. Passes go from one plane to another (Stockham):
/// a pass computes butterflies of as many rows as its factor.
class FourierLines {
public:
  FourierLines(KernelEmitter &e, Type element) : e(e), element(element) {}

  /// The longest factor of a length that is a factor of a pass.
  static constexpr int64_t kLongestFactor = 13;
  static bool hasSmallFactors(int64_t length);

  /// Each column of `length` rows of `width` elements, times elements of
  /// `turns`; the columns are rows of the result if `isTransposed`. The length
  /// has small factors, and the planes are different.
  void columns(const Plane &from, const Plane &to, int64_t length,
               int64_t width, bool isInverse, Plane turns = {},
               bool isTransposed = false);
  /// A line of any length.
  void line(Plane from, Plane to, int64_t length, bool isInverse);
  /// The first half of the frequencies, and the middle one, of real numbers.
  void realLine(const Plane &from, const Plane &to, int64_t length,
                bool isInverse);
  /// The real numbers of those frequencies.
  void lineToReal(const Plane &from, const Plane &to, int64_t length,
                  bool isInverse);

  /// Whether the registers of a line's transform are less than half full.
  bool isNarrow(int64_t length);
  /// How many elements a register has.
  int64_t lanes() const {
    return e.config.lanes(element.getIntOrFloatBitWidth());
  }
  /// The rows of a plane as columns of another one.
  void transposed(const Plane &from, const Plane &to, int64_t rows,
                  int64_t columns) {
    transpose({from, e.c64(0)}, {to, e.c64(0)}, rows, columns);
  }
  /// A plane in scratch memory.
  Plane scratch(int64_t elements);
  /// Calls `body` with the first of as many elements as a register has, or as
  /// fit, until all of `width` have been taken; the last may be taken again.
  void forVectors(int64_t width, llvm::function_ref<void(Value, int64_t)> body);
  void forEach(int64_t count, llvm::function_ref<void(Value)> body);
  Complex load(const Plane &plane, Value at, int64_t lanes);
  void store(Complex value, const Plane &plane, Value at);
  Value loadPart(Value base, Value at, int64_t lanes);
  void storePart(Value value, Value base, Value at);

private:
  /// Where an element of a plane is.
  struct Place {
    Plane plane;
    Value at;
  };
  /// Elements of a plane of factors, from a column on.
  struct Turns {
    Plane table;
    Value at;
  };
  /// A pass of `stride` lines, each of `parts` groups of butterflies, for some
  /// columns.
  struct Pass {
    int64_t factor, parts, stride, lanes;
  };
  /// How a length is split into columns and rows; one row if it is not.
  int64_t rowsOf(int64_t length);
  int64_t lanesFor(int64_t width) const;
  void pass(const Place &from, const Place &to, const Pass &step,
            bool isInverse, const Turns &turns);
  void transpose(const Place &from, const Place &to, int64_t rows,
                 int64_t columns);
  void convolved(const Plane &from, const Plane &to, int64_t length,
                 bool isInverse);
  /// Elements in the object's constants.
  Complex table(const ComplexNumbers &numbers);
  /// The elements before `end`, backwards.
  Value loadBackwards(Value base, Value end, int64_t lanes);
  Value zero(int64_t lanes);

  KernelEmitter &e;
  Type element;
};

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_FOURIERLINES_H
