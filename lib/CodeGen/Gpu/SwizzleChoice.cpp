//===- SwizzleChoice.cpp - How storage of fragments is permuted -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SwizzleChoice.h"
#include "Exchange.h"
#include "Fragments.h"
#include "ThreadProducts.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using layout::LinearLayout;

namespace {
/// Rows of storage, and the lanes that read fragments of them.
class Reader {
public:
  Reader(Value factor, LayoutAttr layout, int dim,
         target::TargetAttr description, int64_t lanes, int64_t warps)
      : banks(banksOf(description)),
        bits(8 * ThreadBuilder::storedBytes(
                     getElementTypeOrSelf(factor.getType()))),
        moves(tileMovesOf(description, target::MoveKind::Load, bits, lanes)),
        fragments(getLinearLayout(
            layout, cast<RankedTensorType>(factor.getType()).getShape(),
            llvm::Log2_64(lanes), llvm::Log2_64(warps))) {
    auto type = cast<RankedTensorType>(factor.getType());
    rows = type.getDimSize(1 - dim);
    columns = type.getDimSize(dim);
    // Rows come first.
    if (dim == 0)
      fragments = fragments.transposeOutputs({1, 0});
  }

  int64_t rowBytes() const { return columns * bits / 8; }

  /// Accesses to the banks by one warp that reads all of its fragments, where
  /// `unit` bytes are permuted as one.
  unsigned wavefronts(int64_t unit) const {
    int64_t run = int64_t(banks.count) * banks.bytes;
    LinearLayout memory = layout::getSwizzledRows(
        rows, columns, unit * 8 / bits, std::max<int64_t>(run / rowBytes(), 1),
        std::max<int64_t>(std::min(rowBytes(), run) / unit, 1));
    for (const layout::InstructionTile &tile : moves.tiles)
      if (auto access = layout::getSharedAccess(
              fragments, memory, kExchangeLevels, bits, banks, &tile))
        return access->wavefronts;
    return layout::getSharedAccess(fragments, memory, kExchangeLevels, bits,
                                   banks)
        ->wavefronts;
  }

private:
  layout::Banks banks;
  unsigned bits;
  TileMoves moves;
  LinearLayout fragments;
  int64_t rows = 0, columns = 0;
};
} // namespace

/// The layout by which threads read a factor of a product that no instruction
/// computes; null where an instruction does.
static LayoutAttr readByThreads(Value factor) {
  for (OpOperand &use : factor.getUses()) {
    auto product = dyn_cast<MatrixProductOpInterface>(use.getOwner());
    LayoutAttr sums =
        product ? getLayout(use.getOwner()->getResult(0)) : LayoutAttr();
    if (!sums || !multipliesAsStored(product))
      continue;
    bool isLeft = &use == &product.getLhsOperand();
    int64_t depth =
        cast<RankedTensorType>(factor.getType()).getDimSize(isLeft ? 1 : 0);
    return storedFactorLayout(sums, isLeft ? 0 : 1, depth);
  }
  return {};
}

int64_t simt::permutedBytes(Value factor, int dim,
                            target::TargetAttr description, int64_t lanes,
                            int64_t warps) {
  for (Operation *user : factor.getUsers())
    if (handsOnBytes(user))
      return permutedBytes(user->getResult(0),
                           isTransposition(user) ? 1 - dim : dim, description,
                           lanes, warps);
  LayoutAttr layout = getLayout(factor), ofThreads = readByThreads(factor);
  if (!layout)
    return kCopyBytes;
  Reader reader(factor, ofThreads ? ofThreads : layout, dim, description, lanes,
                warps);
  int64_t best = kCopyBytes;
  unsigned least = reader.wavefronts(best);
  // Threads compute the place of each step: they do best without a permutation.
  layout::Banks banks = banksOf(description);
  if (int64_t run = int64_t(banks.count) * banks.bytes;
      ofThreads && run <= reader.rowBytes() && reader.wavefronts(run) <= least)
    return run;
  for (int64_t unit = 2 * kCopyBytes; unit <= 4 * kCopyBytes; unit *= 2) {
    if (unit >= reader.rowBytes())
      break;
    unsigned wavefronts = reader.wavefronts(unit);
    if (wavefronts < least) {
      best = unit;
      least = wavefronts;
    }
  }
  return best;
}
