//===- WireCases.cpp - The suite's kernels in the wire form ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WireCases.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Isolated/Wire.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::conform;
using namespace kiln::isolated;
using llvm::json::Array;
using llvm::json::Object;

/// The kernel as MLIR prints it, without its places in files.
static std::string printPlain(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().printGenericOpForm().useLocalScope());
  return text;
}

namespace {
class WireCases {
public:
  WireCases(MLIRContext &context, Object &answer)
      : context(context), answer(answer) {}

  /// `name` is that of the kernel's cases.
  void add(tile::KernelOp kernel, const std::string &name) {
    std::string reason;
    OwningOpRef<ModuleOp> module = isolateKernel(kernel);
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
      if (reason.empty())
        reason = diag.str();
      return success();
    });
    if (failed(toWire(*module, WireReader()))) {
      declined[name] = reason;
      return;
    }
    std::string wire = printWire(*module);
    auto back = readWire(wire, &context);
    if (!back || printPlain(*back) != printPlain(*module))
      changed.push_back(name);
    kernels[name] = std::move(wire);
  }

  void finish() {
    answer["kernels"] = std::move(kernels);
    answer["changed"] = std::move(changed);
    answer["declined"] = std::move(declined);
  }

private:
  MLIRContext &context;
  Object &answer;
  Object kernels, declined;
  Array changed;
};
} // namespace

bool kiln::conform::answerWireCases(MLIRContext &context,
                                    const SuiteOptions &options, Object &answer,
                                    std::string &error) {
  Object suite;
  if (!assembleSuite(context, options, suite, error))
    return false;
  WireCases cases(context, answer);
  for (const llvm::json::Value &entry : *suite.getArray("modules")) {
    auto text = entry.getAsObject()->getString("text");
    auto module = parseSourceString<ModuleOp>(*text, &context);
    if (!module) {
      error = "error: a module of the suite cannot be read";
      return false;
    }
    for (const llvm::json::Value &program :
         *entry.getAsObject()->getArray("programs")) {
      const Object &named = *program.getAsObject();
      if (auto kernel = dyn_cast_or_null<tile::KernelOp>(
              SymbolTable::lookupSymbolIn(*module, *named.getString("entry"))))
        cases.add(kernel, named.getString("id")->str());
    }
  }
  cases.finish();
  return true;
}
