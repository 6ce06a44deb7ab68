//===- MatrixInstructions.cpp - Code for rows of descriptions -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Cpu/MatrixInstructions.h"
#include "kiln/Target/Contribution.h"
#include <deque>
#include <mutex>

using namespace kiln::cpu;

namespace {
struct Registry {
  std::mutex mutex;
  std::deque<MatrixInstruction> instructions;
};
} // namespace

static Registry &registry() {
  static Registry instance;
  return instance;
}

void kiln::cpu::addMatrixInstruction(MatrixInstruction instruction) {
  target::noteContribution();
  std::lock_guard<std::mutex> lock(registry().mutex);
  registry().instructions.push_front(std::move(instruction));
}

const MatrixInstruction *
kiln::cpu::findMatrixInstruction(llvm::StringRef name) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  for (const MatrixInstruction &instruction : registry().instructions)
    if (instruction.name == name)
      return &instruction;
  return nullptr;
}
