//===- ThreadedProducts.cpp - Blocks of products for many threads ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadedModel.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <set>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace kiln::tiling;

SmallVector<Tiling> ThreadedModel::products(const TilingProblem &p) const {
  constexpr int64_t kMost[] = {256, 256, 128};
  constexpr size_t kCandidates = 24;
  SmallVector<int64_t> granule = granules(p);
  std::multimap<double, Tiling> byCost;
  std::set<std::vector<int64_t>> seen;
  SmallVector<int64_t> blocks(p.dims.size(), 1);
  auto add = [&] {
    if (!seen.emplace(blocks.begin(), blocks.end()).second || !fits(p, blocks))
      return;
    bool isWhole = true;
    for (auto [block, unit] : llvm::zip(blocks, granule))
      isWhole &= block % unit == 0;
    double cycles = machine->cyclesOf(
        p, blocks, isWhole && instructionFor(p) != nullptr, stages);
    if (cycles > 0)
      byCost.emplace(cycles, Tiling{blocks, cycles});
  };
  // Every combination of powers of two up to what covers the dimension.
  auto choose = [&](auto &&self, size_t dim) -> void {
    if (dim == p.dims.size())
      return add();
    const TilingDim &described = p.dims[dim];
    int64_t most = kMost[described.role == TilingRole::Row      ? 0
                         : described.role == TilingRole::Column ? 1
                                                                : 2];
    if (!ShapedType::isDynamic(described.size))
      most = std::min<int64_t>(
          most,
          std::max<int64_t>(llvm::PowerOf2Ceil(described.size), granule[dim]));
    if (!ShapedType::isDynamic(described.most))
      most = std::min<int64_t>(most, llvm::bit_floor<uint64_t>(described.most));
    int64_t least = std::min(most, std::max<int64_t>(granule[dim], 8));
    for (int64_t block = most; block >= least; block /= 2) {
      blocks[dim] = block;
      self(self, dim + 1);
    }
  };
  choose(choose, 0);
  SmallVector<Tiling> result;
  for (auto &[cost, tiling] : byCost)
    if (result.size() < kCandidates)
      result.push_back(std::move(tiling));
  return result;
}
