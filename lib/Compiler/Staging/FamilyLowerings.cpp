//===- FamilyLowerings.cpp - Operations that lowerings take ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FamilyLowerings.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/Names.h"
#include "kiln/Target/Lowering.h"
#include "kiln/Target/ModuleOptions.h"

using namespace mlir;
using namespace kiln;

namespace {
/// Which lowerings apply to kernels of a description.
struct FamilyContext : target::LoweringContext {
  FamilyContext(RewriterBase &rewriter, const target::TargetOptions &options,
                target::TargetAttr description)
      : LoweringContext(rewriter, options, description),
        name(description ? description.getFamily().str() : "") {}
  StringRef family() const override { return name; }
  std::string name;
};

struct Question {
  explicit Question(tile::KernelOp kernel) : rewriter(kernel.getContext()) {
    if (auto found = target::findModuleOptions(kernel))
      options = *found;
    context.emplace(rewriter, options, target::getDescription(kernel));
  }
  IRRewriter rewriter;
  target::TargetOptions options;
  std::optional<FamilyContext> context;
};
} // namespace

std::function<bool(Operation *)>
staging::findFamilyLowerings(tile::KernelOp kernel) {
  auto question = std::make_shared<Question>(kernel);
  return [question](Operation *op) {
    return target::LoweringRegistry::get().knows(op, *question->context);
  };
}

std::function<bool(Operation *)>
staging::findProductPlugIns(tile::KernelOp kernel) {
  constexpr int kFamilyPriority = 50;
  auto question = std::make_shared<Question>(kernel);
  return [question](Operation *op) {
    target::TargetAttr description = question->context->description;
    if (!description)
      return false;
    auto takes = [&](const target::Lowering *lowering) {
      return !lowering->plugin.empty() &&
             !target::isLeftOut(lowering->name, question->context->options) &&
             lowering->priority >= kFamilyPriority &&
             (lowering->op == op->getName().getStringRef() ||
              lowering->op == kMatrixProduct);
    };
    const auto &registry = target::LoweringRegistry::get();
    return llvm::any_of(registry.lowerings(description.getName()), takes) ||
           llvm::any_of(registry.lowerings(description.getFamily()), takes);
  };
}
