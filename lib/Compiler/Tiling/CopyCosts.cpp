//===- CopyCosts.cpp - What operands of products cost to bring ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of products that read the memory of the core were fitted to 500
// measured choices of blocks for 110 problems on an H200. Of the choices that
// were measured for a problem, the one with the least estimate takes 2.5%
// longer than the fastest one in the mean.
//
//===----------------------------------------------------------------------===//

#include "CopyCosts.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>

using namespace kiln;
using namespace kiln::tiling;

/// The share of the rate that copies of the rows of a step reach, where rows of
/// `line` bytes and more reach all of it.
static double shareOfRows(const ProductWork &work, double line,
                          double exponent) {
  double bytes = double(work.k) * std::min(work.lhsBits, work.rhsBits) / 8;
  return std::pow(std::min(1.0, bytes / line), exponent);
}

/// Asynchronous copies of rows shorter than a line are slower: 25088 rows by
/// 256 x 512 took 29 us with rows of 32 bytes, 18 with rows of 128.
static double shareOfLines(const ProductWork &work) {
  return shareOfRows(work, 128, 0.75);
}

static constexpr double kOfThreads = 32;

CopyRates tiling::copyRates(const ProductWork &work, ThreadMachine::By by,
                            bool isFew) {
  // Of few rows each copy waits for memory, which long pieces keep busy better.
  constexpr double kMemoryOfFew = 19, kCacheOfFew = 48, kTogetherOfFew = 46;
  if (isFew) {
    double ofPiece = shareOfRows(work, 512, 0.25);
    return {kCacheOfFew, kCacheOfFew * ofPiece, kTogetherOfFew,
            kMemoryOfFew * std::sqrt(ofPiece)};
  }
  constexpr double kFromMemory = 14, kTogether = 50, kFromCache = 66;
  if (by != ThreadMachine::By::Memory)
    return {kOfThreads, kOfThreads, kTogether, kFromMemory};
  double ofLine = shareOfLines(work);
  return {kFromCache, kFromCache * ofLine, kTogether * ofLine, kFromMemory};
}

double tiling::copyCyclesOfOneStep(const ProductWork &work,
                                   ThreadMachine::By by, double bytes) {
  constexpr double kFromCache = 48;
  return bytes / (by == ThreadMachine::By::Memory
                      ? kFromCache * shareOfLines(work)
                      : kOfThreads);
}

double tiling::shareOfPieces(int64_t columns) {
  // An instruction of few columns waits for its rows of the left operand, which
  // take as long as so many columns.
  constexpr int64_t kRows = 36;
  double cycles = 0;
  for (int64_t left = columns; left > 0;) {
    int64_t width = llvm::bit_floor<uint64_t>(left);
    cycles += double(std::max(width, kRows + width / 2));
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
  // (simt-persist-rings), of whose ends this share is seen.
  constexpr double kSeen = 0.5;
  if (2 * ringBytes > double(machine.shared))
    return {rounds, 1 + (rounds - 1) * kSeen};
  // Of several instances of a core one begins when another one ends: the last
  // round is not as long as the others if there are few left for it.
  constexpr double kOfRest = 0.4;
  rounds += kOfRest * (work.instances / round - rounds);
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
