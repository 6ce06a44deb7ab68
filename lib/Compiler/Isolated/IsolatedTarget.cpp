//===- IsolatedTarget.cpp - Targets in programs of their own --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Isolated/IsolatedTarget.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/PluginLoader.h"
#include "kiln/Target/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::isolated;
using namespace kiln::target;
using runtime::Error;
using runtime::Expected;
namespace json = llvm::json;

IsolatedTarget::IsolatedTarget(std::string name, std::string path)
    : targetName(std::move(name)), path(std::move(path)) {}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Program>> IsolatedTarget::takeProgram() const {
  std::unique_lock<std::mutex> lock(mutex);
  if (owner != getpid()) {
    // A fork has copied what another process started.
    idle.clear();
    running = 0;
    owner = getpid();
  }
  unsigned most = known ? known->jobs : 1;
  freed.wait(lock, [&] { return !idle.empty() || running < most; });
  ++running;
  if (!idle.empty()) {
    std::unique_ptr<Program> program = std::move(idle.back());
    idle.pop_back();
    return program;
  }
  lock.unlock();
  return Program::start(path);
}

void IsolatedTarget::giveBack(std::unique_ptr<Program> program) const {
  std::lock_guard<std::mutex> lock(mutex);
  --running;
  if (program && program->isAlive())
    idle.push_back(std::move(program));
  freed.notify_one();
}

Expected<Answer> IsolatedTarget::ask(StringRef method, json::Object params,
                                     StringRef body, double seconds) const {
  Expected<std::unique_ptr<Program>> program = takeProgram();
  if (!program) {
    giveBack(nullptr);
    return program.takeError();
  }
  // Every process is greeted, so that it knows whom it talks to.
  bool isNew = !(*program)->hasSaidHello;
  if (isNew && method != "hello") {
    Expected<Answer> greeting =
        (*program)->ask("hello", helloParams(), "", startSeconds());
    if (!greeting) {
      giveBack(std::move(*program));
      return greeting;
    }
  }
  (*program)->hasSaidHello = true;
  Expected<Answer> answer =
      (*program)->ask(method, std::move(params), body, seconds);
  giveBack(std::move(*program));
  return answer;
}

void IsolatedTarget::endPrograms() const {
  std::lock_guard<std::mutex> lock(mutex);
  if (owner == getpid())
    for (std::unique_ptr<Program> &program : idle)
      program->end();
  idle.clear();
}

//===----------------------------------------------------------------------===//
// What the program says about itself
//===----------------------------------------------------------------------===//

Expected<Hello> IsolatedTarget::askHello() const {
  // What was said before holds as long as the files are what they were.
  std::string state = fileState(path);
  if (state.empty())
    return Error("cannot be started: there is no such file");
  llvm::SmallString<256> whole(path);
  (void)llvm::sys::fs::make_absolute(whole);
  std::string asked;
  llvm::raw_string_ostream(asked) << json::Value(helloParams());
  std::string key = cacheKey({"hello", whole, state, asked});
  auto states = [](const Hello &hello) {
    std::string text;
    for (const std::string &file : hello.files)
      text += fileState(file) + "\n";
    return text;
  };
  if (std::optional<Answer> kept = findCached(key)) {
    Expected<Hello> old = parseHello(kept->result, targetName);
    if (old && kept->body == states(*old))
      return old;
  }
  Expected<Answer> answer = ask("hello", helloParams(), "", startSeconds());
  if (!answer)
    return answer.takeError();
  Expected<Hello> said = parseHello(answer->result, targetName);
  if (said && !said->build.empty())
    keepCached(key, {std::move(answer->result), states(*said)});
  return said;
}

const Hello *IsolatedTarget::hello() const {
  std::lock_guard<std::mutex> lock(helloMutex);
  if (!known && unusable.empty()) {
    Expected<Hello> said = askHello();
    std::lock_guard<std::mutex> programs(mutex);
    if (said)
      known = std::move(*said);
    else
      unusable = said.message();
  }
  return known ? &*known : nullptr;
}

std::string IsolatedTarget::whyUnusable() const {
  return hello() ? "" : unusable;
}

StringRef IsolatedTarget::help() const {
  if (const Hello *said = hello())
    return said->help;
  return "(its program cannot be used)";
}

std::vector<ChipInfo> IsolatedTarget::chips() const {
  const Hello *said = hello();
  return said ? said->chips : std::vector<ChipInfo>();
}

std::vector<OptionInfo> IsolatedTarget::options() const {
  const Hello *said = hello();
  return said ? said->options : std::vector<OptionInfo>();
}

std::string IsolatedTarget::deviceName() const {
  const Hello *said = hello();
  return said && !said->device.empty() ? said->device : targetName;
}

bool IsolatedTarget::lowersInParallel() const {
  const Hello *said = hello();
  return said && said->jobs > 1;
}

void IsolatedTarget::keepFailure(std::string what) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (earlier.empty())
    earlier = std::move(what);
}

std::string IsolatedTarget::takeFailure() const {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(earlier, "");
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// A SPEC as the program gets it.
static json::Object specOf(const TargetOptions &options) {
  json::Object values;
  for (const auto &[key, value] : options.values)
    values[key] = value;
  return json::Object{{"chip", options.chip}, {"options", std::move(values)}};
}

Expected<Answer> IsolatedTarget::askCached(StringRef method,
                                           json::Object params, StringRef body,
                                           bool &isCached) const {
  const Hello *said = hello();
  if (!said)
    return Error(unusable);
  isCached = false;
  std::string key;
  if (!said->build.empty()) {
    std::string asked;
    llvm::raw_string_ostream(asked) << json::Value(json::Object(params));
    key = cacheKey({method, targetName, said->build, asked, body});
    // Who asks a second time wants to see whether the answer is the same.
    std::lock_guard<std::mutex> lock(seenMutex);
    if (seen.insert(key).second)
      if (std::optional<Answer> kept = findCached(key)) {
        isCached = true;
        return std::move(*kept);
      }
  }
  Expected<Answer> answer = ask(method, std::move(params), body, stepSeconds());
  if (answer && !key.empty())
    keepCached(key, *answer);
  return answer;
}

/// "target 'mine' of plug-in 'mine' hangs on kernel 'k': WHY", of "hangs: WHY".
static std::string sentence(const Target &target, StringRef what,
                            const Twine &subject) {
  auto [verb, why] = what.split(": ");
  std::string text = TargetRegistry::get().describe(target) + " " + verb.str();
  if (!subject.isTriviallyEmpty())
    text += " on " + subject.str();
  return text + (why.empty() ? "" : ": " + why.str());
}

TargetAttr IsolatedTarget::description(MLIRContext *context,
                                       const TargetOptions &options) const {
  Location loc = UnknownLoc::get(context);
  std::string spec = options.str();
  {
    // It is asked for again and again.
    std::lock_guard<std::mutex> lock(seenMutex);
    if (auto known = descriptions.find(spec); known != descriptions.end())
      return parseDescription(known->second, context, targetName);
  }
  bool isCached;
  Expected<Answer> answer =
      askCached("describe", specOf(options), "", isCached);
  if (!answer) {
    emitError(loc) << sentence(*this, answer.message(), "");
    return {};
  }
  auto text = answer->result.getString("description");
  if (!text) {
    emitError(loc) << sentence(*this, "breaks the protocol", "")
                   << ": expected a string 'description'";
    return {};
  }
  TargetAttr description = parseDescription(*text, context, targetName);
  std::lock_guard<std::mutex> lock(seenMutex);
  if (description)
    descriptions[spec] = text->str();
  return description;
}

namespace {
/// Asks the program for block sizes.
class IsolatedModel : public TilingModel {
public:
  IsolatedModel(const IsolatedTarget &target, TargetOptions options)
      : target(target), options(std::move(options)) {}

  SmallVector<Tiling> candidates(const TilingProblem &problem) const override {
    json::Object params = specOf(options);
    params["problem"] = problem.str();
    bool isCached;
    Expected<Answer> answer =
        target.askCached("tile", std::move(params), "", isCached);
    SmallVector<Tiling> all;
    if (answer)
      read(answer->result, problem, all);
    if (!answer)
      target.keepFailure(answer.message());
    else if (all.empty())
      target.keepFailure(
          "breaks the protocol: expected 'candidates', lists of " +
          std::to_string(problem.dims.size()) + " positive block sizes");
    if (all.empty())
      all.push_back({SmallVector<int64_t>(problem.dims.size(), 1), 0});
    return all;
  }

private:
  static void read(const json::Object &result, const TilingProblem &problem,
                   SmallVector<Tiling> &all) {
    const json::Array *list = result.getArray("candidates");
    for (const json::Value &entry : list ? *list : json::Array()) {
      std::vector<int64_t> blocks;
      json::Path::Root root;
      bool isGood = json::fromJSON(entry, blocks, root) &&
                    blocks.size() == problem.dims.size() &&
                    llvm::all_of(blocks, [](int64_t size) {
                      return size > 0 && size < (int64_t(1) << 31);
                    });
      llvm::consumeError(root.getError());
      if (isGood)
        all.push_back({SmallVector<int64_t>(blocks.begin(), blocks.end()),
                       double(all.size())});
    }
  }

  const IsolatedTarget &target;
  TargetOptions options;
};
} // namespace

std::unique_ptr<TilingModel>
IsolatedTarget::tilingModel(TargetAttr description,
                            const TargetOptions &options) const {
  const Hello *said = hello();
  if (!said || !said->has("tile"))
    return nullptr;
  return std::make_unique<IsolatedModel>(*this, options);
}

bool IsolatedTarget::accepts(Operation *kernel, TargetAttr description,
                             const TargetOptions &options,
                             std::string &reason) const {
  const Hello *said = hello();
  if (!said)
    return true; // said when it is compiled
  if (auto problem = findWireProblem(kernel, said->reader)) {
    reason = problem->reason;
    if (problem->op != kernel)
      if (std::string place = locationString(problem->op->getLoc());
          !place.empty())
        reason += " (at " + place + ")";
    return false;
  }
  if (!said->has("accepts"))
    return true;
  OwningOpRef<ModuleOp> module = isolateKernel(kernel);
  std::string problem;
  {
    ScopedDiagnosticHandler handler(kernel->getContext(), [&](Diagnostic &d) {
      problem = d.str();
      return success();
    });
    if (failed(toWire(*module, said->reader))) {
      StringRef text = problem;
      text.consume_front("unsupported: ");
      reason = text.str();
      return false;
    }
  }
  bool isCached;
  Expected<Answer> answer =
      askCached("accepts", specOf(options), printWire(*module), isCached);
  auto declined = answer
                      ? parseDeclined(answer->result)
                      : Expected<std::optional<Declined>>(answer.takeError());
  if (!declined) {
    keepFailure(declined.message());
    return true;
  }
  if (!*declined)
    return true;
  reason = (*declined)->reason;
  if (Operation *op = findNumbered(kernel, (*declined)->op); op && op != kernel)
    if (std::string place = locationString(op->getLoc()); !place.empty())
      reason += " (at " + place + ")";
  return false;
}

void IsolatedTarget::buildPipeline(OpPassManager &pm,
                                   const TargetOptions &options) const {
  const Hello *said = hello();
  pm.addPass(createToWirePass(said ? said->reader : WireReader()));
}

/// The kernel of a module that has this name; else the first one, or the
/// module.
static Operation *findKernel(ModuleOp module, StringRef name) {
  Operation *first = module;
  for (Operation &op : *module.getBody()) {
    auto symbol = op.getAttrOfType<StringAttr>("sym_name");
    if (symbol && symbol.getValue() == name)
      return &op;
    if (first == module)
      first = &op;
  }
  return first;
}

/// Reports what became of a question about a module, if it was not answered or
/// not as it should be.
static LogicalResult report(const Target &target, ModuleOp module,
                            const Expected<Answer> &answer) {
  Operation *first = findKernel(module, "");
  auto declined = answer
                      ? parseDeclined(answer->result)
                      : Expected<std::optional<Declined>>(answer.takeError());
  if (!declined)
    return first->emitError(
        sentence(target, declined.message(), describeKernels(module)));
  if (!*declined)
    return success();
  Operation *kernel = findKernel(module, (*declined)->kernel);
  Operation *op = findNumbered(kernel, (*declined)->op);
  return (op ? op : kernel)->emitError("unsupported: ") << (*declined)->reason;
}

LogicalResult IsolatedTarget::serialize(ModuleOp module,
                                        const TargetOptions &options,
                                        Executable &result) const {
  json::Array kernels;
  for (Operation &op : *module.getBody())
    if (auto name = op.getAttrOfType<StringAttr>("sym_name"))
      kernels.push_back(name.getValue());
  if (std::string earlier = takeFailure(); !earlier.empty())
    return findKernel(module, "")
        ->emitError(sentence(*this, earlier, describeKernels(module)));
  json::Object params = specOf(options);
  params["kernels"] = std::move(kernels);
  bool isCached;
  Expected<Answer> answer =
      askCached("compile", std::move(params), printWire(module), isCached);
  if (failed(report(*this, module, answer)))
    return failure();
  Expected<Executable> code = parseExecutable(answer->result, answer->body);
  if (!code)
    return findKernel(module, "")
        ->emitError(sentence(*this, code.message(), describeKernels(module)));
  result = std::move(*code);
  return success();
}

LogicalResult IsolatedTarget::emit(ModuleOp module, EmitKind kind,
                                   const TargetOptions &options,
                                   llvm::raw_ostream &os) const {
  const Hello *said = hello();
  if (!said || !said->has("emit") || kind != EmitKind::Assembly)
    return Target::emit(module, kind, options, os);
  bool isCached;
  Expected<Answer> answer =
      askCached("emit", specOf(options), printWire(module), isCached);
  if (failed(report(*this, module, answer)))
    return failure();
  os << answer->body;
  return success();
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

std::string kiln::isolated::targetOfProgram(StringRef path) {
  StringRef name = llvm::sys::path::filename(path);
  return name.consume_front("kiln-target-") ? name.str() : "";
}

/// The targets that were loaded; they live as long as the process.
static std::vector<const IsolatedTarget *> &loaded() {
  static auto *all = new std::vector<const IsolatedTarget *>;
  return *all;
}

void kiln::isolated::endPrograms() {
  for (const IsolatedTarget *target : loaded())
    target->endPrograms();
}

void kiln::isolated::registerIsolatedTargets() {
  setProgramLoader(
      {targetOfProgram,
       [](std::string name, std::string path) -> std::unique_ptr<Target> {
         auto target =
             std::make_unique<IsolatedTarget>(std::move(name), std::move(path));
         loaded().push_back(target.get());
         return target;
       },
       [](const Target &target) {
         return static_cast<const IsolatedTarget &>(target).whyUnusable();
       }});
}
