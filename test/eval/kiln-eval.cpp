// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates every function without parameters of an MLIR file and prints the
// results: `name[k] = [shape] type: elements`; with --ranks=N on N ranks at
// once, `name@rank[k]`. Private functions are helpers and are skipped. Thread
// code (llvm.func with simt.block) runs on a grid with arguments that
// attributes give, `eval.grid = array<i64: X, Y, Z>` and `eval.args`, a list of
// dense elements, numbers and "random:SEED:TYPE:SIZExSIZE"; its memory is
// printed after the launch. --seed=N picks an order of events, --verify expects
// the diagnostics that the file announces, --load-target=LIB loads a plug-in.
// Exit status 1 when a function fails.
#include "kiln/Eval/Collective.h"
#include "kiln/Eval/Coroutine.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Kernel.h"
#include "kiln/Eval/Memory.h"
#include "kiln/Eval/Register.h"
#include "kiln/Interfaces/AsyncCopy.h"
#include "kiln/Target/PluginLoader.h"
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
#include <deque>
#include <random>

using namespace mlir;
using Evaluated = kiln::eval::Value;

/// More elements than this are summarised, without --full.
static int64_t maxPrinted = 64;

static void print(const Evaluated &value) {
  if (value.isTensor()) {
    std::printf("[");
    for (unsigned d = 0; d < value.rank(); ++d)
      std::printf(d ? ", %ld" : "%ld", static_cast<long>(value.dim(d)));
    std::printf("] ");
  }
  auto name = kiln::runtime::dtypeName(value.dtype());
  std::printf("%.*s:", static_cast<int>(name.size()), name.data());
  for (int64_t i = 0; i < std::min(value.size(), maxPrinted); ++i) {
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
  std::printf(value.size() > maxPrinted ? " ...\n" : "\n");
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
        // Warps evaluate what starts a copy by its interface.
        !op.hasInterface<kiln::AsyncCopyOpInterface>() &&
        !(table && table->lookup(op)))
      std::printf(" %s", op.getIdentifier().str().c_str());
  }
  std::printf("\n");
}

/// Ranks that take turns: each evaluates until it waits for others.
struct Together {
  struct Rank : kiln::eval::Ranks {
    Together *all = nullptr;
    int64_t number = 0;
    kiln::eval::Coroutine routine;
    std::string given;
    llvm::SmallVector<int64_t> group; ///< what it waits in
    std::vector<std::string> taken;
    bool isWaiting = false;

    int64_t rank() const override { return number; }
    int64_t count() const override {
      return static_cast<int64_t>(all->ranks.size());
    }
    bool exchange(ArrayRef<int64_t> with, llvm::StringRef mine,
                  std::vector<std::string> &out,
                  std::string &message) override {
      group.assign(with.begin(), with.end());
      given = mine.str();
      isWaiting = true;
      routine.suspend();
      out = std::move(taken);
      if (out.empty())
        message = "the other ranks of the group have ended";
      return !out.empty();
    }
  };

  explicit Together(int64_t count) : ranks(count) {
    for (auto [number, rank] : llvm::enumerate(ranks)) {
      rank.all = this;
      rank.number = static_cast<int64_t>(number);
    }
  }

  /// Gives what it waits for to each rank of groups that are complete.
  bool serve() {
    bool served = false;
    for (Rank &rank : ranks) {
      bool isComplete =
          rank.isWaiting && llvm::all_of(rank.group, [&](int64_t other) {
            return ranks[other].isWaiting && ranks[other].group == rank.group;
          });
      if (!isComplete)
        continue;
      auto group = rank.group;
      for (int64_t to : group)
        for (int64_t from : group)
          ranks[to].taken.push_back(ranks[from].given);
      for (int64_t to : group)
        ranks[to].isWaiting = false;
      served = true;
    }
    return served;
  }

  void run(llvm::function_ref<void(int64_t)> body) {
    for (Rank &rank : ranks)
      rank.routine.start([&] { body(rank.number); });
    while (true) {
      bool ran = false;
      for (Rank &rank : ranks)
        if (!rank.isWaiting && !rank.routine.isDone()) {
          kiln::eval::ranks() = &rank;
          rank.routine.resume();
          ran = true;
        }
      kiln::eval::ranks() = nullptr;
      if (serve() || ran)
        continue;
      bool isAnyLeft = false;
      // Nobody comes any more: they are told so.
      for (Rank &rank : ranks)
        if (rank.isWaiting) {
          rank.isWaiting = false;
          isAnyLeft = true;
        }
      if (!isAnyLeft)
        return;
    }
  }

  std::deque<Rank> ranks;
};

/// "random:SEED:TYPE:SHAPE" and "zeros:TYPE:SHAPE", as kiln-run has them:
/// floats in [-1, 1), integers in [-4, 4].
static Evaluated invented(llvm::StringRef text) {
  auto [kind, rest] = text.split(':');
  uint64_t seed = 0;
  if (kind == "random") {
    auto [number, more] = rest.split(':');
    if (number.getAsInteger(10, seed))
      return {};
    rest = more;
  } else if (kind != "zeros") {
    return {};
  }
  auto [type, sizes] = rest.split(':');
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> parts;
  sizes.split(parts, 'x');
  for (llvm::StringRef part : parts)
    if (part.getAsInteger(10, shape.emplace_back()) || shape.back() < 0)
      return {};
  auto dtype = kiln::runtime::parseDType(type);
  if (dtype == kiln::eval::DType::none)
    return {};
  Evaluated value = Evaluated::tensor(dtype, shape);
  std::memset(value.mutableData(), 0, value.bytes());
  std::mt19937_64 generator(seed);
  for (int64_t i = 0; kind == "random" && i < value.size(); ++i) {
    auto bits = generator();
    int64_t integer = static_cast<int64_t>(bits % 9) - 4;
    double real = std::ldexp(static_cast<double>(bits >> 11), -52) - 1;
    if (kiln::runtime::isFloat(dtype))
      kiln::eval::storeDoubles(dtype, value.mutableData(), i, 1, &real);
    else
      kiln::eval::storeInts(dtype, value.mutableData(), i, 1, &integer);
  }
  return value;
}

/// Launches thread code on the arguments that its attributes give, and prints
/// its memory.
static LogicalResult launch(kiln::eval::Evaluator &evaluator,
                            FunctionOpInterface function) {
  llvm::SmallVector<Evaluated> args;
  if (auto list = function->getAttrOfType<ArrayAttr>("eval.args"))
    for (Attribute attr : list) {
      auto text = dyn_cast<StringAttr>(attr);
      Evaluated value = text ? invented(text) : kiln::eval::constantValue(attr);
      if (value.isNone())
        return function.emitError("expected arguments, found ") << attr;
      if (value.isTensor()) {
        kiln::eval::View view =
            kiln::eval::allocate(value.dtype(), value.shape());
        std::memcpy(view.buffer->data(), value.data(), value.bytes());
        view.buffer->markWritten(0, view.buffer->bytes);
        view.buffer->name = "argument " + std::to_string(args.size());
        value = Evaluated::ofView(std::move(view));
      }
      args.push_back(std::move(value));
    }
  std::array<int64_t, 3> grid = {1, 1, 1};
  if (auto sizes = function->getAttrOfType<DenseI64ArrayAttr>("eval.grid"))
    for (auto [d, size] : llvm::enumerate(sizes.asArrayRef().take_front(3)))
      grid[d] = size;
  if (failed(kiln::eval::launchKernel(evaluator, function, grid, args,
                                      function.getLoc()))) {
    std::printf("%s failed\n", function.getName().str().c_str());
    return failure();
  }
  for (auto [k, value] : llvm::enumerate(args))
    if (value.isView()) {
      std::printf("%s[%zu] = ", function.getName().str().c_str(), k);
      print(kiln::eval::readView(value.view()));
    }
  return success();
}

int main(int argc, char **argv) {
  std::vector<std::string> plugins =
      kiln::target::extractLoadTargetFlags(argc, argv);
  if (!plugins.empty() && !kiln::target::loadPlugins(plugins))
    return 2;
  int64_t numRanks = 1;
  uint64_t seed = 0;
  bool verifies = false;
  while (argc > 2) {
    llvm::StringRef option = argv[1];
    if (option.consume_front("--seed=")) {
      if (option.getAsInteger(10, seed)) {
        std::fprintf(stderr, "kiln-eval: expected --seed=N\n");
        return 2;
      }
    } else if (option == "--verify") {
      verifies = true;
    } else if (option == "--full") {
      maxPrinted = std::numeric_limits<int64_t>::max();
    } else {
      break;
    }
    ++argv;
    --argc;
  }
  if (argc > 2 && llvm::StringRef(argv[1]).starts_with("--ranks=")) {
    if (llvm::StringRef(argv[1]).drop_front(8).getAsInteger(10, numRanks) ||
        numRanks < 1 || numRanks > 64) {
      std::fprintf(stderr, "kiln-eval: expected --ranks=N, N from 1 to 64\n");
      return 2;
    }
    ++argv;
    --argc;
  }
  bool time = argc > 2 && !std::strcmp(argv[2], "--time");
  if (argc < 2) {
    std::fprintf(
        stderr,
        "usage: kiln-eval [--seed=N] [--verify] [--full] [--ranks=N] FILE "
        "[--time]\n"
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
  context.printOpOnDiagnostic(!verifies);
  llvm::SourceMgr sources;
  std::optional<SourceMgrDiagnosticHandler> handler;
  std::optional<SourceMgrDiagnosticVerifierHandler> verifier;
  if (verifies)
    verifier.emplace(sources, &context);
  else
    handler.emplace(sources, &context, llvm::errs());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(argv[1], sources, &context);
  if (!module)
    return 1;
  int status = 0;
  kiln::eval::Evaluator evaluator(*module);
  evaluator.seed = seed;
  for (auto function : module->getOps<FunctionOpInterface>()) {
    if (function->hasAttr("simt.block")) {
      if (failed(launch(evaluator, function)))
        status = 1;
      continue;
    }
    if (function.isExternal() || function.isPrivate() ||
        function.getNumArguments() ||
        function->getName().getStringRef() == "tile.kernel")
      continue;
    if (numRanks > 1) {
      std::vector<llvm::SmallVector<Evaluated>> all(numRanks);
      Together together(numRanks);
      together.run([&](int64_t rank) {
        kiln::eval::Evaluator own(*module);
        if (failed(own.call(function, {}, all[rank], function.getLoc()))) {
          all[rank].clear();
          status = 1;
        }
      });
      for (int64_t rank = 0; rank < numRanks; ++rank)
        for (auto [k, value] : llvm::enumerate(all[rank])) {
          std::printf("%s@%ld", function.getName().str().c_str(),
                      static_cast<long>(rank));
          std::printf(all[rank].size() > 1 ? "[%zu] = " : " = ", k);
          print(value.isView() ? kiln::eval::readView(value.view()) : value);
        }
      continue;
    }
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
  return verifies ? failed(verifier->verify()) : status;
}
