//===- Processors.h - What the names of chips stand for ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_CPU_PROCESSORS_H
#define KILN_TARGETS_CPU_PROCESSORS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Triple.h"
#include <memory>
#include <string>
#include <vector>

namespace kiln::cpu_target {

/// A chip with a name and what LLVM's tables do not say of it. Caches are in
/// KiB.
struct NamedChip {
  llvm::StringRef name;
  llvm::StringRef cpu;      ///< LLVM's name; empty: the same
  llvm::StringRef features; ///< added to those of the processor
  llvm::StringRef tune;     ///< the processor whose timing is assumed
  llvm::StringRef help;
  int64_t l1 = 32, l2 = 1024, l3 = 32768, line = 64;
  int64_t pipes = 2;         ///< that multiply and add vectors
  int64_t vectorBits = 0;    ///< of registers whose length is the chip's
  int64_t group = 1;         ///< registers that an instruction should work on
  int64_t streamingBits = 0; ///< of registers in streaming mode
};

/// An architecture: how its chips are called, and what their code is.
struct Architecture {
  llvm::Triple::ArchType arch;
  llvm::StringRef name;   ///< as the driver knows it
  llvm::StringRef triple; ///< where the compiling machine is another
  llvm::ArrayRef<NamedChip> chips;
};

/// All of them, in the order in which chips are listed.
llvm::ArrayRef<Architecture> architectures();

/// What a name of a chip stands for.
struct Processor {
  const Architecture *architecture = nullptr;
  llvm::Triple triple;
  std::string chip, cpu, features, tune;
  int64_t l1 = 32 << 10, l2 = 1 << 20, l3 = 32 << 20, line = 64;
  int64_t cores = 1, pipes = 2;
  int64_t vectorBits = 0, group = 1, streamingBits = 0;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;

  bool has(llvm::StringRef feature) const {
    return subtarget->checkFeatures((llvm::Twine("+") + feature).str());
  }
};

/// The processor of that name, or one without a subtarget and the reason in
/// `problem`, without the name of the target.
Processor findProcessor(llvm::StringRef chip, std::string &problem);

/// Fills in what the compiling machine says of itself.
void readMachine(Processor &processor);

} // namespace kiln::cpu_target

#endif // KILN_TARGETS_CPU_PROCESSORS_H
