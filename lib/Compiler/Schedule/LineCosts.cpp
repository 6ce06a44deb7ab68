//===- LineCosts.cpp - What rows that begin within lines cost -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LineCosts.h"
#include "AlignRows.h"
#include "kiln/Target/Limits.h"
#include "kiln/Target/Rates.h"
#include "kiln/Tiling/MatmulCosts.h"
#include "kiln/Tiling/OperandCopies.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <utility>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

/// Multiply-adds of 16-bit operands that all matrix units do in a second, as
/// far as large matmuls reach it; 0 if nothing is known.
static double multiplyAddsPerSecond(TargetAttr description) {
  ExecutionUnitAttr unit = description.getUnitOfKind(UnitKind::Matrix);
  TopologyAttr topology = description.getTopology();
  if (!unit || !topology)
    return 0;
  return tiling::MatmulCosts::of(description).memory * double(unit.getRate()) *
         double(unit.getCount()) * double(countCores(description)) *
         double(topology.getFrequency());
}

/// The numbers of elements of an operand along dimensions of one kind.
static int64_t countAlong(const Group &group, Value operand,
                          ArrayRef<int64_t> dims) {
  return countOf(llvm::map_to_vector(
      dims, [&](int64_t dim) { return group.host.dimOf(operand, dim); }));
}

LineCosts::LineCosts(const Group &group, prim::DotGeneralOp dot) {
  constexpr int64_t kMostParts = 64;
  TargetAttr description = group.ctx.description;
  TilingProblem problem;
  problem.kind = TilingProblem::Kind::Contraction;
  problem.lhs =
      multipliedType(getElementTypeOrSelf(dot.getLhs()), dot.getPrecision());
  problem.rhs =
      multipliedType(getElementTypeOrSelf(dot.getRhs()), dot.getPrecision());
  problem.acc = sumType(getElementTypeOrSelf(dot.getResult()));
  int64_t depth = countAlong(group, dot.getLhs(), dot.getLhsContract());
  int64_t batch = countAlong(group, dot.getLhs(), dot.getLhsBatch());
  int64_t lhs = countOf(group.host.sizesOf(dot.getLhs())),
          rhs = countOf(group.host.sizesOf(dot.getRhs()));
  double reached = multiplyAddsPerSecond(description);
  if (!lhs || !rhs || reached <= 0)
    return;
  int64_t rows = lhs / (depth * batch), columns = rhs / (depth * batch);
  problem.dims = {{TilingRole::Row, rows},
                  {TilingRole::Column, columns},
                  {TilingRole::Depth, depth},
                  {TilingRole::Part, ShapedType::kDynamic, kMostParts}};
  problem.dims[1].takesPieces = true;
  problem.instances = batch;
  auto bitsOf = [](Type type) {
    return isa<FloatTF32Type>(type) ? 32 : type.getIntOrFloatBitWidth();
  };
  int64_t bits[] = {bitsOf(problem.lhs), bitsOf(problem.rhs)};
  problem.tiles = {
      {{0, 2}, bits[0]}, {{1, 2}, bits[1]}, {{0, 1}, bitsOf(problem.acc)}};
  SmallVector<int64_t> blocks =
      group.ctx.tiling.model().candidates(problem).front().blocks;
  line = double(transferBytes(description));
  fromMemory = memoryBytesPerSecond(description);
  auto copies = tiling::OperandCopies::of(description);
  fromCache = copies.lines * double(countCores(description)) *
              double(description.getTopology().getFrequency());
  seen = copies.within;
  launch = launchSeconds(description);
  multiply = double(rows) * double(columns) * double(depth) * double(batch) *
             double(std::max(bits[0], bits[1])) / 16 / reached;
  bytes = {double(lhs) * double(bits[0]) / 8,
           double(rhs) * double(bits[1]) / 8};
  traffic = {bytes[0] * double(llvm::divideCeil(columns, blocks[1])),
             bytes[1] * double(llvm::divideCeil(rows, blocks[0]))};
}

double LineCosts::seconds() const {
  double moved = traffic[0] * (1 + lost[0]) + traffic[1] * (1 + lost[1]);
  return std::max(multiply, moved / fromCache);
}

void LineCosts::note(unsigned side, int64_t alignment) {
  if (line > 0)
    lost[side] = seen * std::max(0.0, 1 - double(alignment) / line);
}

bool LineCosts::isWorthCopying(unsigned side, double growth) {
  if (line <= 0 || lost[side] <= 0)
    return false;
  double before = seconds(), kept = std::exchange(lost[side], 0.0);
  if (before - seconds() > launch + (1 + growth) * bytes[side] / fromMemory)
    return true;
  lost[side] = kept;
  return false;
}
