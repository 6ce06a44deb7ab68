// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates every function without parameters of an MLIR file and prints the
// results: `name[k] = [shape] type: elements`. Private functions are helpers
// and are skipped. Exit status 1 when a function fails.
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Memory.h"
#include "kiln/Eval/Register.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace mlir;
using Evaluated = kiln::eval::Value;

/// More elements than this are summarised.
static constexpr int64_t kMaxPrinted = 64;

static void print(const Evaluated &value) {
  if (value.isTensor()) {
    std::printf("[");
    for (unsigned d = 0; d < value.rank(); ++d)
      std::printf(d ? ", %ld" : "%ld", static_cast<long>(value.dim(d)));
    std::printf("] ");
  }
  auto name = kiln::runtime::dtypeName(value.dtype());
  std::printf("%.*s:", static_cast<int>(name.size()), name.data());
  for (int64_t i = 0; i < std::min(value.size(), kMaxPrinted); ++i) {
    Evaluated element = value.isScalar() ? value : value.element(i);
    if (element.hasPoison())
      std::printf(" poison");
    else if (kiln::runtime::isFloat(value.dtype()) &&
             std::isnan(element.asDouble()))
      std::printf(" nan");
    else if (kiln::runtime::isFloat(value.dtype()))
      std::printf(value.dtype() == kiln::eval::DType::f64 ? " %.17g" : " %.9g",
                  element.asDouble());
    else
      std::printf(" %ld", static_cast<long>(element.asInt()));
  }
  std::printf(value.size() > kMaxPrinted ? " ...\n" : "\n");
}

/// Lists the operations of a dialect that cannot be evaluated. Terminators are
/// part of what encloses them, and functions are called.
static void printMissing(MLIRContext &context, llvm::StringRef name) {
  Dialect *dialect = context.getOrLoadDialect(name);
  auto *table =
      dialect
          ? dialect->getRegisteredInterface<kiln::eval::EvaluationInterface>()
          : nullptr;
  std::printf("%s:", name.str().c_str());
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    if (op.getDialectNamespace() != name)
      continue;
    if (!op.hasTrait<OpTrait::IsTerminator>() &&
        !op.hasInterface<FunctionOpInterface>() &&
        !(table && table->lookup(op)))
      std::printf(" %s", op.getIdentifier().str().c_str());
  }
  std::printf("\n");
}

int main(int argc, char **argv) {
  bool time = argc > 2 && !std::strcmp(argv[2], "--time");
  if (argc < 2) {
    std::fprintf(stderr, "usage: kiln-eval FILE [--time]\n"
                         "       kiln-eval --missing DIALECT...\n");
    return 2;
  }
  DialectRegistry registry;
  kiln::eval::registerEvaluation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  if (!std::strcmp(argv[1], "--missing")) {
    for (int i = 2; i < argc; ++i)
      printMissing(context, argv[i]);
    return 0;
  }
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context, llvm::errs());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(argv[1], sources, &context);
  if (!module)
    return 1;
  int status = 0;
  kiln::eval::Evaluator evaluator(*module);
  for (auto function : module->getOps<FunctionOpInterface>()) {
    if (function.isExternal() || function.isPrivate() ||
        function.getNumArguments() ||
        function->getName().getStringRef() == "tile.kernel")
      continue;
    llvm::SmallVector<Evaluated> results;
    auto begin = std::chrono::steady_clock::now();
    if (failed(evaluator.call(function, {}, results, function.getLoc()))) {
      status = 1;
      continue;
    }
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - begin;
    for (auto [k, value] : llvm::enumerate(results)) {
      std::printf("%s", function.getName().str().c_str());
      std::printf(results.size() > 1 ? "[%zu] = " : " = ", k);
      print(value.isView() ? kiln::eval::readView(value.view()) : value);
    }
    if (time)
      std::printf("%s took %.3f s\n", function.getName().str().c_str(),
                  seconds.count());
  }
  return status;
}
