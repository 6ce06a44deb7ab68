//===- Questions.cpp - What a target's program is asked -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Questions.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Interfaces/OwnDiagnostics.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/TargetRegistry.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::isolated;
using namespace kiln::target;
using runtime::Error;
using runtime::Expected;
namespace json = llvm::json;

json::Object kiln::isolated::specOf(const TargetOptions &options) {
  json::Object values;
  for (const auto &[key, value] : options.values)
    values[json::fixUTF8(key)] = json::fixUTF8(value);
  return json::Object{{"chip", json::fixUTF8(options.chip)},
                      {"options", std::move(values)}};
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

std::string kiln::isolated::sentence(const Target &target, StringRef what,
                                     const Twine &subject) {
  auto [verb, why] = what.split(": ");
  std::string text = describeTarget(target) + " " + verb.str();
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
  auto isOther = [&](StringRef what, StringRef found, StringRef wanted) {
    if (found == wanted)
      return false;
    emitError(loc) << sentence(*this, "answers 'describe' wrongly", "")
                   << ": expected a description of " << what << " '" << wanted
                   << "', found '" << found << "'";
    return true;
  };
  if (!description || isOther("target", description.getName(), targetName) ||
      (!options.chip.empty() &&
       isOther("chip", description.getChip(), options.chip)))
    return {};
  std::lock_guard<std::mutex> lock(seenMutex);
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

/// The names of the kernels of a module.
static json::Array namesOf(ModuleOp module) {
  json::Array names;
  for (Operation &op : *module.getBody())
    if (auto name = op.getAttrOfType<StringAttr>("sym_name"))
      names.push_back(json::fixUTF8(name.getValue()));
  return names;
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

/// What an answer about the kernels of a module says of one that is not taken:
/// it names one of them, and an operation of it.
static Expected<std::optional<Declined>>
declinedBy(const Expected<Answer> &answer, ModuleOp module) {
  if (!answer)
    return answer.takeError();
  auto declined = parseDeclined(answer->result);
  if (!declined || !*declined)
    return declined;
  StringRef name = (*declined)->kernel;
  Operation *kernel = findKernel(module, name);
  auto symbol = kernel->getAttrOfType<StringAttr>("sym_name");
  if (!name.empty() && (!symbol || symbol.getValue() != name))
    return Error("breaks the protocol: expected 'declined' to name a kernel "
                 "that was asked for, found '" +
                 name.str() + "'");
  int64_t op = (*declined)->op;
  if (op < 0 || !findNumbered(kernel, op))
    return Error("breaks the protocol: expected 'op' of 'declined' to be the "
                 "number of an operation of the kernel, found " +
                 std::to_string(op));
  return declined;
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
  return !said->has("accepts") || takes("accepts", kernel, options, reason);
}

bool IsolatedTarget::takes(StringRef method, Operation *kernel,
                           const TargetOptions &options,
                           std::string &reason) const {
  OwningOpRef<ModuleOp> module = isolateKernel(kernel);
  std::string problem;
  {
    OwnDiagnostics handler(kernel->getContext(), [&](Diagnostic &d) {
      problem = d.str();
      return success();
    });
    if (failed(toWire(*module, hello()->reader))) {
      StringRef text = problem;
      text.consume_front("unsupported: ");
      reason = text.str();
      return false;
    }
  }
  json::Object params = specOf(options);
  if (method == "compile")
    params["kernels"] = namesOf(*module);
  bool isCached;
  Expected<Answer> answer =
      askCached(method, std::move(params), printOwnWire(*module), isCached);
  auto declined = declinedBy(answer, *module);
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

/// Reports what became of a question about a module, if it was not answered or
/// not as it should be.
static LogicalResult report(const Target &target, ModuleOp module,
                            const Expected<Answer> &answer) {
  Operation *first = findKernel(module, "");
  auto declined = declinedBy(answer, module);
  if (!declined)
    return first->emitError(
        sentence(target, declined.message(), describeKernels(module)));
  if (!*declined)
    return success();
  Operation *kernel = findKernel(module, (*declined)->kernel);
  Operation *op = findNumbered(kernel, (*declined)->op);
  return (op ? op : kernel)->emitError("unsupported: ") << (*declined)->reason;
}

/// Tells `--explain` by which instructions a program computes operations. A
/// kernel that is compiled again is not told again.
static Error reportLowered(llvm::ArrayRef<Lowered> lowered, ModuleOp module,
                           StringRef target) {
  Report &report = Report::of(module.getContext());
  // The wire form has no names of functions.
  llvm::StringMap<std::string> functions;
  llvm::StringSet<> told;
  for (const ReportRow &row :
       lowered.empty() ? std::vector<ReportRow>() : report.rows()) {
    if (!row.function.empty())
      functions.try_emplace(row.kernel, row.function);
    if (row.stage == "lowering" && row.target == target)
      told.insert(row.kernel);
  }
  for (const Lowered &one : lowered) {
    Operation *kernel = findKernel(module, one.kernel);
    auto symbol = kernel->getAttrOfType<StringAttr>("sym_name");
    bool isNamed = symbol && symbol.getValue() == one.kernel;
    Operation *op =
        isNamed && one.op >= 0 ? findNumbered(kernel, one.op) : nullptr;
    if (!op)
      return Error("breaks the protocol: expected 'op' of 'lowerings' to be "
                   "the number of an operation of kernel '" +
                   one.kernel + "', found " + std::to_string(one.op));
    ReportRow row = report.describe(op);
    if (told.contains(row.kernel))
      continue;
    row.function = functions.lookup(row.kernel);
    report.chose(row, op, "lowering", target, (target + "." + one.name).str());
  }
  return Error::success();
}

LogicalResult IsolatedTarget::serialize(ModuleOp module,
                                        const TargetOptions &options,
                                        Executable &result) const {
  if (std::string earlier = takeFailure(); !earlier.empty())
    return findKernel(module, "")
        ->emitError(sentence(*this, earlier, describeKernels(module)));
  json::Object params = specOf(options);
  params["kernels"] = namesOf(module);
  bool isCached;
  Expected<Answer> answer =
      askCached("compile", std::move(params), printWire(module), isCached);
  if (failed(report(*this, module, answer)))
    return failure();
  std::vector<Lowered> lowered;
  Expected<Executable> code =
      parseExecutable(answer->result, answer->body, &lowered);
  Error wrong =
      code ? reportLowered(lowered, module, name()) : code.takeError();
  if (wrong)
    return findKernel(module, "")
        ->emitError(sentence(*this, wrong.message(), describeKernels(module)));
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
  if (!json::isUTF8(answer->body))
    return findKernel(module, "")
        ->emitError(sentence(*this,
                             "breaks the protocol: expected a body in UTF-8 "
                             "for 'emit'",
                             describeKernels(module)));
  os << answer->body;
  return success();
}
