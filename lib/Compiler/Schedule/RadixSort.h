//===- RadixSort.h - Runs of integers, sorted digit by digit ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_LIB_SCHEDULE_RADIXSORT_H
#define KILN_LIB_SCHEDULE_RADIXSORT_H

#include "SerialLines.h"

namespace kiln::schedule {

/// Sorts keys of one width from the least digit up: for each digit they are
/// counted, and go behind what has lesser ones. Keys of equal digits keep their
/// order.
class RadixSort {
public:
  /// Counts have the integer type `count`.
  RadixSort(SerialLines &lines, mlir::IntegerType key, mlir::Type count);

  static constexpr unsigned kDigitBits = 8;
  static unsigned digitsOf(mlir::IntegerType key) {
    return key.getWidth() / kDigitBits;
  }
  unsigned digits() const { return digitsOf(key); }

  /// The key of the element that comes at `at`, as a tile of one.
  using KeyAt = llvm::function_ref<mlir::Value(mlir::Value at)>;
  /// That and where it was first, as an integer.
  using ElementAt =
      llvm::function_ref<std::pair<mlir::Value, mlir::Value>(mlir::Value at)>;
  using Put = llvm::function_ref<void(mlir::Value key, mlir::Value place,
                                      mlir::Value to)>;

  /// Counts all digits of `size` keys.
  void count(mlir::Value size, KeyAt keyAt);
  /// Orders by one digit what was counted; once for each.
  void distribute(unsigned digit, mlir::Value size, ElementAt elementAt,
                  Put put) {
    distribute(digit, /*lowest=*/0, size, elementAt, put);
  }
  /// The same, with keys whose lowest digit is digit `lowest` of the counted
  /// ones, of an integer type of their own.
  void distribute(unsigned digit, unsigned lowest, mlir::Value size,
                  ElementAt elementAt, Put put);

  /// A key type for elements of this type: of whole digits.
  static mlir::IntegerType keyTypeOf(mlir::Type element);

private:
  /// Where the count of a digit is; in the key it is number `at`.
  mlir::Value binOf(mlir::Value key, unsigned digit, unsigned at);

  SerialLines &lines;
  mlir::IntegerType key;
  mlir::Type countType;
  Line bins;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_RADIXSORT_H
