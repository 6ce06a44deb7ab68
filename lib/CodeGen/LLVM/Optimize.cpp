//===- Optimize.cpp - LLVM's passes over kernels --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Optimize.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

/// A function with more loops is compiled without kRotate and kInduction, and
/// with kFewReads for kReads: these passes look, from each loop or read, at the
/// blocks before it, which takes quadratic time.
static constexpr size_t kMostLoops = 512;

static constexpr StringLiteral kRotate = R"(
      loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,
                loop-rotate<header-duplication>,licm<allowspeculation>,
                simple-loop-unswitch<no-nontrivial;trivial>),)";
static constexpr StringLiteral kInduction =
    "loop(loop-idiom,indvars,loop-deletion),";
static constexpr StringLiteral kReads = "gvn<>",
                               kFewReads = "early-cse<memssa>";

/// What of -O2 changes kernels, with these passes as {0} to {2}. Their loops
/// are loops over vectors already, of the lengths that they should have:
/// nothing is vectorised or unrolled. Which part of a loop runs without checks,
/// branches choose, so what is known behind them counts. Every pass that tidies
/// up runs as often as it finds something.
static constexpr char kPasses[] = R"(
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
      reassociate,{0}
      simplifycfg<switch-range-to-icmp>,
      instcombine<max-iterations=1;no-verify-fixpoint>,
      {1}
      vector-combine,{2},bdce,
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

static bool hasManyLoops(Function &function) {
  if (function.isDeclaration())
    return false;
  DominatorTree dominators(function);
  return LoopInfo(dominators).getLoopsInPreorder().size() > kMostLoops;
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
  bool omits = any_of(code, hasManyLoops);
  std::string text =
      formatv(kPasses, omits ? "" : kRotate, omits ? "" : kInduction,
              omits ? kFewReads : kReads);
  erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  ModulePassManager passes;
  // Names of passes change with LLVM's versions, not with kernels.
  if (Error error = builder.parsePassPipeline(passes, text))
    reportFatalInternalError(std::move(error));
  passes.run(code, modules);
}
