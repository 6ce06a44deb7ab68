//===- List.h - Lists of numbers in attributes ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A splat announces any number of elements in a few bytes. What walks one takes
// the time and the memory that an untrusted file announces, so lists of numbers
// are read here, up to a length.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INDEX_LIST_H
#define KILN_INDEX_LIST_H

#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

namespace kiln::index {

/// More equal numbers than this are no list of sizes, dimensions or ranks.
constexpr int64_t kLongestSplat = 1 << 16;

/// Whether the elements can be walked at a cost that the file has paid for.
inline bool isShort(mlir::DenseElementsAttr list) {
  return !list.isSplat() || list.getNumElements() <= kLongestSplat;
}

/// The elements of a list with up to `most` of them, with their sign unless
/// `isUnsigned`; nothing for a longer one.
inline std::optional<llvm::SmallVector<int64_t>>
readList(mlir::DenseIntElementsAttr list,
         int64_t most = std::numeric_limits<int64_t>::max(),
         bool isUnsigned = false) {
  if (!isShort(list) || list.getNumElements() > most)
    return std::nullopt;
  llvm::SmallVector<int64_t> numbers;
  for (const llvm::APInt &number : list.getValues<llvm::APInt>())
    numbers.push_back(isUnsigned ? number.getZExtValue()
                                 : number.getSExtValue());
  return numbers;
}

/// Whether `holds` for every element; a splat is asked for once.
template <typename T, typename Predicate>
bool allElements(mlir::DenseElementsAttr elements, Predicate holds) {
  if (elements.isSplat())
    return holds(elements.getSplatValue<T>());
  return llvm::all_of(elements.getValues<T>(), holds);
}

} // namespace kiln::index

#endif // KILN_INDEX_LIST_H
