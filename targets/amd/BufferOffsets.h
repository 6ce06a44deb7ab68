//===- BufferOffsets.h - Offsets that stay in range -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_BUFFER_OFFSETS_H
#define KILN_TARGETS_AMD_BUFFER_OFFSETS_H

#include "llvm/IR/LegacyPassManager.h"

namespace kiln::amd {

/// The passes of a back end, with one of Kiln's between those on LLVM IR and
/// instruction selection.
///
/// Buffer instructions add a constant to the offset of a lane without wrapping
/// around, and compare the sum with the size of the buffer ("AMD Instinct
/// MI300" instruction set manual, "Range checking"). Instruction selection
/// moves every constant addend of an offset into that field, also where what
/// is left is negative: such an access is out of bounds, loads give 0 and
/// stores do nothing. Strength reduction makes such offsets of loops that
/// count to zero. The pass hides a sum from instruction selection unless it
/// can prove that no part of it wraps around.
class EmitPasses : public llvm::legacy::PassManager {
public:
  /// Takes ownership of a pass.
  void add(llvm::Pass *pass) override;
};

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_BUFFER_OFFSETS_H
