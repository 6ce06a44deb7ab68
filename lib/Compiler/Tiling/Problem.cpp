//===- Problem.cpp - Problems as text -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln::target;

TilingModel::~TilingModel() = default;

static StringRef nameOf(TilingProblem::Kind kind) {
  switch (kind) {
  case TilingProblem::Kind::Elementwise:
    return "elementwise";
  case TilingProblem::Kind::Reduction:
    return "reduction";
  case TilingProblem::Kind::Contraction:
    return "contraction";
  }
  llvm_unreachable("covered switch");
}

SmallVector<int> kiln::tiling::linesAcross(const TilingProblem &problem) {
  int last = int(problem.dims.size()) - 1;
  SmallVector<int> lines;
  for (const TilingTile &tile : problem.tiles)
    if (tile.along >= 0 && tile.along != last &&
        llvm::is_contained(tile.dims, unsigned(last)) &&
        !llvm::is_contained(lines, tile.along))
      lines.push_back(tile.along);
  return lines;
}

std::string TilingProblem::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << nameOf(kind) << ' ';
  auto number = [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      os << '?';
    else
      os << size;
  };
  llvm::interleave(
      dims, os,
      [&](const TilingDim &dim) {
        number(dim.size);
        if (!ShapedType::isDynamic(dim.most))
          os << "<=" << dim.most;
      },
      "x");
  if (instances != 1)
    os << " times " << instances;
  if (lhs)
    os << ' ' << lhs << '*' << rhs << '+' << acc;
  os << " holds ";
  llvm::interleave(
      tiles, os,
      [&](const TilingTile &tile) {
        llvm::interleave(tile.dims, os, ".");
        if (tile.along >= 0 && tile.along != int(tile.dims.back()))
          os << '@' << tile.along;
        os << ':' << tile.bits;
      },
      ",");
  return text;
}
