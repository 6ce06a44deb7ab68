//===- ScanBlocks.cpp - The tiles of scans --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScanBlocks.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

static int64_t powerFor(const Extent &size, int64_t cap) {
  cap = std::max<int64_t>(cap, 1);
  return size.isStatic()
             ? std::min<int64_t>(
                   cap, llvm::PowerOf2Ceil(std::max<int64_t>(size.get(), 1)))
             : cap;
}

ScanBlocks kiln::schedule::chooseScanBlocks(const Buffer &in, unsigned dim,
                                            int64_t bits, int64_t threads,
                                            int64_t access) {
  constexpr int64_t kElements = 16;
  int64_t bytes =
      std::max<int64_t>(in.elementType().getIntOrFloatBitWidth() / 8, 1);
  int64_t words = std::max<int64_t>(bits / 32, 1);
  // Tiles have sizes that are powers of two.
  int64_t budget = llvm::bit_floor<uint64_t>(
      std::max<int64_t>(threads * kElements / words, 1));
  ScanBlocks blocks;
  for (unsigned d = 0; d < in.rank(); ++d) {
    if (d == dim || in.sizes[d].is(1))
      continue;
    blocks.beside = d;
    blocks.isLast = !in.strides[d].is(1);
  }
  if (!blocks.isLast) {
    int64_t line = threads * std::max<int64_t>(access / bytes, 1);
    blocks.across =
        powerFor(in.sizes[blocks.beside], std::min(line, budget / 4));
    blocks.along = powerFor(in.sizes[dim], budget / blocks.across);
    return blocks;
  }
  blocks.along = powerFor(in.sizes[dim], budget);
  if (blocks.beside >= 0)
    blocks.across =
        powerFor(in.sizes[blocks.beside], budget / 4 / blocks.along);
  return blocks;
}

ScanBlocks kiln::schedule::chooseLineBlocks(const Buffer &in, unsigned dim) {
  constexpr int64_t kWidest = 256;
  ScanBlocks blocks;
  for (unsigned d = 0; d < in.rank(); ++d)
    if (d != dim && !in.sizes[d].is(1) && in.strides[d].is(1))
      blocks.beside = d;
  blocks.isLast = blocks.beside < 0;
  if (blocks.isLast)
    blocks.along = powerFor(in.sizes[dim], kWidest);
  else
    blocks.across = powerFor(in.sizes[blocks.beside], kWidest);
  return blocks;
}

void kiln::schedule::chooseScanParts(const Buffer &in, unsigned dim,
                                     ScanBlocks &blocks,
                                     tiling::Chooser &tiling) {
  // A part has a few tiles, or it would take longer to pass on.
  constexpr int64_t kLeast = 4;
  target::TilingProblem problem;
  problem.kind = target::TilingProblem::Kind::Reduction;
  problem.work = 8;
  for (auto [d, size] : llvm::enumerate(in.sizes)) {
    if (!size.isStatic())
      return;
    problem.work *= size.get();
    if (d != dim)
      problem.instances *= llvm::divideCeil(
          size.get(), int(d) == blocks.beside ? blocks.across : 1);
  }
  int64_t count = llvm::divideCeil(in.sizes[dim].get(), blocks.along);
  if (count < 2 * kLeast)
    return;
  target::TilingDim part;
  part.role = target::TilingRole::Part;
  // Instances read what the parts before theirs combine to: on average no more
  // than half of what is their own.
  part.most =
      std::min(count / kLeast, int64_t(std::sqrt(double(in.sizes[dim].get()))));
  problem.dims.push_back(part);
  int64_t parts = tiling.choose(problem).blocks[0];
  // None is empty.
  blocks.parts = llvm::divideCeil(count, llvm::divideCeil(count, parts));
}
