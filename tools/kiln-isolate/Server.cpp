//===- Server.cpp - A target in C++ as an isolated one --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Server.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Isolated/Hello.h"
#include "kiln/System/Process.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::isolate;
using namespace kiln::isolated;
using namespace kiln::target;
namespace json = llvm::json;

void Server::serve(int input, int output) {
  FrameReader reader;
  char buffer[65536];
  while (true) {
    ssize_t got = ::read(input, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return;
    reader.take(StringRef(buffer, size_t(got)));
    std::string error;
    while (std::optional<Frame> frame = reader.next(error)) {
      const json::Value *id = frame->head.get("id");
      if (!id)
        continue; // "cancel", and what later versions add
      StringRef method = frame->head.getString("method").value_or("");
      const json::Object *given = frame->head.getObject("params");
      Reply reply =
          answer(method, given ? *given : json::Object(), frame->body);
      json::Object head{{"id", *id}};
      if (reply.error.empty())
        head["result"] = std::move(reply.result);
      else
        head["error"] = json::Object{{"message", json::fixUTF8(reply.error)}};
      std::string bytes = writeFrame(head, reply.body);
      if (!runtime::writeFully(output, bytes.data(), bytes.size()) ||
          method == "bye")
        return;
    }
    if (!error.empty())
      return;
  }
}

/// The SPEC of a request, as a command line has it.
static std::string specOf(StringRef name, const json::Object &params) {
  TargetOptions options;
  options.name = name.str();
  options.chip = params.getString("chip").value_or("").str();
  if (const json::Object *given = params.getObject("options"))
    for (const auto &[key, value] : *given)
      if (auto text = value.getAsString())
        options.values.emplace_back(key.str(), text->str());
  return options.str();
}

Server::Reply Server::answer(StringRef method, const json::Object &params,
                             StringRef body) {
  Reply reply;
  if (method == "bye")
    return reply;
  if (method == "hello") {
    reply.result = hello();
    return reply;
  }
  problem.clear();
  place = UnknownLoc::get(&context);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    if (diag.getSeverity() == DiagnosticSeverity::Error && problem.empty()) {
      problem = diag.str();
      place = diag.getLocation();
    }
    return success();
  });
  bool isKnown = llvm::is_contained({"describe", "compile", "emit"}, method);
  std::string spec = specOf(target.name(), params);
  // `describe` comes first and reads what the SPEC names anew.
  if (isKnown && (method == "describe" || spec != boundSpec || !bound)) {
    bound = TargetRegistry::get().bind(spec, &context);
    boundSpec = spec;
  }
  if (!isKnown)
    reply.error = "no such method";
  else if (!bound)
    reply.error = problem.empty() ? "no such chip" : problem;
  else if (method == "describe")
    return describe(bound);
  else
    return compile(bound, body, method == "emit");
  return reply;
}

/// How many conversations a machine has use for at once.
static int64_t jobs() {
  constexpr unsigned kMostJobs = 16; // each holds an LLVM
  return std::min(std::max(std::thread::hardware_concurrency(), 1u), kMostJobs);
}

json::Object Server::hello() const {
  json::Array chips, options;
  for (const ChipInfo &chip : target.chips())
    if (chip.name != "*")
      chips.push_back(json::Object{{"name", chip.name}, {"help", chip.help}});
  for (const OptionInfo &option : target.options())
    options.push_back(json::Object{
        {"key", option.key}, {"value", option.value}, {"help", option.help}});
  return json::Object{{"protocol", kNewestProtocol},
                      {"wire", kWireVersion},
                      {"name", name},
                      {"build", build},
                      {"help", target.help()},
                      {"device", target.deviceName()},
                      {"jobs", target.lowersInParallel() ? jobs() : 1},
                      {"conversations", several},
                      {"chips", std::move(chips)},
                      {"options", std::move(options)},
                      {"methods", json::Array{"emit"}}};
}

Server::Reply Server::describe(const BoundTarget &bound) const {
  // It is served under the name that `hello` gave.
  TargetAttr own = bound.description;
  auto served = TargetAttr::get(
      own.getContext(), name, own.getChip(), own.getFamily(), own.getTriple(),
      own.getCpu(), own.getFeatures(), own.getTopology(), own.getMemories(),
      own.getUnits(), own.getMatrixInstructions(), own.getTiles(),
      own.getLimits(), own.getDeviations(), own.getExtra(), own.getTileMoves(),
      own.getCosts());
  std::string text;
  llvm::raw_string_ostream(text) << served;
  return {json::Object{{"description", text}}, "", ""};
}

OwningOpRef<ModuleOp> Server::read(StringRef text) const {
  return isolated::readWire(text, &context);
}

/// What an answer says about a kernel that is not taken.
static json::Object declined(Operation *kernel, Location place,
                             StringRef reason) {
  int64_t number = 0, found = 0;
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!found && op->getLoc() == place)
      found = number;
    ++number;
  });
  reason.consume_front("unsupported: ");
  StringRef symbol = cast<tile::KernelOp>(kernel).getSymName();
  return json::Object{
      {"declined", json::Object{{"reason", json::fixUTF8(reason)},
                                {"kernel", json::fixUTF8(symbol)},
                                {"op", found}}}};
}

/// Asks the target whether it compiles the kernels; false: it does not, and
/// `reply` says why. Each kernel crosses once, so this is part of `compile` and
/// not a question of its own.
bool Server::accepts(const BoundTarget &bound, ModuleOp module, Reply &reply) {
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    std::string reason;
    if (bound.target->accepts(kernel, bound.description, bound.options, reason))
      continue;
    if (reason.empty())
      reply.error = "'accepts' declined '" + kernel.getSymName().str() +
                    "' without a reason";
    else
      reply.result = declined(kernel, kernel.getLoc(), reason);
    return false;
  }
  return true;
}

static json::Array valuesOf(ArrayRef<runtime::Expression> expressions) {
  json::Array values;
  for (const runtime::Expression &value : expressions)
    values.push_back(value.str());
  return values;
}

static json::Object entryOf(const CompiledKernel &kernel, int64_t metadata) {
  json::Array attributes, recipes;
  json::Object notes;
  for (const runtime::LaunchAttribute &attribute : kernel.attributes)
    attributes.push_back(
        json::Object{{"name", runtime::launchAttributeName(attribute.tag)},
                     {"required", attribute.isRequired},
                     {"values", valuesOf(attribute.values)}});
  for (const runtime::Recipe &recipe : kernel.recipes)
    recipes.push_back(json::Object{{"param", int64_t(recipe.param)},
                                   {"name", recipe.name},
                                   {"words", valuesOf(recipe.words)}});
  for (const auto &[key, text] : kernel.notes)
    notes[json::fixUTF8(key)] = json::fixUTF8(text);
  json::Object entry{{"name", json::fixUTF8(kernel.name)},
                     {"symbol", json::fixUTF8(kernel.symbol)},
                     {"blob", int64_t(kernel.blob)},
                     {"scratch", kernel.scratchBytes},
                     {"metadata", metadata},
                     {"attributes", std::move(attributes)},
                     {"recipes", std::move(recipes)},
                     {"notes", std::move(notes)}};
  if (kernel.workspace)
    entry["workspace"] = json::Object{{"bytes", kernel.workspace->bytes.str()},
                                      {"zeroed", kernel.workspace->isZeroed}};
  return entry;
}

/// The kernel with an operation at a place; the first one where none has.
static tile::KernelOp kernelAt(ModuleOp module, Location place) {
  for (auto kernel : module.getOps<tile::KernelOp>())
    if (kernel
            ->walk([&](Operation *op) {
              return op->getLoc() == place ? WalkResult::interrupt()
                                           : WalkResult::advance();
            })
            .wasInterrupted())
      return kernel;
  return *module.getOps<tile::KernelOp>().begin();
}

Server::Reply Server::compile(const BoundTarget &bound, StringRef text,
                              bool asText) {
  Reply reply;
  OwningOpRef<ModuleOp> module = read(text);
  if (!module) {
    reply.error = problem.empty() ? "no kernel can be read" : problem;
    return reply;
  }
  auto kernels = module->getOps<tile::KernelOp>();
  if (kernels.empty()) {
    reply.error = "expected a kernel, found none";
    return reply;
  }
  if (!accepts(bound, *module, reply))
    return reply;
  OwningOpRef<ModuleOp> before = module->clone();
  setTarget(*module, bound);
  PassManager pm(&context);
  bound.target->buildPipeline(pm, bound.options);
  Executable code;
  llvm::raw_string_ostream listing(reply.body);
  bool isDone =
      succeeded(pm.run(*module)) &&
      (asText
           ? succeeded(bound.target->emit(*module, EmitKind::Assembly,
                                          bound.options, listing))
           : succeeded(bound.target->serialize(*module, bound.options, code)));
  if (!isDone) {
    reply.body.clear();
    if (StringRef(problem).starts_with("unsupported: "))
      reply.result = declined(kernelAt(*before, place), place, problem);
    else
      reply.error = problem.empty() ? "failed without a reason" : problem;
    return reply;
  }
  if (asText)
    return reply;
  json::Array entries, blobs, metadata, requirements;
  std::string more;
  for (const std::string &blob : code.blobs) {
    blobs.push_back(int64_t(blob.size()));
    reply.body += blob;
  }
  for (const CompiledKernel &kernel : code.kernels) {
    entries.push_back(entryOf(kernel, int64_t(metadata.size())));
    metadata.push_back(int64_t(kernel.metadata.size()));
    more += kernel.metadata;
  }
  for (const std::string &requirement : code.requirements)
    requirements.push_back(requirement);
  reply.body += more;
  reply.result = json::Object{{"kernels", std::move(entries)},
                              {"blobs", std::move(blobs)},
                              {"metadata", std::move(metadata)},
                              {"requirements", std::move(requirements)}};
  return reply;
}
