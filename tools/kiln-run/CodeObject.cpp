// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "CodeObject.h"
#include "Names.h"
#include "Values.h"
#include "kiln-c/Device.h"
#include "kiln/Runtime/Npy.h"
#include "kiln/Runtime/Spec.h"

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

Loaded fail(const std::string &message, int status) {
  printError(message);
  Loaded loaded;
  loaded.status = status;
  return loaded;
}

/// What an --arg stands for: its type, and whether it is a value.
Expected<Argument> argumentOf(const std::string &text) {
  Argument arg;
  std::vector<std::string> parts = split(text, ':');
  if (parts.size() == 2 && parseDType(parts[0]) != DType::none) {
    arg.isScalar = true;
    arg.dtype = parseDType(parts[0]);
    return arg;
  }
  arg.writable = true;
  bool isRandom = parts[0] == "random" || parts[0] == "hurt";
  if (isRandom || parts[0] == "zeros") {
    size_t at = isRandom ? 2 : 1;
    if (parts.size() > at)
      arg.dtype = parseDType(parts[at]);
    if (arg.dtype == DType::none)
      return Error("'" + text + "': expected a type and a shape, as in " +
                   parts[0] + (isRandom ? ":1" : "") + ":f32:1000");
    return arg;
  }
  // FILE.npy or FILE.npy+N.
  std::string path = text;
  size_t plus = text.rfind('+');
  uint64_t offset = 0;
  if (plus != std::string::npos && parseCount(text.substr(plus + 1), offset))
    path = text.substr(0, plus);
  Expected<Tensor> file = readNpyFile(path);
  if (!file)
    return Error(file.message());
  arg.dtype = file->dtype;
  return arg;
}

LaunchAttribute attributeOf(uint32_t tag, std::vector<Expression> values) {
  return {tag, /*isRequired=*/true, std::move(values)};
}

/// The device that a SPEC names, and what it says to it.
DeviceRef deviceOf(const Spec &spec, const std::string &text) {
  DeviceRef device;
  device.name = spec.name;
  size_t colon = text.find(':');
  if (colon != std::string::npos)
    device.options = text.substr(colon + 1);
  return device;
}

} // namespace

Loaded kiln::run::loadCodeObject(const Options &options) {
  if (options.targets.size() != 1)
    return fail("--code-object needs one --target=SPEC, the device that runs "
                "it; found " +
                    std::to_string(options.targets.size()),
                kWrongUsage);
  std::string text = splitDriverOptions(options.targets[0]).first;
  Expected<Spec> spec = Spec::parse(text);
  if (!spec)
    return fail("--target=" + options.targets[0] + ": " + spec.message(),
                kWrongUsage);
  Expected<Blob> file = mapFile(options.codeObject);
  if (!file)
    return fail(file.message(), 1);
  if (!file->size)
    return fail(options.codeObject + ": the file is empty", 1);

  KernelInfo kernel;
  Function entry;
  entry.kind = Function::Kind::kernel;
  kernel.symbol = options.entry;
  kernel.name = entry.name = options.entry.empty() ? "kernel" : options.entry;
  LaunchInst launch;
  LaunchVariant variant;
  for (const std::string &word : options.args) {
    Expected<Argument> arg = argumentOf(word);
    if (!arg)
      return fail("--arg=" + word + ": " + arg.message(), 1);
    arg->name = "a" + std::to_string(entry.args.size());
    arg->reg = arg->isScalar ? entry.newReg() : entry.newBuf();
    KernelParam param;
    param.kind =
        arg->isScalar ? KernelParam::Kind::scalar : KernelParam::Kind::view;
    param.name = arg->name;
    param.dtype = arg->dtype;
    kernel.params.push_back(param);
    launch.args.push_back(arg->isScalar ? LaunchArg::ofScalar(arg->reg)
                                        : LaunchArg::ofBuffer(arg->reg));
    entry.args.push_back(std::move(*arg));
  }
  for (int axis = 0; axis < 3; ++axis)
    variant.grid[size_t(axis)] = entry.grid[size_t(axis)] = entry.newReg();
  kernel.attributes.push_back(attributeOf(KILN_LAUNCH_BARE, {1}));
  if (options.block)
    kernel.attributes.push_back(attributeOf(
        KILN_LAUNCH_THREADS,
        {(*options.block)[0], (*options.block)[1], (*options.block)[2]}));
  if (options.sharedBytes)
    kernel.attributes.push_back(
        attributeOf(KILN_LAUNCH_LOCAL_BYTES, {options.sharedBytes}));
  launch.variants.push_back(variant);
  entry.code = {launch, ReturnInst{}};

  Package package;
  package.sourceName = options.codeObject;
  TargetProgram target;
  target.spec = text;
  target.program.devices.push_back(deviceOf(*spec, text));
  target.program.kernels.push_back(std::move(kernel));
  target.program.functions.push_back(std::move(entry));
  target.modules.push_back(*file);
  package.targets.push_back(std::move(target));
  Loaded loaded;
  loaded.package = std::make_shared<const Package>(std::move(package));
  return loaded;
}
