// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of the reference device: reading them safely, and calling what is in
// them.
#include "Reference.h"
#include "Seal.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Eval/Collective.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Kernel.h"
#include "kiln/Eval/Perturb.h"
#include "kiln/Eval/Register.h"
#include "kiln/System/Process.h"
#include "kiln/Target/PluginLoader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace kiln::eval;
using namespace kiln::reference;
using Evaluated = kiln::eval::Value;

namespace {

/// Plug-ins whose dialects modules may hold; one that cannot be loaded shows
/// where an operation of it is met.
void loadNamedPlugins() {
  const char *list = std::getenv("KILN_LOAD_TARGETS");
  llvm::SmallVector<llvm::StringRef> paths;
  llvm::StringRef(list ? list : "")
      .split(paths, ':', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  // With the targets of the search path, which plug-ins may refer to; what is
  // there already, as in a process that compiles, is not loaded again.
  if (!paths.empty())
    kiln::target::loadPlugins({paths.begin(), paths.end()});
}

mlir::DialectRegistry makeRegistry() {
  loadNamedPlugins();
  mlir::DialectRegistry registry;
  registerEvaluation(registry);
  return registry;
}

OwningOpRef<ModuleOp> parse(llvm::StringRef bytes, MLIRContext &context) {
  ParserConfig config(&context);
  // Constants of bytecode have the alignment that the source gives them.
  const llvm::Align page(4096);
  if (llvm::isAddrAligned(page, bytes.data()))
    return parseSourceString<ModuleOp>(bytes, config, "module");
  auto aligned = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      bytes.size(), "module", page);
  llvm::copy(bytes, aligned->getBufferStart());
  return parseSourceString<ModuleOp>(
      llvm::StringRef(aligned->getBufferStart(), bytes.size()), config,
      "module");
}

/// "FILE:LINE:COLUMN: ", then `kind`, then the message.
std::string format(Diagnostic &diagnostic, llvm::StringRef kind) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn() << ": ";
  os << kind << diagnostic.str();
  os.flush();
  // Names may come from bytes that were never text.
  for (char &c : text)
    if (!llvm::isPrint(c))
      c = '?';
  return text;
}

/// Keeps the first error of a scope, with its location; prints warnings.
class FirstError {
public:
  explicit FirstError(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
            llvm::errs() << format(diagnostic, "warning: ") << "\n";
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              text.empty())
            text = format(diagnostic, "");
        }) {}

  std::string text;

private:
  ScopedDiagnosticHandler handler;
};

} // namespace

/// What the end of a process that has read a module says against it.
static std::string verdictOf(const kiln::runtime::Ending &ending) {
  if (ending.signal)
    return "its module is malformed";
  // A child that says no has a reason that the parent can find safely.
  bool isOwn = !ending.isKnown || ending.status == kModuleRead ||
               ending.status == kModuleRefused;
  return isOwn ? ""
               : "a dialect of its module ends the process: expected its "
                 "parser to return";
}

/// The same in the helper program, for hosts with threads.
static kiln::runtime::Ending tryApart(llvm::StringRef bytes) {
  kiln::runtime::Ending ending;
  int fd = memfd_create("kiln-module", MFD_CLOEXEC);
  if (fd < 0)
    return ending;
  if (kiln::runtime::writeFully(fd, bytes.data(), bytes.size()))
    if (auto child = kiln::runtime::startProgram(kiln::target::compileWorker(),
                                                 {"read"}, {fd}))
      ending = kiln::runtime::awaitEnd(*child);
  close(fd);
  return ending;
}

/// Upstream's bytecode reader can be killed by mutated bytes, so a child reads
/// them first. Without one, whose end is not known then, the checksum of the
/// package has to do.
static kiln::runtime::Ending tryFirst(llvm::StringRef bytes) {
  if (!kiln::runtime::isForkSafe())
    return tryApart(bytes);
  pid_t child = fork();
  if (child < 0)
    return {};
  if (child == 0)
    tryModule(bytes);
  return kiln::runtime::awaitEnd(child);
}

KilnModule::KilnModule()
    : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.allowUnregisteredDialects();
  context.loadAllAvailableDialects();
}

/// Why the bytes of a sealed module cannot be read safely; empty if they can.
/// Programs load a module again for each device and each check: what a child
/// has read is not tried again. In a host with threads, a trial loads the
/// compiler once more.
static std::string probe(llvm::StringRef sealed, llvm::StringRef bytes) {
  constexpr unsigned kMostSeals = 4096;
  static std::mutex mutex;
  static llvm::StringSet<> seals;
  llvm::StringRef digest = sealed.drop_front(bytes.size());
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (seals.contains(digest))
      return "";
  }
  kiln::runtime::Ending ending = tryFirst(bytes);
  std::string problem = verdictOf(ending);
  if (ending.isKnown && problem.empty()) {
    std::lock_guard<std::mutex> lock(mutex);
    if (seals.size() >= kMostSeals)
      seals.clear();
    seals.insert(digest);
  }
  return problem;
}

int KilnModule::load(llvm::StringRef sealed, KilnError *error) {
  std::optional<llvm::StringRef> content = unseal(sealed);
  if (!content)
    return fail(error, "its module is damaged, or none of this device");
  llvm::StringRef bytes = *content;
  std::string problem = probe(sealed, bytes);
  if (!problem.empty())
    return fail(error, problem);
  FirstError first(context);
  ir = parse(bytes, context);
  if (!ir)
    return fail(error, "its module cannot be read: " + first.text);
  evaluator.emplace(*ir);
  evaluator->progress = runtimeHost.progress;
  return 0;
}

/// What the source calls an argument, or nothing.
static std::string nameOf(FunctionOpInterface function, size_t index) {
  if (index < function.getNumArguments())
    if (auto named =
            function.getArgument(index).getLoc()->findInstanceOf<NameLoc>())
      return named.getName().str();
  return "";
}

static mlir::LogicalResult argumentError(FunctionOpInterface function,
                                         size_t index, const Twine &message) {
  std::string name = nameOf(function, index);
  return function->emitError("argument ")
         << index << (name.empty() ? "" : " (" + name + ")") << ": " << message;
}

/// An argument as a view of its buffer.
static LogicalResult toView(FunctionOpInterface function, size_t index,
                            const KilnKernelArgument &argument,
                            kiln::eval::DType dtype, View &view) {
  if (argument.isScalar)
    return argumentError(function, index, "expected a buffer, found a scalar");
  view.dtype = static_cast<kiln::eval::DType>(argument.dtype);
  // Threads know floats that they have no type for by their bits.
  bool hasBits =
      kiln::simt::isThreadFunction(function) &&
      kiln::runtime::dtypeBytes(view.dtype) == kiln::runtime::dtypeBytes(dtype);
  if (view.dtype != dtype && !hasBits)
    return argumentError(function, index,
                         Twine("expected elements of type ") +
                             std::string(kiln::runtime::dtypeName(dtype)) +
                             ", found " +
                             std::string(kiln::runtime::dtypeName(view.dtype)));
  view.buffer = argument.buffer->buffer;
  view.byteOffset = argument.byteOffset;
  view.sizes.assign(argument.sizes, argument.sizes + argument.rank);
  view.strides.assign(argument.strides, argument.strides + argument.rank);
  return success();
}

static Evaluated toScalar(const KilnKernelArgument &argument, mlir::Type type) {
  Evaluated value = Evaluated::scalar(dtypeOf(type));
  std::memcpy(value.mutableData(), &argument.bits,
              kiln::runtime::dtypeBytes(value.dtype()));
  return value;
}

static Box wholeBox(const View &view) {
  Box box = {&view, {}, view.sizes, {}};
  box.first.assign(view.sizes.size(), 0);
  box.steps.assign(view.sizes.size(), 1);
  return box;
}

namespace {

/// The ranks that the runtime knows of.
class RuntimeRanks : public Ranks {
public:
  RuntimeRanks() { runtimeHost.ranks(&number, &numRanks); }
  int64_t rank() const override { return number; }
  int64_t count() const override { return numRanks; }
  bool exchange(ArrayRef<int64_t> group, llvm::StringRef mine,
                std::vector<std::string> &all, std::string &message) override {
    std::string joined(group.size() * mine.size(), 0);
    KilnError error = {};
    if (runtimeHost.exchange(group.data(), group.size(), mine.data(),
                             mine.size(), joined.data(), &error)) {
      message = error.message;
      return false;
    }
    for (size_t i = 0; i < group.size(); ++i)
      all.push_back(joined.substr(i * mine.size(), mine.size()));
    return true;
  }

private:
  int64_t number = 0, numRanks = 1;
};

} // namespace

LogicalResult KilnModule::runFunction(KilnKernel &kernel,
                                      const KilnLaunch &launch) {
  FunctionOpInterface function = kernel.function;
  size_t numArgs = function.getNumArguments();
  size_t expected = numArgs + (kernel.onlySizes ? 1 : function.getNumResults());
  if (launch.numArguments != expected)
    return function->emitError("expected ")
           << expected << " arguments, found " << launch.numArguments;
  bool isKnown = !kernel.onlySizes && computedFor == function;
  computedFor = {};
  if (!isKnown) {
    SmallVector<Evaluated> args;
    for (size_t i = 0; i < numArgs; ++i) {
      mlir::Type type = function.getArgumentTypes()[i];
      if (!isa<ShapedType>(type)) {
        args.push_back(toScalar(launch.arguments[i], type));
        continue;
      }
      View view;
      if (failed(toView(function, i, launch.arguments[i], dtypeOf(type), view)))
        return failure();
      Box box = wholeBox(view);
      if (failed(checkAccess(function, nullptr, box, Access::read)))
        return failure();
      SmallVector<int64_t, 4> strides;
      char *data = boxAddress(box, strides);
      if (SmallVector<int64_t, 4>(rowMajorStrides(view.sizes)) == strides)
        args.push_back(Evaluated::borrow(view.dtype, view.sizes, data));
      else
        args.push_back(readView(view));
    }
    results.clear();
    if (failed(evaluator->call(function, args, results, function.getLoc())))
      return failure();
  }
  if (kernel.onlySizes) {
    View view;
    if (failed(toView(function, numArgs, launch.arguments[numArgs],
                      kiln::eval::DType::i64, view)))
      return failure();
    SmallVector<int64_t> sizes;
    for (auto [value, type] : llvm::zip(results, function.getResultTypes()))
      if (auto shaped = dyn_cast<ShapedType>(type))
        for (int64_t d = 0; d < shaped.getRank(); ++d)
          if (shaped.isDynamicDim(d))
            sizes.push_back(value.dim(d));
    if (view.sizes.size() != 1 ||
        view.sizes[0] != static_cast<int64_t>(sizes.size()))
      return argumentError(function, numArgs,
                           "expected a buffer of " + Twine(sizes.size()) +
                               " sizes");
    Box box = wholeBox(view);
    if (failed(checkAccess(function, nullptr, box, Access::write)))
      return failure();
    SmallVector<int64_t, 4> strides;
    std::memcpy(boxAddress(box, strides), sizes.data(),
                sizes.size() * sizeof(int64_t));
    computedFor = function;
    return success();
  }
  for (auto [i, value] : llvm::enumerate(results)) {
    View view;
    if (failed(toView(function, numArgs + i, launch.arguments[numArgs + i],
                      value.dtype(), view)))
      return failure();
    if (ArrayRef<int64_t>(view.sizes) != value.shape())
      return argumentError(function, numArgs + i,
                           "expected the shape of the result");
    Box box = wholeBox(view);
    if (failed(checkAccess(function, nullptr, box, Access::write)))
      return failure();
    SmallVector<int64_t, 4> strides;
    char *data = boxAddress(box, strides);
    copyStrided(view.sizes, kiln::runtime::dtypeBytes(view.dtype), data,
                strides, value.data(), rowMajorStrides(value.shape()));
  }
  results.clear();
  return success();
}

LogicalResult KilnModule::runKernel(KilnKernel &kernel,
                                    const KilnLaunch &launch) {
  FunctionOpInterface function = kernel.function;
  SmallVector<mlir::Type> types(function.getArgumentTypes());
  // Thread code says what it was made of.
  if (auto before = kiln::simt::getKernelParameters(function))
    types = std::move(*before);
  if (launch.numArguments != types.size())
    return function->emitError("expected ")
           << types.size() << " arguments, found " << launch.numArguments;
  SmallVector<Evaluated> args;
  for (auto [i, type] : llvm::enumerate(types)) {
    if (!isa<kiln::tile::ViewType, kiln::tile::PtrType>(type)) {
      args.push_back(toScalar(launch.arguments[i], type));
      continue;
    }
    View view;
    if (failed(toView(kernel.function, i, launch.arguments[i], dtypeOf(type),
                      view)))
      return failure();
    if (view.buffer)
      view.buffer->name = nameOf(kernel.function, i);
    // A pointer points at the first element of what it is given.
    if (isa<kiln::tile::PtrType>(type)) {
      view.sizes.clear();
      view.strides.clear();
    } else if (auto form = cast<kiln::tile::ViewType>(type);
               form.getRank() != static_cast<int64_t>(view.sizes.size())) {
      return argumentError(kernel.function, i,
                           "expected a view of rank " + Twine(form.getRank()));
    }
    args.push_back(Evaluated::ofView(std::move(view)));
  }
  return launchKernel(*evaluator, function.getOperation(),
                      {launch.grid[0], launch.grid[1], launch.grid[2]}, args,
                      function.getLoc());
}

int KilnModule::execute(KilnKernel &kernel, const KilnLaunch &launch,
                        KilnError *error) {
  FirstError first(context);
  bool isKernel = isa<kiln::tile::Kernel>(kernel.function.getOperation()) ||
                  kiln::simt::isThreadFunction(kernel.function);
  kiln::eval::perturbation() = {(perturbation > 0) - (perturbation < 0),
                                uint64_t(std::abs(perturbation))};
  std::optional<RuntimeRanks> all;
  if (runtimeHost.ranks && runtimeHost.exchange)
    ranks() = &all.emplace();
  LogicalResult result =
      isKernel ? runKernel(kernel, launch) : runFunction(kernel, launch);
  ranks() = nullptr;
  kiln::eval::perturbation() = {};
  if (succeeded(result))
    return 0;
  return fail(error,
              first.text.empty() ? "failed without saying why" : first.text);
}
