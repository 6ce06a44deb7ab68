//===- Places.h - Where the elements of storage lie -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_STAGE_PLACES_H
#define KILN_DIALECT_STAGE_PLACES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace kiln::stage {

/// Bytes of an element in storage; parts of bytes count whole.
int64_t elementBytes(mlir::Type type);

/// The layout of storage as a function from coordinates to places, counted in
/// elements from the first byte. Several results of an affine map are the
/// coordinates of a dense array that is just large enough.
class Places {
public:
  /// None when the layout of `type` has no such form, with the reason.
  static std::optional<Places> of(mlir::MemRefType type,
                                  std::string *reason = nullptr);

  /// How many elements the storage spans, gaps included.
  int64_t span() const { return length; }
  /// The place of an element.
  int64_t at(llvm::ArrayRef<int64_t> coordinates) const;

private:
  mlir::AffineMap map;
  llvm::SmallVector<int64_t, 4> extents; ///< of the results of the map
  int64_t length = 0;
};

/// Bytes that storage of this type takes; none if `Places` has no answer.
std::optional<int64_t> storageBytes(mlir::MemRefType type);

/// True for storage whose elements have addresses that strides tell: no panels
/// and no permutation.
bool isStrided(mlir::MemRefType type);

} // namespace kiln::stage

#endif // KILN_DIALECT_STAGE_PLACES_H
