//===- MatmulCosts.h - What a description says of matmuls -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TILING_MATMULCOSTS_H
#define KILN_TILING_MATMULCOSTS_H

#include "kiln/Dialect/Kiln/Description.h"
#include <limits>

namespace kiln::tiling {

/// What a matmul costs beside the copies of its operands: `matmul_costs` in
/// `extra` of the description. Without it each unit reaches the rate that the
/// description states, and what can overlap does.
struct MatmulCosts {
  // Shares of its unit's rate that a matmul reaches.
  double fragments = 1; ///< by MMAs of fragments in registers
  double memory = 1;    ///< by MMAs that read shared memory
  double threads = 1;   ///< by multiply-adds of threads
  /// Threads that widen an element of the right operand do so once for all m
  /// rows: `threads` is reached to `widenedShare` * m / (m + `widenedRows`).
  double widenedRows = 0, widenedShare = 1;

  /// Threads that multiply operands as copies leave them in shared memory.
  struct Stored {
    double share = 1;      ///< of the rate, by warps that do not wait
    double warps = 1;      ///< that hide what they read
    double operations = 0; ///< of a thread, beside multiply-adds and accesses
    double access = 0;     ///< bits of an access
    double alike = 1;      ///< lanes that read one row or column at once
    double seen = 1;       ///< share of the reads that is not hidden
  } stored;

  /// A matmul that has all of the depth in one step.
  struct OneStep {
    double store = 0;  ///< bytes that a core stores in a cycle
    double memory = 0; ///< bytes of memory for a core in a cycle
    double begin = 0;  ///< cycles before the first load
    double launch = 0; ///< cycles of a launch
    double alone = 1;  ///< times as long, if nothing else uses the unit
    /// Exponent of the norm in which times of units and of memory add up: 1
    /// for one after the other, infinity for the longest one alone.
    double overlap = std::numeric_limits<double>::infinity();
  } oneStep;

  /// Cycles of a matmul whose depth has several steps. A step ends at a
  /// barrier. Without latencies the smallest blocks would seem the best, so a
  /// description that states none gets these. They were measured on one kind of
  /// GPU: descriptions of other chips state their own.
  struct Steps {
    double launch = 2000; ///< of a launch
    double ends = 2500;   ///< of an instance, before and behind its steps
    double way = 1000;    ///< from the issue of a copy until it has arrived
    double read = 0; ///< bytes that a core reads of shared memory in a cycle
    double barrier = 60; ///< of a barrier and what follows it
    double part = 35;    ///< for every 256 bits of a step's depth
    double next = 30;    ///< until the next MMA begins that reads shared memory
    double begin = 250; ///< the same, where it waits until the last one is done
    double seen = 0.06; ///< share of its reads that such an MMA waits for
    double few = 120;   ///< of a step of a skinny matmul
    double first = 200; ///< until threads have read their first operands
    double chain = 100; ///< of a multiply-add that waits for the last one
    double hidden = 8;  ///< elements of a thread that hide all of `chain`
  } steps;

  /// Partial sums of instances that share the depth of a matmul (split-K). A
  /// description that states none gets these, which were measured on one kind
  /// of GPU.
  struct Parts {
    // In a cluster.
    double barrier = 1000; ///< cycles of a barrier
    double write = 20;     ///< bytes that a core writes in a cycle
    double read = 24;      ///< bytes that a core reads in a cycle
    // By a second kernel.
    double launch = 2000; ///< cycles of that kernel
    double share = 0.545; ///< of the rate of memory
  } parts;

  static MatmulCosts of(target::TargetAttr description);
};

} // namespace kiln::tiling

#endif // KILN_TILING_MATMULCOSTS_H
