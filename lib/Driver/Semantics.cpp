//===- Semantics.cpp - Evaluation before and after each pass --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Driver/Semantics.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Kernel.h"
#include "kiln/Eval/Memory.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <map>
#include <random>

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using Evaluated = eval::Value;

namespace {

/// What a pointer points to.
constexpr int64_t kPointerElements = 1 << 16;

/// What an entry gives: the results of a function, or the memory that a kernel
/// was given, after it has run.
struct Outcome {
  std::vector<Evaluated> values;
  std::vector<std::string> names;
  bool isExact = true; ///< no sum may change its order
  bool isNarrow = false;
  std::string error;
};

/// Invents arguments, the same for the same types.
class Inventor {
public:
  explicit Inventor(int64_t size) : size(size), generator(42) {}

  Evaluated tensor(Type type, ArrayRef<int64_t> shape) {
    eval::DType dtype = eval::dtypeOf(type);
    Evaluated value = Evaluated::tensor(dtype, shape);
    for (int64_t i = 0; i < value.size(); ++i)
      fill(value, i);
    return value;
  }

  Evaluated scalar(Type type) {
    eval::DType dtype = eval::dtypeOf(type);
    return runtime::isFloat(dtype) ? Evaluated::ofDouble(dtype, 1.5)
                                   : Evaluated::ofInt(dtype, size);
  }

  SmallVector<int64_t> shapeOf(ArrayRef<int64_t> shape) const {
    SmallVector<int64_t> sizes;
    for (int64_t dim : shape)
      sizes.push_back(ShapedType::isDynamic(dim) ? size : dim);
    return sizes;
  }

private:
  void fill(Evaluated &value, int64_t i) {
    if (runtime::isFloat(value.dtype())) {
      double x = std::uniform_real_distribution<double>(-2, 2)(generator);
      eval::storeDoubles(value.dtype(), value.mutableData(), i, 1, &x);
    } else {
      // Small, so that they may be indices.
      int64_t x = std::uniform_int_distribution<int64_t>(0, 7)(generator);
      eval::storeInts(value.dtype(), value.mutableData(), i, 1, &x);
    }
  }

  int64_t size;
  std::mt19937_64 generator;
};

/// A strided view of memory with invented elements, if the type has one.
std::optional<eval::View> makeView(Type type, Inventor &inventor) {
  SmallVector<int64_t> sizes, strides;
  Type element;
  if (auto view = dyn_cast<tile::ViewType>(type)) {
    element = view.getElementType();
    sizes = inventor.shapeOf(view.getShape());
    auto dense = eval::rowMajorStrides(sizes);
    strides.assign(dense.begin(), dense.end());
    for (auto [d, stride] : llvm::enumerate(view.getStrides()))
      if (!ShapedType::isDynamic(stride))
        strides[d] = stride;
  } else if (auto pointer = dyn_cast<tile::PtrType>(type)) {
    element = pointer.getElementType();
  } else {
    return std::nullopt;
  }
  if (eval::dtypeOf(element) == eval::DType::none)
    return std::nullopt;
  int64_t count =
      sizes.empty() && isa<tile::PtrType>(type) ? kPointerElements : 1;
  for (auto [extent, stride] : llvm::zip(sizes, strides)) {
    if (stride < 0)
      return std::nullopt;
    count += std::max<int64_t>(extent - 1, 0) * stride;
  }
  eval::View view = eval::allocate(eval::dtypeOf(element), {count});
  Evaluated contents = inventor.tensor(element, {count});
  std::memcpy(view.buffer->data(), contents.data(), contents.bytes());
  view.buffer->markWritten(0, view.buffer->bytes);
  view.sizes.assign(sizes.begin(), sizes.end());
  view.strides.assign(strides.begin(), strides.end());
  return view;
}

/// Sums whose order is not said may be rounded otherwise.
bool isExact(Operation *entry) {
  return !entry
              ->walk([](Operation *op) {
                StringRef name = op->getName().getStringRef();
                bool sums = name.contains("reduce") || name.contains("dot") ||
                            name.contains("scan") || name.contains("product");
                auto kernel = dyn_cast<tile::KernelOp>(op);
                sums |= kernel && kernel.getNumerics();
                sums |= name.starts_with("prim.");
                return sums ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Whether sums are rounded to a type narrower than f32 on their way.
bool sumsNarrow(Operation *entry) {
  return entry
      ->walk([](Operation *op) {
        StringRef name = op->getName().getStringRef();
        if (!name.contains("reduce") && !name.contains("scan"))
          return WalkResult::advance();
        for (Type type : op->getOperandTypes())
          if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
              element && element.getWidth() < 32)
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Runs one function or kernel; nothing where it cannot be run.
std::optional<Outcome> run(eval::Evaluator &evaluator,
                           FunctionOpInterface entry, int64_t size) {
  Outcome outcome;
  outcome.isExact = isExact(entry);
  outcome.isNarrow = sumsNarrow(entry);
  Inventor inventor(size);
  SmallVector<Evaluated> args;
  auto kernel = dyn_cast<tile::KernelOp>(entry.getOperation());
  for (Type type : entry.getArgumentTypes()) {
    if (auto view = makeView(type, inventor)) {
      args.push_back(Evaluated::ofView(*view));
    } else if (auto tensor = dyn_cast<RankedTensorType>(type);
               tensor && !kernel && eval::dtypeOf(type) != eval::DType::none) {
      args.push_back(
          inventor.tensor(type, inventor.shapeOf(tensor.getShape())));
    } else if (!isa<ShapedType>(type) &&
               eval::dtypeOf(type) != eval::DType::none) {
      args.push_back(inventor.scalar(type));
    } else {
      return std::nullopt;
    }
  }
  ScopedDiagnosticHandler handler(
      entry->getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            outcome.error.empty()) {
          llvm::raw_string_ostream os(outcome.error);
          os << diagnostic.getLocation() << ": " << diagnostic.str();
        }
        return success();
      });
  if (!kernel) {
    SmallVector<Evaluated> results;
    if (failed(evaluator.call(entry, args, results, entry.getLoc())) &&
        outcome.error.empty())
      outcome.error = "failed without saying why";
    for (auto [k, value] : llvm::enumerate(results)) {
      outcome.values.push_back(value.isView() ? eval::readView(value.view())
                                              : value);
      outcome.names.push_back("result " + std::to_string(k));
    }
    return outcome;
  }
  if (failed(eval::launchKernel(evaluator, kernel, {2, 2, 1}, args,
                                entry.getLoc())) &&
      outcome.error.empty())
    outcome.error = "failed without saying why";
  for (auto [k, value] : llvm::enumerate(args)) {
    if (!value.isView())
      continue;
    eval::View whole = value.view();
    int64_t width = runtime::dtypeBytes(whole.dtype);
    whole.byteOffset = 0;
    whole.sizes = {whole.buffer->bytes / width};
    whole.strides = {1};
    outcome.values.push_back(eval::readView(whole));
    outcome.names.push_back("argument " + std::to_string(k));
  }
  return outcome;
}

/// Where two values differ by more than they may, or nothing. `narrow`: sums
/// are rounded to the type of the elements on their way.
std::string difference(const Evaluated &before, const Evaluated &after,
                       bool exact, bool narrow) {
  if (before.dtype() != after.dtype() || before.shape() != after.shape())
    return "another type or shape";
  int64_t n = before.size();
  if (!runtime::isFloat(before.dtype())) {
    std::vector<int64_t> x(n), y(n);
    eval::loadInts(before.dtype(), before.data(), 0, n, x.data());
    eval::loadInts(after.dtype(), after.data(), 0, n, y.data());
    for (int64_t i = 0; i < n; ++i)
      if (x[i] != y[i])
        return "element " + std::to_string(i) + ": expected " +
               std::to_string(x[i]) + ", found " + std::to_string(y[i]);
    return "";
  }
  std::vector<double> x(n), y(n);
  eval::loadDoubles(before.dtype(), before.data(), 0, n, x.data());
  eval::loadDoubles(after.dtype(), after.data(), 0, n, y.data());
  double largest = 0;
  for (double value : x)
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  double ulp = std::ldexp(1.0, -eval::fractionBits(before.dtype()));
  for (int64_t i = 0; i < n; ++i) {
    bool isSame = x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]));
    // Sums may differ by some roundings of their largest terms.
    if (!isSame && !exact)
      isSame =
          std::fabs(x[i] - y[i]) <=
          2 * ulp * std::fabs(x[i]) + (narrow ? 16 * ulp : 0x1p-17) * largest;
    if (!isSame)
      return "element " + std::to_string(i) + ": expected " +
             std::to_string(x[i]) + ", found " + std::to_string(y[i]);
  }
  return "";
}

/// Evaluates the entries of a module around each pass.
class Check : public PassInstrumentation {
public:
  explicit Check(SemanticsResult &result) : result(result) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (isAdaptor(pass) || hasBaseline)
      return;
    baseline = evaluate(moduleOf(op));
    hasBaseline = true;
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (isAdaptor(pass))
      return;
    ModuleOp module = moduleOf(op);
    Outcomes now = evaluate(module);
    for (auto &[key, before] : baseline) {
      auto found = now.find(key);
      if (!before.error.empty() || found == now.end() ||
          done.contains(key.first))
        continue;
      Outcome &after = found->second;
      std::string problem;
      if (!after.error.empty()) {
        // Below what can be evaluated nothing is compared.
        if (StringRef(after.error).contains("unsupported:"))
          continue;
        problem = "it fails: " + after.error;
      } else if (after.values.size() != before.values.size()) {
        continue;
      }
      for (size_t k = 0; k < after.values.size() && problem.empty(); ++k) {
        problem = difference(before.values[k], after.values[k],
                             before.isExact && after.isExact, before.isNarrow);
        if (!problem.empty())
          problem = before.names[k] + ", " + problem;
      }
      ++result.compared;
      if (problem.empty())
        continue;
      done.insert(key.first);
      ++result.changed;
      SymbolTable::lookupSymbolIn(module, key.first)->emitError("pass '")
          << nameOf(pass) << "' changes what '" << key.first
          << "' computes, with sizes of " << key.second << ": " << problem;
    }
    baseline = std::move(now);
  }

  void runAfterPassFailed(Pass *, Operation *) override { hasBaseline = false; }

private:
  /// By name and size.
  using Outcomes = std::map<std::pair<std::string, int64_t>, Outcome>;

  static bool isAdaptor(Pass *pass) {
    return pass->getArgument().empty() &&
           pass->getName().contains("OpToOpPassAdaptor");
  }
  static StringRef nameOf(Pass *pass) {
    return pass->getArgument().empty() ? pass->getName() : pass->getArgument();
  }
  static ModuleOp moduleOf(Operation *op) {
    auto module = dyn_cast<ModuleOp>(op);
    return module ? module : op->getParentOfType<ModuleOp>();
  }

  static Outcomes evaluate(ModuleOp module) {
    Outcomes outcomes;
    if (!module)
      return outcomes;
    for (int64_t size : {int64_t(37), int64_t(64)})
      for (auto entry : module.getOps<FunctionOpInterface>()) {
        if (entry.isExternal())
          continue;
        eval::Evaluator evaluator(module);
        if (auto outcome = run(evaluator, entry, size))
          outcomes[{entry.getName().str(), size}] = std::move(*outcome);
      }
    return outcomes;
  }

  SemanticsResult &result;
  Outcomes baseline;
  bool hasBaseline = false;
  llvm::StringSet<> done;
};

} // namespace

std::unique_ptr<PassInstrumentation>
kiln::driver::createSemanticsCheck(SemanticsResult &result) {
  return std::make_unique<Check>(result);
}
