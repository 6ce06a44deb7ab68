//===- ScaledProductChoice.cpp - Layouts of products with scales ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScaledProductChoice.h"
#include "FragmentLayouts.h"
#include "kiln/Dialect/Tile/ScaledProducts.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

LayoutAttr simt::scaleAtomOf(target::MatrixInstructionAttr row, int operand) {
  LayoutAttr atom = atomOf(row, operand, /*isExchanged=*/false);
  unsigned depth = operand == 0 ? 1 : 0;
  SmallVector<LayoutAttr::Basis> lanes;
  int64_t block = 1;
  for (LayoutAttr::Basis basis : atom.getLaneBases(0)) {
    if (basis[depth]) {
      basis[depth] = block;
      block *= 2;
    }
    lanes.push_back(basis);
  }
  return LayoutAttr::get(row.getContext(), 2, {}, lanes, {});
}

LayoutAttr simt::packedAtomOf(target::MatrixInstructionAttr row, int operand,
                              int64_t packed) {
  unsigned depth = operand == 0 ? 1 : 0;
  return atomOf(row, operand, /*isExchanged=*/false)
      .transform(2, [&](ArrayRef<int64_t> basis) {
        LayoutAttr::Basis bytes(basis);
        bytes[depth] /= packed;
        return bytes;
      });
}

ProductChoice simt::chooseScaledProduct(MatrixProductOpInterface op,
                                        target::MatrixInstructionAttr row,
                                        target::TargetAttr description,
                                        int64_t warps) {
  RankedTensorType acc = op.getProductType();
  int64_t rank = acc.getRank(), m = acc.getDimSize(rank - 2),
          n = acc.getDimSize(rank - 1), k = tile::depthOf(op);
  int64_t deep = row.getK().getMin(),
          block = tile::scaledBlockOf(row, description);
  FragmentLayouts layouts(op, row, description, warps);
  RowFit fit = layouts.getFit();
  int64_t packed[] = {tile::packedOf(op, 0), tile::packedOf(op, 1)};
  ProductChoice choice;
  choice.row = row;
  choice.lhs = layouts.of(packedAtomOf(row, 0, packed[0]), 0,
                          {m, k / packed[0]}, fit.m, deep / packed[0]);
  choice.rhs = layouts.of(packedAtomOf(row, 1, packed[1]), 1,
                          {k / packed[1], n}, deep / packed[1], fit.n);
  choice.acc = layouts.of(2, {m, n}, fit.m, fit.n);
  choice.lhsScale =
      layouts.of(scaleAtomOf(row, 0), 0, {m, k / block}, fit.m, deep / block);
  auto turned = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(turned[rank - 2], turned[rank - 1]);
  choice.rhsScale =
      layouts.of(scaleAtomOf(row, 1), 1, {k / block, n}, deep / block, fit.n)
          .permute(turned);
  return choice;
}
