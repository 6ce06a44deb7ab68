// Printing packages.
#include "Inspect.h"
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
  std::printf("  device %s%s%s\n", device.name.c_str(),
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

void printKernel(const KernelInfo &kernel, const TargetProgram &target) {
  const DeviceRef &device = target.program.devices[size_t(kernel.device)];
  std::printf("  kernel %s: symbol %s in module %u (%s), device %s",
              kernel.name.c_str(), kernel.symbol.c_str(), kernel.module,
              bytesText(int64_t(target.modules[kernel.module].size)).c_str(),
              device.name.c_str());
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
  for (const auto &[key, value] : kernel.notes)
    std::printf("    %s: %s\n", key.c_str(), value.c_str());
}

/// The function's shapes with --dim put in; false when some are not known.
bool knownShapes(const Function &function, const Options &options,
                 std::vector<std::vector<int64_t>> &shapes) {
  size_t next = 0;
  for (const Argument &arg : function.args) {
    shapes.push_back(arg.shape);
    for (int64_t &size : shapes.back()) {
      if (size != kDynamic)
        continue;
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
         std::to_string(report.launches.size()) + " launches";
}

void kiln::run::inspect(const Package &package, const Options &options) {
  std::printf("package by %s, format %u\n", package.producer.c_str(),
              kPackageVersion);
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
    std::printf("constant %s: %s\n", constant.name.c_str(),
                typeString(constant.dtype, constant.shape).c_str());
  for (const TargetProgram &target : package.targets) {
    std::printf("target %s\n", target.spec.c_str());
    for (const DeviceRef &device : target.program.devices)
      printDevice(device);
    for (const KernelInfo &kernel : target.program.kernels)
      printKernel(kernel, target);
    printMemory(package, target, options);
    std::printf("%s", toText(target.program).c_str());
  }
}
