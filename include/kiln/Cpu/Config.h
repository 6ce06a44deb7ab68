//===- Config.h - What the cpu family knows of a chip -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CPU_CONFIG_H
#define KILN_CPU_CONFIG_H

#include "kiln/Dialect/Kiln/Description.h"

namespace kiln::cpu {

/// The few numbers of a description that shape generated loops.
struct CpuConfig {
  int64_t vectorBits = 128;          ///< width of a vector register
  int64_t registers = 16;            ///< number of vector registers
  int64_t l1Bytes = 32768;           ///< nearest cache
  int64_t lastCacheBytes = 32 << 20; ///< what larger data is not kept in
  int64_t lineBytes = 64;            ///< of the nearest cache

  /// Reads the unit of kind `vector` and the memory `l1`; the defaults above
  /// where the description has none.
  static CpuConfig fromDescription(target::TargetAttr description);

  /// Lanes of a register for elements of `bits` bits.
  int64_t lanes(int64_t bits) const {
    return std::max<int64_t>(1, vectorBits / bits);
  }
};

/// What register blocks are made of.
struct RegisterFile {
  int64_t registers;     ///< how many there are
  int64_t rows, columns; ///< of the accumulator in one register
  int64_t temporaries;   ///< needed beside accumulators and operands
  /// Whether left and right operands take registers of this file, too.
  bool left = true, right = true;
  bool isMatrix = false; ///< of a unit for matrices
};

/// Shape of a register-blocked micro-kernel: `rows` x (`vectors` registers).
struct MicroTile {
  int64_t rows = 1, vectors = 1;

  /// The shape that wastes least on an m x n product. With `isWhole` its rows
  /// divide m.
  static MicroTile choose(const RegisterFile &file, int64_t m, int64_t n,
                          bool isWhole = false);
};

} // namespace kiln::cpu

#endif // KILN_CPU_CONFIG_H
