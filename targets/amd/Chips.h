//===- Chips.h - AMD's GPUs as descriptions ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_CHIPS_H
#define KILN_TARGETS_AMD_CHIPS_H

#include "kiln/Target/Target.h"

namespace kiln::amd {

/// An instruction set that decides how code is generated.
enum class Family { CDNA2, CDNA3, CDNA4, RDNA3, RDNA4 };

/// Facts about one chip that passes ask for. The rest is its description.
struct Chip {
  llvm::StringRef name, board;
  Family family;
  int64_t lanes; ///< threads of a wave
  /// The number of the instruction set as the device library has it
  /// (`__oclc_ISA_version`): 9402 for gfx942.
  unsigned isaVersion;
  int64_t cores;     ///< compute units
  int64_t ldsKiB;    ///< of a workgroup, at most
  int64_t waves;     ///< of a core, at most
  int64_t registers; ///< 32-bit vector registers of a thread, at most
  int64_t l2KiB;     ///< of one die
  int64_t gigabytes; ///< of device memory, per second
  int64_t megahertz; ///< at most
  int64_t tensors;   ///< multiply-adds of f16 of a core per cycle

  bool isCdna() const { return family <= Family::CDNA4; }
  /// Whether products are those of the transposed operands, in reversed order:
  /// instructions give a lane consecutive rows of a column, these give it
  /// consecutive columns of a row, which it stores at once, and which are a
  /// left operand of the next product. Rows of RDNA3 alternate between lanes.
  bool isTransposed() const { return family != Family::RDNA3; }

  /// Whether v_maximum or v_maximum3 gives NaN beside NaN.
  bool hasMaximum() const {
    return family == Family::CDNA4 || family == Family::RDNA4;
  }

  /// Whether an instruction converts f32 to bf16.
  bool hasBrainFloats() const { return family == Family::CDNA4; }

  /// Bytes that a lane copies to LDS past its registers; 0 where that are too
  /// few to be worth it.
  int64_t copyBytes() const { return family == Family::CDNA4 ? 16 : 0; }

  /// The 8-bit floats that instructions convert, as a list of types: FNUZ on
  /// CDNA3, and by these with a few other instructions (Float8.cpp) those of
  /// OCP, which later chips have; empty: none.
  llvm::StringRef float8Types() const {
    if (family == Family::CDNA3)
      return "f8E4M3FNUZ, f8E5M2FNUZ, f8E4M3FN, f8E5M2";
    return family == Family::CDNA4 || family == Family::RDNA4
               ? "f8E4M3FN, f8E5M2"
               : "";
  }
};

/// The chip of that name (empty: the default), or null.
const Chip *findChip(llvm::StringRef name);

/// The chip that `module` is compiled for: the one that its description names.
/// Reports a module without one.
const Chip *chipOf(mlir::ModuleOp module);

/// The chips that there is code for, the default first.
std::vector<target::ChipInfo> listedChips();

/// The description of `chip` (empty: the default), or null after an error.
/// With `copies` operands may go to LDS past registers.
target::TargetAttr describeChip(mlir::MLIRContext *context,
                                llvm::StringRef chip, bool copies = false);

/// The matrix instructions of a chip (MFMA or WMMA), for a description. The
/// name of each is that of LLVM's intrinsic without `llvm.amdgcn.`; 8-bit
/// floats, of which each operand has its own type, end with `f8`.
std::string matrixRows(const Chip &chip);

/// Those of them that take a scale for some elements along the depth, each with
/// the number of these elements: entries of a dictionary. Their names end with
/// the formats of both operands.
std::string scaledRowNames(const Chip &chip);

/// The instructions that read matrices from LDS, for a description. The name of
/// each is that of LLVM's intrinsic without `llvm.amdgcn.`.
std::string tileMoves(const Chip &chip);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_CHIPS_H
