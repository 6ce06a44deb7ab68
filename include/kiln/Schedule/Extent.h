//===- Extent.h - Sizes that are known now or at launch ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, strides and offsets of buffers: a number where it is known, else an
// index value of the host program, or, where groups are only being looked at,
// a symbol that stands for it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SCHEDULE_EXTENT_H
#define KILN_SCHEDULE_EXTENT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace kiln::schedule {

/// A size, stride or offset.
class Extent {
public:
  Extent(int64_t number = 0) : number(number) {}
  /// A value of the host program; a constant becomes a number.
  static Extent of(mlir::Value value);
  /// Something that equals only what has the same `symbol`.
  static Extent symbol(const void *symbol);
  /// Something that equals nothing.
  static Extent unknown() { return symbol(nullptr); }

  bool isStatic() const { return !mlir::ShapedType::isDynamic(number); }
  bool is(int64_t n) const { return number == n; }
  int64_t get() const { return number; }
  /// The number, or kDynamic: what a type holds.
  int64_t asStatic() const { return number; }
  /// The value of the host program; only for dynamic ones made by `of`.
  mlir::Value value() const;

  /// Known to be the same number.
  bool same(const Extent &other) const {
    return number == other.number && (isStatic() || (tag && tag == other.tag));
  }
  /// Written the same way.
  bool operator==(const Extent &other) const {
    return number == other.number && tag == other.tag;
  }

private:
  int64_t number;
  const void *tag = nullptr;
};

/// Arithmetic on extents. With a builder, dynamic results are index values at
/// its insertion point and equal computations give equal values; without one
/// they are unknown.
class ExtentMath {
public:
  ExtentMath() = default;
  ExtentMath(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(&builder), loc(loc) {}

  Extent add(Extent a, Extent b);
  Extent sub(Extent a, Extent b);
  Extent mul(Extent a, Extent b);
  Extent floorDiv(Extent a, Extent b);
  Extent ceilDiv(Extent a, Extent b);
  Extent min(Extent a, Extent b);
  Extent max(Extent a, Extent b);
  Extent product(llvm::ArrayRef<Extent> factors);
  /// The extent as an index value of the host program.
  mlir::Value value(Extent a);

private:
  template <typename Op> Extent emit(unsigned kind, Extent a, Extent b);

  mlir::OpBuilder *builder = nullptr;
  std::optional<mlir::Location> loc;
  llvm::DenseMap<std::pair<unsigned, std::pair<const void *, const void *>>,
                 mlir::Value>
      known;
};

} // namespace kiln::schedule

#endif // KILN_SCHEDULE_EXTENT_H
