//===- CopyCosts.cpp - What operands of products cost to bring ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of a machine are those of its description (OperandCopies.h).
//
//===----------------------------------------------------------------------===//

#include "CopyCosts.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>

using namespace kiln;
using namespace kiln::tiling;

/// The share of its rates that copies of the rows of a step reach.
static double shareOfRows(const OperandCopies::Rates &rates,
                          const ProductWork &work) {
  double bytes = double(work.k) * std::min(work.lhsBits, work.rhsBits) / 8;
  return std::pow(std::min(1.0, bytes / rates.line), rates.loss);
}

CopyRates tiling::copyRates(const OperandCopies &copies,
                            const ProductWork &work, ThreadMachine::By by,
                            bool isFew) {
  // Of few rows each copy waits for memory, which long pieces keep busy better.
  if (isFew) {
    const OperandCopies::Rates &few = copies.few;
    double ofPiece = shareOfRows(few, work);
    return {few.whole, few.whole * ofPiece, few.together,
            few.memory * std::sqrt(ofPiece)};
  }
  const OperandCopies::Rates &many = copies.many;
  if (by != ThreadMachine::By::Memory)
    return {copies.threads, copies.threads, many.together, many.memory};
  double ofLine = shareOfRows(many, work);
  return {many.whole, many.whole * ofLine, many.together * ofLine, many.memory};
}

double tiling::copyCyclesOfOneStep(const OperandCopies &copies,
                                   const ProductWork &work,
                                   ThreadMachine::By by, double bytes) {
  return bytes / (by == ThreadMachine::By::Memory
                      ? copies.step * shareOfRows(copies.many, work)
                      : copies.threads);
}

double tiling::shareOfPieces(const OperandCopies &copies, int64_t columns) {
  // An instruction of few columns waits for its rows of the left operand, which
  // take as long as so many columns.
  double cycles = 0;
  for (int64_t left = columns; left > 0;) {
    int64_t width = llvm::bit_floor<uint64_t>(left);
    cycles += std::max(double(width), copies.rows + double(width / 2));
    left -= width;
  }
  return cycles / double(columns);
}

Rounds tiling::roundsOf(const ProductWork &work, ThreadMachine::By by,
                        double round, double ringBytes,
                        const ThreadMachine &machine) {
  double rounds = std::ceil(work.instances / round);
  if (rounds <= 1 || by != ThreadMachine::By::Memory)
    return {rounds, rounds};
  // A core that has room for one instance loops over points of the grid: the
  // first copies of the next point are on their way at the end of this one
  // (simt-persist-rings), of whose ends a share is seen.
  if (2 * ringBytes > double(machine.shared))
    return {rounds, 1 + (rounds - 1) * machine.operandCopies.ends};
  // Of several instances of a core one begins when another one ends: the last
  // round is not as long as the others if there are few left for it.
  rounds += machine.operandCopies.rest * (work.instances / round - rounds);
  return {rounds, rounds};
}

double tiling::withMemory(double whole, double ends, const ProductWork &work,
                          int64_t instances, double bytesOfCycle) {
  // This is a smooth maximum: of blocks that all wait for memory, those with
  // less other work come first.
  constexpr double kSharp = 6;
  double fromMemory =
      ends +
      (work.rows * double(work.lhsBits) + work.columns * double(work.rhsBits)) *
          work.depth * double(instances) / 8 / bytesOfCycle;
  return std::pow(std::pow(whole, kSharp) + std::pow(fromMemory, kSharp),
                  1 / kSharp);
}
