// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compile side of `reference`: takes a module whole, at whatever level it
// is, and serialises it as it stands.
#include "Readable.h"
#include "Seal.h"
#include "kiln/Conversion/PtxToTile.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/Bytecode.h"
#include "kiln/Target/Plugin.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {

/// Evaluates operations one by one, exactly; the oracle for other targets.
class ReferenceTarget : public Target {
public:
  StringRef name() const override { return "reference"; }
  StringRef help() const override {
    return "evaluates prim, tile, stage and threads op by op, with checks; the "
           "oracle";
  }
  std::vector<OptionInfo> options() const override {
    return {{"races", "warn|error",
             "error: a race between instances ends the launch"},
            {"seed", "N",
             "picks the order in which asynchronous operations complete and "
             "roles take turns; 0: as late as a wait allows"},
            {"perturb", "N",
             "results err as far as their contracts let them, those of -N in "
             "the opposite direction of those of N"},
            {"threads", "NAME[:CHIP]",
             "evaluates kernels as the code of threads that the gpu family "
             "makes for that target"},
            {"thread_options", "KEY=VALUE:KEY=VALUE",
             "that target's options for making them"}};
  }
  InputLevel inputLevel() const override { return InputLevel::Prim; }
  bool hasPipeline() const override { return true; }

  /// Kernels become thread code where the user asks for it.
  void buildPipeline(OpPassManager &pm,
                     const TargetOptions &options) const override {
    std::string spec = options.get("threads", "").str();
    if (spec.empty())
      return;
    // By name: the oracle is built without the family.
    (void)parsePassPipeline("kiln-set-target{spec=" + spec +
                                "},gpu-pipeline{options=keep_copies=1:" +
                                options.get("thread_options", "").str() +
                                "},canonicalize,cse",
                            pm);
  }

  TargetAttr description(MLIRContext *context,
                         const TargetOptions &options) const override {
    if (!options.chip.empty() && options.chip != "host") {
      emitError(UnknownLoc::get(context))
          << "target 'reference' has the one chip 'host', found '"
          << options.chip << "'";
      return {};
    }
    return parseDescription(R"(#kiln.target<name = "reference", chip = "host",
      memories = [#kiln.memory<name = "host", scope = host, kind = cached>]>)",
                            context, "reference");
  }

  /// Every function and every kernel is an entry; a function whose results
  /// have dynamic sizes has a companion that computes those.
  LogicalResult serialize(ModuleOp module, const TargetOptions &options,
                          Executable &result) const override {
    if (!options.get("threads", "").empty() &&
        llvm::none_of(module.getBody()->getOperations(), [](Operation &op) {
          return isa<tile::KernelOp>(op) || simt::isThreadFunction(&op);
        }))
      module.emitWarning("option 'threads' of target 'reference' has no "
                         "effect: it is for kernels, and functions are "
                         "evaluated as they are");
    for (Operation &op : *module.getBody()) {
      auto name =
          op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
      if (!name)
        continue;
      auto add = [&](const std::string &symbol) {
        CompiledKernel kernel;
        kernel.name = kernel.symbol = symbol;
        result.kernels.push_back(std::move(kernel));
      };
      if (isa<tile::KernelOp>(op) || simt::isThreadFunction(&op)) {
        add(name.str());
      } else if (auto function = dyn_cast<func::FuncOp>(op)) {
        if (function.isExternal())
          continue;
        add(name.str());
        bool isDynamic = llvm::any_of(function.getResultTypes(), [](Type type) {
          auto shaped = dyn_cast<ShapedType>(type);
          return shaped && !shaped.hasStaticShape();
        });
        if (isDynamic)
          add(name.str() + ":sizes");
      }
    }
    // What the module was compiled for says nothing about what it means, but
    // for matrix instructions of threads.
    OwningOpRef<ModuleOp> copy = module.clone();
    copy.get()->removeAttr(kSpecAttr);
    if (options.get("threads", "").empty())
      copy.get()->removeAttr(kTargetAttr);
    // Text of machines is evaluated by what it means.
    PassManager pm(module.getContext());
    pm.addNestedPass<tile::KernelOp>(
        tile::createTileExpandInlineAsm({/*keep=*/true}));
    if (failed(pm.run(*copy)))
      return failure();
    if (failed(reference::makeReadable(*copy)))
      return failure();
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    if (failed(writeBytecode(*copy, os)))
      return module.emitError("cannot write the module as bytecode");
    os.flush();
    reference::seal(bytes);
    result.blobs.push_back(std::move(bytes));
    return success();
  }
};

void registerAll(TargetRegistry &registry) {
  registry.addTarget(std::make_unique<ReferenceTarget>());
}

} // namespace

KILN_TARGET_PLUGIN("reference", KILN_VERSION, registerAll)
