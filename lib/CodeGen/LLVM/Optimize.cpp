//===- Optimize.cpp - LLVM's passes over kernels --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Optimize.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

/// What of -O2 changes kernels. Their loops are loops over vectors already, of
/// the lengths that they should have: nothing is vectorised or unrolled. Which
/// part of a loop runs without checks, branches choose, so what is known behind
/// them counts. Every pass that tidies up runs as often as it finds something.
static constexpr StringLiteral kPasses = R"(
  function<eager-inv>(lower-expect,sroa<modify-cfg>,early-cse<>),
  ipsccp,globalopt,always-inline,
  cgscc(devirt<4>(
    inline,
    function-attrs,
    function<eager-inv;no-rerun>(
      early-cse<memssa>,
      jump-threading,correlated-propagation,
      simplifycfg<switch-range-to-icmp>,
      instcombine<max-iterations=1;no-verify-fixpoint>,
      reassociate,
      loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,
                loop-rotate<header-duplication>,licm<allowspeculation>,
                simple-loop-unswitch<no-nontrivial;trivial>),
      simplifycfg<switch-range-to-icmp>,
      instcombine<max-iterations=1;no-verify-fixpoint>,
      loop(loop-idiom,indvars,loop-deletion),
      vector-combine,gvn<>,bdce,
      jump-threading,correlated-propagation,dse,
      loop-mssa(licm<allowspeculation>),
      simplifycfg<switch-range-to-icmp;switch-to-arithmetic;
                  hoist-common-insts;sink-common-insts>,
      instcombine<max-iterations=1;no-verify-fixpoint>))),
  rpo-function-attrs,
  function<eager-inv>(
    infer-alignment,loop-sink,instsimplify,div-rem-pairs,
    simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-arithmetic;
                switch-to-lookup;no-keep-loops;speculate-unpredictables>),
  globaldce,constmerge)";

void kiln::cpu::widenHalfConversions(Module &code) {
  for (Function &function : code)
    for (Instruction &inst : instructions(function)) {
      if (!isa<FPToSIInst, FPToUIInst>(inst))
        continue;
      Value *half = inst.getOperand(0);
      auto *type = dyn_cast<VectorType>(half->getType());
      if (!type || !type->getElementType()->isHalfTy())
        continue;
      IRBuilder<> builder(&inst);
      inst.setOperand(0, builder.CreateFPExt(
                             half, VectorType::get(builder.getFloatTy(),
                                                   type->getElementCount())));
    }
}

void kiln::cpu::optimizeKernels(Module &code, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  std::string text;
  copy_if(kPasses, std::back_inserter(text),
          [](char c) { return c != ' ' && c != '\n'; });
  ModulePassManager passes;
  // Names of passes change with LLVM's versions, not with kernels.
  if (Error error = builder.parsePassPipeline(passes, text))
    reportFatalInternalError(std::move(error));
  passes.run(code, modules);
}
