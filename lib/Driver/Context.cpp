//===- Context.cpp - The MLIR context of a compilation --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Context.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Eval/Register.h"
#include "mlir/IR/DialectRegistry.h"
#include <atomic>

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using namespace kiln::target;

static std::atomic<bool> keepsContexts = false;

void ContextDeleter::operator()(MLIRContext *context) const {
  if (!keepsContexts)
    delete context;
}

void kiln::driver::keepContexts() { keepsContexts = true; }

static ContextPtr makeContext(bool evaluates) {
  registerPasses();
  DialectRegistry own, registry;
  registerDialects(own);
  registerInputDialects(registry);
  if (evaluates)
    eval::registerEvaluation(registry);
  ContextPtr context(new MLIRContext(registry));
  context->loadDialect<KilnDialect>();
  // Hooks of the report and of pass construction need these early; others are
  // loaded when the input names them.
  for (StringRef name : own.getDialectNames())
    context->getOrLoadDialect(name);
  return context;
}

/// The one that was made ahead. Only a process that waits for its request has
/// it, which has one thread.
static ContextPtr &prepared() {
  static ContextPtr context;
  return context;
}

void kiln::driver::prepareContext() {
  prepared() = makeContext(/*evaluates=*/false);
}

ContextPtr kiln::driver::takeContext(const CompileOptions &options) {
  // A plug-in may have dialects and interfaces of its own.
  if (prepared() && options.loadTargets.empty() && !options.verifySemantics)
    return std::move(prepared());
  return makeContext(options.verifySemantics);
}
