//===- FragmentLayouts.h - Layouts of a product's operands ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_FRAGMENTLAYOUTS_H
#define KILN_LIB_GPU_FRAGMENTLAYOUTS_H

#include "RowCosts.h"

namespace kiln::simt {

/// Puts the layouts of an instruction's operands together to those of a
/// product's.
class FragmentLayouts {
public:
  FragmentLayouts(MatrixProductOpInterface op,
                  target::MatrixInstructionAttr row,
                  target::TargetAttr description, int64_t warps)
      : row(row), acc(op.getProductType().getShape()), fit(fitOf(op, row)),
        grid(shareOut(op, row, description, warps)) {}

  /// That of an operand (0: lhs, 1: rhs, 2: acc), of which an instruction takes
  /// `first` rows by `second` columns, and `shape` is the whole.
  LayoutAttr of(int operand, std::pair<int64_t, int64_t> shape, int64_t first,
                int64_t second) const {
    return of(atomOf(row, operand, fit.isExchanged), operand, shape, first,
              second);
  }
  /// The same where the lanes of an instruction have `atom`.
  LayoutAttr of(LayoutAttr atom, int operand, std::pair<int64_t, int64_t> shape,
                int64_t first, int64_t second) const;
  const RowFit &getFit() const { return fit; }

private:
  using Basis = LayoutAttr::Basis;
  Basis at(int64_t m, int64_t n) const {
    Basis basis(acc.size(), 0);
    basis[acc.size() - 2] = m;
    basis[acc.size() - 1] = n;
    return basis;
  }

  target::MatrixInstructionAttr row;
  llvm::ArrayRef<int64_t> acc;
  RowFit fit;
  WarpGrid grid;
};

} // namespace kiln::simt

#endif // KILN_LIB_GPU_FRAGMENTLAYOUTS_H
