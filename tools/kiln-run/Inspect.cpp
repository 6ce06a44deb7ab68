// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing packages.
#include "Inspect.h"
#include <algorithm>
#include <cstdio>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

std::string bytesText(int64_t bytes) {
  char text[32];
  if (bytes < 10240)
    return std::to_string(bytes) + " B";
  double kilo = double(bytes) / 1024;
  if (kilo < 10240)
    std::snprintf(text, sizeof(text), "%.1f KiB", kilo);
  else
    std::snprintf(text, sizeof(text), "%.1f MiB", kilo / 1024);
  return text;
}

void printDevice(const DeviceRef &device) {
  std::printf("  device %s%s%s\n", deviceText(device).c_str(),
              device.options.empty() ? "" : " with ", device.options.c_str());
  std::string line = "    requires";
  for (const std::string &name : device.requirements) {
    if (line.size() + name.size() > 95) {
      std::printf("%s\n", line.c_str());
      line = "            ";
    }
    line += " " + name;
  }
  if (!device.requirements.empty())
    std::printf("%s\n", line.c_str());
}

/// What launches of a kernel have beyond arguments and grid.
void printContract(const KernelInfo &kernel) {
  if (!kernel.attributes.empty())
    std::printf("    launched with %s\n",
                attributesText(kernel.attributes).c_str());
  for (const Recipe &recipe : kernel.recipes) {
    const std::string &name = kernel.params[recipe.param].name;
    std::printf("    encodes %s by %s(",
                name.empty() ? std::to_string(recipe.param).c_str()
                             : name.c_str(),
                recipe.name.c_str());
    for (size_t i = 0; i < recipe.words.size(); ++i)
      std::printf("%s%s", i ? ", " : "", recipe.words[i].str().c_str());
    std::printf(")\n");
  }
  if (kernel.workspace)
    std::printf("    workspace of %s bytes%s\n",
                kernel.workspace->bytes.str().c_str(),
                kernel.workspace->isZeroed ? ", zeroed" : "");
  if (!kernel.metadata.empty())
    std::printf("    metadata of %zu bytes\n", kernel.metadata.size());
}

void printKernel(const KernelInfo &kernel, const TargetProgram &target) {
  const DeviceRef &device = target.program.devices[size_t(kernel.device)];
  std::printf("  kernel %s: symbol %s in module %u (%s), device %s",
              kernel.name.c_str(), kernel.symbol.c_str(), kernel.module,
              bytesText(int64_t(target.modules[kernel.module].size)).c_str(),
              deviceText(device).c_str());
  if (kernel.scratchBytes)
    std::printf(", scratch %s", bytesText(kernel.scratchBytes).c_str());
  std::printf("\n    (");
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const KernelParam &param = kernel.params[i];
    std::printf("%s%s%s", i ? ", " : "", param.name.c_str(),
                param.name.empty() ? "" : ": ");
    if (param.kind == KernelParam::Kind::view)
      std::printf("view<%d, %s>%s", param.rank,
                  std::string(dtypeName(param.dtype)).c_str(),
                  param.readonly ? " readonly" : "");
    else
      std::printf("%s", std::string(dtypeName(param.dtype)).c_str());
  }
  std::printf(")\n");
  printContract(kernel);
  for (const auto &[key, value] : kernel.notes)
    std::printf("    %s: %s\n", key.c_str(), value.c_str());
}

/// What a caller passes and gets, by number and name.
void printEntry(const Function &function) {
  bool isKernel = function.kind == Function::Kind::kernel;
  std::printf("  entry %s: %s\n", function.name.c_str(),
              isKernel ? "kernel" : "function");
  for (size_t k = 0; k < function.args.size(); ++k) {
    const Argument &arg = function.args[k];
    std::printf("    argument %zu, %s: %s", k, arg.name.c_str(),
                typeString(arg.dtype, arg.shape).c_str());
    for (size_t d = 0; d < arg.dims.size(); ++d)
      if (!arg.dims[d].empty())
        std::printf(", dimension %zu %s", d, arg.dims[d].c_str());
    if (arg.isUnsigned)
      std::printf(", unsigned");
    if (arg.isScalar)
      std::printf(", scalar");
    else if (arg.writable)
      std::printf(", writable");
    if (arg.domain != Domain::any)
      std::printf(", %s", domainName(arg.domain));
    if (arg.low <= arg.high)
      std::printf(", %lld to %lld", static_cast<long long>(arg.low),
                  static_cast<long long>(arg.high));
    std::printf("\n");
  }
  for (size_t k = 0; k < function.results.size(); ++k)
    std::printf("    result %zu, %s: %s%s\n", k,
                function.results[k].name.c_str(),
                typeString(function.results[k].dtype, function.results[k].shape)
                    .c_str(),
                function.results[k].isUnsigned ? ", unsigned" : "");
}

/// The size that --dim gives by name, if it does.
std::optional<int64_t> namedSize(const Options &options, const Argument &arg,
                                 size_t index, size_t d) {
  std::string number = "." + std::to_string(d);
  std::optional<int64_t> found;
  for (const auto &[name, size] : options.namedDims)
    if (name == std::to_string(index) + number ||
        (!arg.name.empty() && name == arg.name + number) ||
        (d < arg.dims.size() && name == arg.dims[d]))
      found = size;
  return found;
}

/// --dim that no function has room for.
std::optional<InputError> checkDims(const Package &package,
                                    const Options &options) {
  size_t most = 0;
  for (const TargetProgram &target : package.targets)
    for (const Function &function : target.program.functions) {
      size_t count = 0;
      for (const Argument &arg : function.args)
        count +=
            size_t(std::count(arg.shape.begin(), arg.shape.end(), kDynamic));
      most = std::max(most, count);
    }
  size_t given = options.dims.size();
  if (given > most && (given > 1 || !most))
    return InputError{"--dim gives " + std::to_string(given) +
                          (given == 1 ? " size" : " sizes") +
                          ", no function has more than " +
                          std::to_string(most) + " dynamic dimensions",
                      kWrongUsage};
  return std::nullopt;
}

/// The function's shapes with --dim put in; false when some are not known.
bool knownShapes(const Function &function, const Options &options,
                 std::vector<std::vector<int64_t>> &shapes) {
  size_t next = 0;
  for (const Argument &arg : function.args) {
    shapes.push_back(arg.shape);
    for (size_t d = 0; d < arg.shape.size(); ++d) {
      int64_t &size = shapes.back()[d];
      if (size != kDynamic)
        continue;
      if (auto named = namedSize(options, arg, shapes.size() - 1, d)) {
        size = *named;
        continue;
      }
      size_t at = options.dims.size() == 1 ? 0 : next++;
      if (at >= options.dims.size())
        return false;
      size = options.dims[at];
    }
  }
  return true;
}

void printMemory(const Package &package, const TargetProgram &target,
                 const Options &options) {
  for (const Function &function : target.program.functions) {
    std::vector<std::vector<int64_t>> shapes;
    if (function.kind == Function::Kind::kernel)
      continue;
    if (!knownShapes(function, options, shapes)) {
      std::printf("  memory of %s: depends on its sizes (--dim)\n",
                  function.name.c_str());
      continue;
    }
    Expected<CallReport> report = measure(package, target, function, shapes);
    std::printf("  memory of %s: %s\n", function.name.c_str(),
                report ? memoryText(*report).c_str()
                       : report.message().c_str());
  }
}

} // namespace

std::string kiln::run::memoryText(const CallReport &report) {
  std::string text = "arena " + bytesText(report.arenaBytes) +
                     " for tensors of " + bytesText(report.arenaTensorBytes);
  if (report.arenaTensorBytes)
    text += " (" +
            std::to_string(report.arenaBytes * 100 / report.arenaTensorBytes) +
            "%)";
  return text + ", results and others " + bytesText(report.ownBytes) + ", " +
         (report.workspaceBytes
              ? "workspace " + bytesText(report.workspaceBytes) + ", "
              : "") +
         std::to_string(report.launches.size()) + " launches";
}

std::optional<InputError> kiln::run::inspect(const Package &package,
                                             const Options &options) {
  if (auto error = checkDims(package, options))
    return error;
  std::printf("package by %s, format %u\n", package.producer.c_str(),
              package.format);
  std::printf("source %s, %s\n", package.sourceName.c_str(),
              package.source.size
                  ? bytesText(int64_t(package.source.size)).c_str()
                  : "not embedded");
  std::printf("%s\n",
              package.signer
                  ? ("signed with key " + package.signer->fingerprint()).c_str()
                  : "not signed");
  for (const std::string &arg : package.compileArgs)
    std::printf("compiled with %s\n", arg.c_str());
  for (const Constant &constant : package.constants)
    std::printf("constant %s: %s%s\n", constant.name.c_str(),
                typeString(constant.dtype, constant.shape).c_str(),
                constant.isSplat ? ", all elements equal" : "");
  for (const TargetProgram &target : package.targets) {
    std::printf("target %s\n", target.spec.c_str());
    for (const DeviceRef &device : target.program.devices)
      printDevice(device);
    for (const KernelInfo &kernel : target.program.kernels)
      printKernel(kernel, target);
    for (const Function &function : target.program.functions)
      if (function.isPublic)
        printEntry(function);
    printMemory(package, target, options);
    std::printf("%s", toText(target.program).c_str());
  }
  return std::nullopt;
}
