// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling and evaluating modules.
#include "Prepare.h"
#include "Independent.h"
#include "ReadyJson.h"
#include "Select.h"
#include "Values.h"
#include "kiln/Runtime/Session.h"
#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

using namespace kiln::conform;
using namespace kiln::runtime;

namespace {

std::vector<std::string> argsFor(const PrepareOptions &options,
                                 const std::string &target) {
  std::vector<std::string> args = {"--target=" + target, "--strip", "--jobs=1",
                                   "--serialise-twice"};
  for (const std::string &library : options.loadTargets)
    args.push_back("--load-target=" + library);
  return args;
}

Expected<std::shared_ptr<const Package>> load(const std::string &bytes) {
  std::shared_ptr<void> copy(std::malloc(bytes.size()), std::free);
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  Expected<Package> package = readPackage(
      {copy, static_cast<const uint8_t *>(copy.get()), bytes.size()});
  if (!package)
    return package.takeError();
  return std::make_shared<const Package>(std::move(*package));
}

/// The devices of the kernels that a function launches.
void collectDevices(const std::vector<Instruction> &code,
                    const HostProgram &program, std::set<std::string> &devices,
                    std::set<std::string> &kernels) {
  for (const Instruction &inst : code) {
    if (const auto *launch = std::get_if<LaunchInst>(&inst.body))
      for (const LaunchVariant &variant : launch->variants) {
        const KernelInfo &kernel = program.kernels[variant.kernel];
        devices.insert(program.devices[size_t(kernel.device)].name);
        kernels.insert(kernel.name);
      }
    if (const auto *branch = std::get_if<IfInst>(&inst.body)) {
      collectDevices(branch->thenCode, program, devices, kernels);
      collectDevices(branch->elseCode, program, devices, kernels);
    }
    if (const auto *loop = std::get_if<WhileInst>(&inst.body)) {
      collectDevices(loop->before, program, devices, kernels);
      collectDevices(loop->body, program, devices, kernels);
    }
  }
}

/// Compiles the programs of a module for the target; halves of it where that
/// fails, until it is known which program is at fault.
class TargetCompilation {
public:
  TargetCompilation(const Compiler &compiler, const Module &module,
                    const PrepareOptions &options, std::vector<Placed> &placed)
      : compiler(compiler), module(module), options(options),
        parts(cutText(module)), placed(placed) {}

  Error run() {
    std::vector<size_t> all(module.programs.size());
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = i;
    return compile(all);
  }

private:
  Error compile(const std::vector<size_t> &which) {
    std::string text;
    for (size_t i : which)
      text += parts[i];
    Compiled compiled = compiler.compile(text, module.name + ".mlir",
                                         argsFor(options, options.target));
    if (compiled.package.empty()) {
      if (which.size() == 1) {
        std::string why = firstError(compiled.diagnostics);
        const std::string mark = "error: unsupported: ";
        bool isDecline = why.compare(0, mark.size(), mark) == 0;
        placed[which[0]] = {isDecline ? Placed::declined : Placed::failed,
                            isDecline ? why.substr(mark.size()) : why, -1};
        return Error::success();
      }
      size_t half = which.size() / 2;
      if (Error error = compile({which.begin(), which.begin() + long(half)}))
        return error;
      return compile({which.begin() + long(half), which.end()});
    }
    int number = packages++;
    std::string path = options.folder + "/" + module.name + "-" +
                       std::to_string(number) + ".kiln";
    if (Error error =
            writeFile(path, compiled.package.data(), compiled.package.size()))
      return error;
    Expected<std::shared_ptr<const Package>> package = load(compiled.package);
    if (!package)
      return package.takeError();
    for (size_t i : which)
      placed[i] = place((*package)->targets.front().program, module.programs[i],
                        compiled, number);
    return Error::success();
  }

  Placed place(const HostProgram &host, const Program &program,
               const Compiled &compiled, int number) const {
    for (const Function &function : host.functions) {
      if (function.name != program.entry)
        continue;
      std::set<std::string> devices, kernels;
      collectDevices(function.code, host, devices, kernels);
      // A function without kernels computes nothing that could fall back.
      bool isOurs = std::all_of(
          devices.begin(), devices.end(),
          [&](const std::string &device) { return device == options.device; });
      std::string reasons;
      kernels.insert(program.entry);
      for (const std::string &kernel : kernels)
        if (auto found = compiled.declined.find(kernel);
            found != compiled.declined.end() &&
            reasons.find(found->second) == std::string::npos)
          reasons += (reasons.empty() ? "" : "; ") + found->second;
      if (isOurs)
        return {Placed::onTarget, "", number};
      return {Placed::declined,
              reasons.empty() ? "declined without a reason" : reasons, number};
    }
    return {Placed::failed, "the package has no '" + program.entry + "'", -1};
  }

  static std::string firstError(const std::string &diagnostics) {
    size_t at = diagnostics.find("error: ");
    std::string line = diagnostics.substr(at == std::string::npos ? 0 : at);
    line = line.substr(0, line.find('\n'));
    return line.empty() ? "the compiler failed without saying why" : line;
  }

  const Compiler &compiler;
  const Module &module;
  const PrepareOptions &options;
  std::vector<std::string> parts;
  std::vector<Placed> &placed;
  int packages = 0;
};

/// The three evaluations of a module.
class Reference {
public:
  static Expected<Reference> create(const Compiler &compiler,
                                    const Module &module,
                                    const PrepareOptions &options) {
    Compiled compiled = compiler.compile(module.text, module.name + ".mlir",
                                         argsFor(options, "reference"));
    if (compiled.package.empty())
      return Error("reference: " + compiled.diagnostics);
    Expected<std::shared_ptr<const Package>> package = load(compiled.package);
    if (!package)
      return package.takeError();
    Reference reference;
    for (const char *spec :
         {"reference", "reference,perturb=1", "reference,perturb=-1"}) {
      Expected<Session> session = Session::create(*package, spec);
      if (!session)
        return session.takeError();
      reference.sessions.push_back(std::move(*session));
    }
    return reference;
  }

  Expected<std::vector<Tensor>> call(size_t which, const Program &program,
                                     const Call &call, uint64_t seed) {
    Session &session = sessions[which];
    const Function *function = session.lookup(program.entry);
    if (!function)
      return Error("the reference has no '" + program.entry + "'");
    return callAndCollect(program, call, seed,
                          [&](const std::vector<Tensor> &args) {
                            CallOptions how;
                            how.grid = call.grid;
                            return session.call(*function, args, how);
                          });
  }

private:
  std::vector<Session> sessions;
};

/// Evaluates one case and appends what is expected.
Ready evaluate(Reference &reference, const Module &module, size_t p, size_t c,
               const PrepareOptions &options, std::string &expected) {
  const Program &program = module.programs[p];
  const Call &call = program.calls[c];
  Ready ready;
  ready.program = p;
  ready.call = c;
  Expected<std::vector<Tensor>> exact =
      reference.call(0, program, call, options.seed);
  if (!exact) {
    ready.error = exact.message();
    return ready;
  }
  Expected<std::vector<Tensor>> plus =
      reference.call(1, program, call, options.seed);
  Expected<std::vector<Tensor>> minus =
      reference.call(2, program, call, options.seed);
  std::optional<std::vector<Wanted>> own;
  if (options.independent)
    own = independentResults(program, call, options.seed);
  for (size_t k = 0; k < exact->size(); ++k) {
    Wanted wanted =
        own ? std::move((*own)[k])
            : wantedFrom((*exact)[k], plus ? &(*plus)[k] : nullptr,
                         minus ? &(*minus)[k] : nullptr, program.isChained);
    Output output{wanted.dtype, wanted.shape, int64_t(expected.size()),
                  !wanted.low.empty()};
    expected.append(wanted.exact.data(), wanted.exact.size());
    expected.append(wanted.low.data(), wanted.low.size());
    expected.append(wanted.high.data(), wanted.high.size());
    ready.outputs.push_back(std::move(output));
  }
  return ready;
}

} // namespace

Expected<std::vector<Tensor>> kiln::conform::callAndCollect(
    const Program &program, const Call &call, uint64_t seed,
    const std::function<
        Expected<std::vector<Tensor>>(const std::vector<Tensor> &)> &run) {
  Expected<Inputs> inputs = makeInputs(program, call, seed);
  if (!inputs)
    return inputs.takeError();
  Expected<std::vector<Tensor>> results = run(inputs->tensors);
  if (!results)
    return results;
  std::vector<Tensor> outputs;
  for (const Tensor &tensor : *results) {
    Expected<Tensor> packed = tensor.contiguous();
    if (!packed)
      return packed.takeError();
    outputs.push_back(std::move(*packed));
  }
  for (size_t k = 0; k < program.params.size(); ++k)
    if (program.params[k].isWritten)
      outputs.push_back(inputs->whole[k]);
  return outputs;
}

Error kiln::conform::prepareModule(const Compiler &compiler,
                                   const Module &module,
                                   const PrepareOptions &options) {
  ReadyModule ready;
  ready.module = module;
  ready.module.text.clear();
  ready.placed.resize(module.programs.size());
  Expected<Reference> reference = Reference::create(compiler, module, options);
  if (!reference)
    return reference.takeError();
  std::string expected;
  for (size_t p = 0; p < module.programs.size(); ++p)
    for (size_t c = 0; c < module.programs[p].calls.size(); ++c)
      ready.cases.push_back(
          evaluate(*reference, module, p, c, options, expected));
  std::string stem = options.folder + "/" + module.name;
  if (Error error =
          writeFile(stem + ".expected", expected.data(), expected.size()))
    return error;
  if (Error error =
          TargetCompilation(compiler, module, options, ready.placed).run())
    return error;
  std::string text = readyToJson(ready);
  return writeFile(stem + ".json", text.data(), text.size());
}
