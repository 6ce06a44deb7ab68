//===- LayoutRule.h - Layouts of an operation's tiles -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_GPU_LAYOUTRULE_H
#define KILN_GPU_LAYOUTRULE_H

#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Gpu/Registers.h"

namespace kiln::simt {

/// The layouts of one operation: an entry for each operand and each result, in
/// their order. Null for what is no tile, for an operand that is taken as it
/// is, and for a result with the usual layout of its shape.
struct LayoutRule {
  llvm::SmallVector<LayoutAttr> operands, results;

  explicit LayoutRule(mlir::Operation *op)
      : operands(op->getNumOperands()), results(op->getNumResults()) {}
};

/// What a rule may ask.
class LayoutQuery {
public:
  explicit LayoutQuery(const BlockThreads &block) : block(block) {}
  virtual ~LayoutQuery();

  /// The layout of the first of these tiles that has one, or that will have
  /// one; null if none has. Values that are no tiles are left out.
  virtual LayoutAttr of(mlir::ValueRange tiles) const = 0;
  /// The layout of tiles of a shape where nothing else decides: neighbours
  /// along the last dimension are in neighbouring lanes.
  virtual LayoutAttr usual(llvm::ArrayRef<int64_t> shape) const = 0;
  /// The layout of a tile, or the usual one.
  LayoutAttr settled(mlir::Value tile) const;

  const BlockThreads &block;
};

/// All tiles of an operation, which have one shape, have one layout: that of an
/// operand.
LayoutRule sameLayout(mlir::Operation *op, const LayoutQuery &query);

} // namespace kiln::simt

#include "kiln/Gpu/LayoutRule.h.inc"

#endif // KILN_GPU_LAYOUTRULE_H
