//===- SeparateCopies.cpp - Copies into LDS alias nothing -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SeparateCopies.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace kiln;

static bool isCopy(const Instruction &inst) {
  auto *call = dyn_cast<CallBase>(&inst);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case Intrinsic::amdgcn_raw_ptr_buffer_load_lds:
  case Intrinsic::amdgcn_global_load_lds:
    return true;
  default:
    return false;
  }
}

/// Whether an instruction accesses LDS through an operand.
static bool accessesLds(const Instruction &inst) {
  return inst.mayReadOrWriteMemory() &&
         any_of(inst.operands(), [](const Use &use) {
           auto *type = dyn_cast<PointerType>(use->getType());
           return type && type->getAddressSpace() == simt::kShared;
         });
}

void amd::separateCopies(Module &module) {
  MDBuilder builder(module.getContext());
  for (Function &function : module) {
    if (none_of(instructions(function), isCopy))
      continue;
    MDNode *domain = builder.createAnonymousAliasScopeDomain("lds");
    auto listOf = [&](StringRef name) {
      return MDNode::get(module.getContext(),
                         builder.createAnonymousAliasScope(domain, name));
    };
    MDNode *copies = listOf("copies"), *others = listOf("others");
    for (Instruction &inst : instructions(function)) {
      if (!accessesLds(inst))
        continue;
      bool is = isCopy(inst);
      inst.setMetadata(LLVMContext::MD_alias_scope, is ? copies : others);
      inst.setMetadata(LLVMContext::MD_noalias, is ? others : copies);
    }
  }
}
