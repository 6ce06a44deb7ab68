//===- Semantics.cpp - Evaluation before and after each pass --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Driver/Semantics.h"
#include "Domains.h"
#include "SemanticsCompare.h"
#include "kiln/Dialect/Program/BufferInterfaces.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Runtime/Package.h"
#include "kiln/Runtime/Session.h"
#include "kiln/Target/Activity.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <cstring>
#include <map>
#include <mutex>

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;

namespace {
/// The checks that live, by context.
struct Living {
  std::mutex mutex;
  llvm::DenseMap<MLIRContext *, SemanticsCheck *> checks;
};

Living &living() {
  static Living all;
  return all;
}

/// What dimensions that are not known are taken to be.
constexpr int64_t kSizes[] = {37, 64};

StringRef nameOf(Pass *pass) {
  return pass->getArgument().empty() ? pass->getName() : pass->getArgument();
}

/// Runs other passes.
bool isAdaptor(Pass *pass) {
  return pass->getArgument().empty() &&
         pass->getName().contains("OpToOpPassAdaptor");
}

/// Erases functions that are not asked for: what they give need not be known.
bool choosesEntries(Pass *pass) {
  return pass->getArgument() == "kiln-keep-entries";
}

ModuleOp moduleOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  return module ? module : op->getParentOfType<ModuleOp>();
}

using Snapshot = std::shared_ptr<OwningOpRef<ModuleOp>>;
} // namespace

/// The state of one compilation's check.
class SemanticsCheck::Impl {
  /// One entry with arguments of one size.
  struct Entry {
    std::optional<OperationName> form;  ///< what it was when it was first seen
    std::optional<Arguments> arguments; ///< none: it cannot be called
    std::optional<Outcome> last;        ///< none: it has not been evaluated
    std::optional<Location> place;
    /// The program that gave `last`.
    std::shared_ptr<OwningOpRef<ModuleOp>> module;
  };

public:
  Impl(const SemanticsOptions &options, MLIRContext *context)
      : options(options), context(context) {}

  /// Evaluates what has never been evaluated.
  void begin(ModuleOp module, const Snapshot &copy) {
    for (FunctionOpInterface entry : entriesOf(module))
      for (int64_t size : kSizes)
        if (Entry *one = find(entry, size); one && !one->last) {
          one->last = evaluate(entry, size, *one);
          one->place = entry.getLoc();
          one->module = copy;
        }
  }

  /// Compares the entries that a pass has changed, or what they call.
  void end(ModuleOp module, const Snapshot &copy, StringRef pass,
           const llvm::StringSet<> &changed) {
    for (FunctionOpInterface entry : entriesOf(module)) {
      if (!isTouched(entry, changed) || done.contains(entry.getName()))
        continue;
      for (int64_t size : kSizes)
        if (Entry *one = find(entry, size))
          compare(entry, copy, pass, size, *one);
    }
  }

  void compareDevice(StringRef bytes, StringRef spec);

  SemanticsResult result;

private:
  /// Functions, kernels and their thread code, with a body. Kernels that a host
  /// program launches are evaluated with it.
  SmallVector<FunctionOpInterface> entriesOf(ModuleOp module) {
    llvm::StringSet<> launched;
    module.walk([&](program::LaunchOpInterface launch) {
      for (auto name : launch.getKernels().getAsRange<FlatSymbolRefAttr>())
        launched.insert(name.getValue());
    });
    // So are variants, where their conditions hold.
    for (auto kernel : module.getOps<tile::KernelOp>())
      if (kernel.isPrivate() && kernel.getConditionAttr())
        launched.insert(kernel.getSymName());
    SmallVector<FunctionOpInterface> entries;
    for (auto entry : module.getOps<FunctionOpInterface>())
      if ((isa<func::FuncOp, program::FuncOp, tile::KernelOp>(entry) ||
           isThreadCode(entry)) &&
          !entry.isExternal() && !launched.contains(entry.getName()))
        entries.push_back(entry);
    return entries;
  }

  /// Whether sizes that are not known, or a scalar, tell sizes apart.
  static bool dependsOnSize(FunctionOpInterface entry) {
    return llvm::any_of(*parametersOf(entry), [](Type type) {
      if (auto view = dyn_cast<tile::ViewType>(type))
        return llvm::is_contained(view.getShape(), ShapedType::kDynamic);
      auto shaped = dyn_cast<ShapedType>(type);
      return shaped ? !shaped.hasStaticShape() : !isa<tile::PtrType>(type);
    });
  }

  /// The state of an entry; null where there is nothing to call it with.
  Entry *find(FunctionOpInterface entry, int64_t size) {
    std::string name = entry.getName().str();
    auto [at, isNew] = entries.try_emplace({name, size});
    Entry &one = at->second;
    // What cannot be called may become what can.
    if (!isNew && (one.arguments || one.form == entry->getName()))
      return one.arguments ? &one : nullptr;
    one.form = entry->getName();
    bool isFirst = size == kSizes[0];
    if (auto launched = captured.find(name); launched != captured.end()) {
      if (isFirst)
        one.arguments = launched->second;
    } else if (!options.args.empty() &&
               (isa<tile::KernelOp>(entry) || isThreadCode(entry)) &&
               entry.isPublic()) {
      if (isFirst && !result.wrongArgs) {
        auto given = readArguments(entry, options.args, options.grid);
        if (succeeded(given))
          one.arguments = std::move(*given);
        result.wrongArgs = failed(given);
      }
    } else if ((isFirst || dependsOnSize(entry)) &&
               !isTooLong(entry, options.seconds)) {
      // What it demands of its arguments is told at the level where it is.
      OwningOpRef<ModuleOp> copy =
          cast<ModuleOp>(entry->getParentOp()->clone());
      inferDomains(*copy);
      one.arguments = inventArguments(
          cast<FunctionOpInterface>(copy->lookupSymbol(name)), size);
    } else if (isFirst) {
      ++result.slow;
    }
    return one.arguments ? &one : nullptr;
  }

  std::optional<Outcome> evaluate(FunctionOpInterface entry, int64_t size,
                                  Entry &one) {
    auto capture = [&](Operation *kernel, std::array<int64_t, 3> grid,
                       ArrayRef<eval::Value> args) {
      std::string name = SymbolTable::getSymbolName(kernel).str();
      if (size == kSizes[0])
        captured[name] = captureArguments(args, grid);
    };
    target::Activity activity("verification of semantics", entry);
    auto outcome =
        evaluateEntry(entry, *one.arguments, options.seconds, 0, capture);
    if (outcome && outcome->isSlow) {
      ++result.slow;
      // Threads take longer than tiles; a device may still be compared.
      if (!isThreadCode(entry))
        one.arguments.reset();
    }
    return outcome;
  }

  /// Whether the entry, or what it launches or calls, is among `changed`.
  static bool isTouched(FunctionOpInterface entry,
                        const llvm::StringSet<> &changed) {
    if (changed.contains(entry.getName()))
      return true;
    auto uses = SymbolTable::getSymbolUses(entry);
    return uses && llvm::any_of(*uses, [&](SymbolTable::SymbolUse use) {
             return changed.contains(
                 use.getSymbolRef().getRootReference().getValue());
           });
  }

  void compare(FunctionOpInterface entry, const Snapshot &copy, StringRef pass,
               int64_t size, Entry &one) {
    std::optional<Outcome> now = evaluate(entry, size, one);
    // What failed before, is in a form that cannot be evaluated, or takes too
    // long this time compares nothing.
    if (!now || now->isSlow || StringRef(now->error).contains("unsupported:"))
      return;
    lastPass = pass.str();
    std::optional<Outcome> last = std::move(one.last);
    Snapshot before = std::move(one.module);
    one.last = now;
    one.place = entry.getLoc();
    one.module = copy;
    if (!last || !last->error.empty())
      return;
    std::string problem;
    if (!now->error.empty())
      problem = "it fails: " + now->error;
    else if (now->values.size() != last->values.size())
      return;
    if (problem.empty() && !isSame(*last, *now)) {
      std::optional<Bounds> allowed =
          last->isExact && now->isExact
              ? Bounds()
              : bounds(before, entry.getName(), *one.arguments, *last);
      if (!allowed)
        return;
      problem = findDifference(*last, *now, *allowed);
    }
    ++result.compared;
    if (problem.empty() || !done.insert(entry.getName()).second)
      return;
    ++result.changed;
    auto error = entry->emitError("pass '") << pass << "' changes what '"
                                            << entry.getName() << "' computes";
    describe(error, entry.getName(), size, problem);
  }

  void describe(InFlightDiagnostic &error, StringRef name, int64_t size,
                StringRef problem) {
    if (!captured.count(name.str()) && options.args.empty())
      error << ", with sizes of " << size;
    error << ": " << problem;
  }

  /// What the contracts of the program that gave `last` allow. None where
  /// finding out takes too long: nobody can be judged then.
  std::optional<Bounds> bounds(const Snapshot &program, StringRef name,
                               const Arguments &arguments,
                               const Outcome &last) {
    auto entry = program ? dyn_cast_or_null<FunctionOpInterface>(
                               (*program)->lookupSymbol(name))
                         : FunctionOpInterface();
    if (!entry)
      return Bounds();
    auto plus = evaluateEntry(entry, arguments, options.seconds, 1);
    auto minus = evaluateEntry(entry, arguments, options.seconds, -1);
    if ((plus && plus->isSlow) || (minus && minus->isSlow)) {
      ++result.slow;
      return std::nullopt;
    }
    return boundsOf(last, plus, minus);
  }

  const SemanticsOptions options;
  MLIRContext *context;
  std::map<std::pair<std::string, int64_t>, Entry> entries;
  /// What host programs launch kernels with.
  std::map<std::string, Arguments> captured;
  llvm::StringSet<> done; ///< entries that were reported
  std::string lastPass;   ///< behind which something could be evaluated
};

namespace {
/// Tells a check of the passes of one pass manager.
class Hooks : public PassInstrumentation {
public:
  explicit Hooks(SemanticsCheck::Impl &check) : check(check) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (isAdaptor(pass))
      return;
    ModuleOp module = moduleOf(op);
    if (!module)
      return;
    if (isNew && !choosesEntries(pass)) {
      check.begin(module,
                  std::make_shared<OwningOpRef<ModuleOp>>(module.clone()));
      prints = printsOf(module);
      isNew = false;
    }
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    ModuleOp module = moduleOf(op);
    if (isNew || isAdaptor(pass) || !module)
      return;
    llvm::StringMap<OperationFingerPrint> now = printsOf(module);
    llvm::StringSet<> changed;
    for (auto &[name, print] : now) {
      auto known = prints.find(name);
      if (known == prints.end() || known->second != print)
        changed.insert(name);
    }
    if (changed.empty() && now.size() == prints.size())
      return;
    prints = std::move(now);
    check.end(module, std::make_shared<OwningOpRef<ModuleOp>>(module.clone()),
              nameOf(pass), changed);
  }

private:
  static llvm::StringMap<OperationFingerPrint> printsOf(ModuleOp module) {
    llvm::StringMap<OperationFingerPrint> prints;
    for (Operation &op : *module.getBody())
      if (auto name =
              op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
        prints.insert({name.getValue(), OperationFingerPrint(&op)});
    return prints;
  }

  SemanticsCheck::Impl &check;
  bool isNew = true;
  llvm::StringMap<OperationFingerPrint> prints;
};
} // namespace

/// What a call on a device leaves, in the form of evaluation.
static Outcome outcomeOf(const Outcome &form, const Arguments &arguments,
                         std::vector<runtime::Tensor> args,
                         const std::vector<runtime::Tensor> &results) {
  Outcome outcome;
  outcome.isExact = false;
  outcome.names = form.names;
  std::vector<runtime::Tensor> left;
  for (auto [given, tensor] : llvm::zip(arguments.list, args))
    if (given.kind == Given::Memory) {
      // The whole of its storage, as evaluation has it.
      tensor.offset = 0;
      tensor.shape = {arguments.storages[given.storage]->bytes /
                      std::max<int64_t>(1, runtime::dtypeBytes(given.dtype))};
      tensor.strides = {1};
      left.push_back(tensor);
    }
  if (!results.empty())
    left = results;
  for (const runtime::Tensor &tensor : left) {
    auto dense = tensor.contiguous();
    eval::Value value = eval::Value::tensor(tensor.dtype, tensor.shape);
    if (dense)
      std::memcpy(value.mutableData(), dense->data(), value.bytes());
    outcome.values.push_back(value);
  }
  return outcome;
}

void SemanticsCheck::Impl::compareDevice(StringRef bytes, StringRef spec) {
  // Who has been named stays wrong on the device.
  if (result.failed())
    return;
  Location nowhere = UnknownLoc::get(context);
  auto package =
      runtime::readPackage(runtime::Blob::borrow(bytes.data(), bytes.size()));
  if (!package) {
    emitError(nowhere) << package.message();
    return;
  }
  auto shared = std::make_shared<const runtime::Package>(std::move(*package));
  auto session = runtime::Session::create(shared, spec.str());
  if (!session) {
    emitWarning(nowhere) << "nothing was compared with '" << spec
                         << "': " << session.message();
    return;
  }
  for (auto &[key, one] : entries) {
    const auto &[name, size] = key;
    const runtime::Function *function = session->lookup(name);
    if (!function || !one.arguments || !one.last || !one.last->error.empty() ||
        done.contains(name))
      continue;
    auto args = tensorsOf(*one.arguments);
    if (!args || args->size() != function->args.size())
      continue;
    runtime::CallOptions call;
    call.grid = one.arguments->grid;
    auto results = session->call(*function, *args, call);
    std::string problem;
    if (!results) {
      problem = "it fails: " + results.message();
    } else {
      Outcome found = outcomeOf(*one.last, *one.arguments, *args, *results);
      if (found.values.size() != one.last->values.size()) {
        problem = "it has another number of results";
      } else if (!isSame(*one.last, found)) {
        std::optional<Bounds> allowed =
            bounds(one.module, name, *one.arguments, *one.last);
        if (!allowed)
          continue;
        problem = findDifference(*one.last, found, *allowed);
      }
    }
    ++result.compared;
    ++result.devices;
    if (problem.empty() || !done.insert(name).second)
      continue;
    ++result.changed;
    auto error = emitError(one.place.value_or(nowhere))
                 << "the remainder after "
                 << (lastPass.empty() ? std::string("reading")
                                      : "pass '" + lastPass + "'")
                 << " changes what '" << name << "' computes on " << spec;
    describe(error, name, size, problem);
  }
}

std::string SemanticsResult::str() const {
  std::string text = "semantics: " + std::to_string(compared) +
                     " comparisons, " + std::to_string(changed) + " changed";
  if (devices)
    text += ", " + std::to_string(devices) + " with a device";
  if (slow)
    text += ", " + std::to_string(slow) +
            " entries not compared, whose evaluation takes longer than it may";
  return text;
}

SemanticsCheck::SemanticsCheck(const SemanticsOptions &options,
                               MLIRContext *context)
    : impl(std::make_unique<Impl>(options, context)) {
  std::lock_guard<std::mutex> lock(living().mutex);
  living().checks[context] = this;
}

SemanticsCheck::~SemanticsCheck() {
  std::lock_guard<std::mutex> lock(living().mutex);
  for (auto entry = living().checks.begin(); entry != living().checks.end();
       ++entry)
    if (entry->second == this) {
      living().checks.erase(entry);
      return;
    }
}

SemanticsCheck *SemanticsCheck::of(MLIRContext *context) {
  std::lock_guard<std::mutex> lock(living().mutex);
  return living().checks.lookup(context);
}

void SemanticsCheck::attach(PassManager &pm) {
  pm.addInstrumentation(std::make_unique<Hooks>(*impl));
}

void SemanticsCheck::compareDevice(StringRef package, StringRef spec) {
  impl->compareDevice(package, spec);
}

const SemanticsResult &SemanticsCheck::result() const { return impl->result; }
