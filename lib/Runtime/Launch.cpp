// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel launches of the host program.
#include "Interpreter.h"
#include "KernelFit.h"
#include "kiln/Runtime/Progress.h"
#include <chrono>
#include <cstring>

using namespace kiln::runtime;

namespace {

double now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

} // namespace

Error Interpreter::run(const LaunchInst &inst) {
  const LaunchVariant *chosen = nullptr;
  for (const LaunchVariant &variant : inst.variants)
    if (variant.guard == kNone || regs[size_t(variant.guard)]) {
      chosen = &variant;
      break;
    }
  if (!chosen)
    return Error("no variant of a launch fits its arguments");
  LaunchRecord record;
  record.kernel = &target.program.kernels[chosen->kernel];
  record.name = inst.name.empty() ? record.kernel->name : inst.name;
  for (int d = 0; d < 3; ++d)
    if (chosen->grid[d] != kNone)
      record.grid[d] = regs[size_t(chosen->grid[d])];
  for (int64_t size : record.grid)
    if (size < 0)
      return Error("kernel '" + record.kernel->name + "': a grid size of " +
                   std::to_string(size));
  if (inst.flops != kNone)
    record.flops = regs[size_t(inst.flops)];
  if (inst.bytes != kNone)
    record.bytes = regs[size_t(inst.bytes)];
  if (!isDry())
    if (Error error = execute(chosen->kernel, inst, record))
      return error;
  report.launches.push_back(std::move(record));
  return Error::success();
}

Error Interpreter::encode(const KernelInfo &kernel, const LaunchInst &inst,
                          std::vector<KilnKernelArgument> &args) const {
  auto fail = [&](size_t index, const std::string &what) {
    const std::string &name = kernel.params[index].name;
    return Error("kernel '" + kernel.name + "', argument " +
                 std::to_string(index) +
                 (name.empty() ? "" : " ('" + name + "')") + ": " + what);
  };
  for (size_t i = 0; i < inst.args.size(); ++i) {
    const KernelParam &param = kernel.params[i];
    KilnKernelArgument arg = {};
    arg.dtype = static_cast<uint32_t>(param.dtype);
    if (inst.args[i].kind == LaunchArg::scalar) {
      arg.isScalar = 1;
      arg.bits = uint64_t(regs[size_t(inst.args[i].index)]);
      int64_t width = dtypeBytes(param.dtype);
      if (width < 8)
        arg.bits &= (uint64_t(1) << (8 * width)) - 1;
      args.push_back(arg);
      continue;
    }
    Expected<const BufferValue *> found = buffer(inst.args[i].index);
    if (!found)
      return found.takeError();
    const BufferValue &value = **found;
    std::string problem =
        misfit(param, value.dtype, value.sizes, &value.strides);
    if (!problem.empty())
      return fail(i, problem);
    if (value.device != kernel.device)
      return fail(i, "it is on another device than the kernel");
    auto address = reinterpret_cast<uintptr_t>(value.address());
    uint64_t position = address ? address : uint64_t(value.begin);
    if (position % uint64_t(param.align) && value.numElements())
      return fail(i, "its address has to be a multiple of " +
                         std::to_string(param.align) + " bytes");
    arg.buffer = value.memory->handle;
    arg.byteOffset = uint64_t(value.begin);
    arg.rank = uint32_t(param.rank);
    arg.sizes = value.sizes.data();
    arg.strides = value.strides.data();
    args.push_back(arg);
  }
  return Error::success();
}

/// A copy with the strides of the original, which the kernel may be made for.
Expected<Tensor> Interpreter::captureView(const BufferValue &from) {
  std::optional<int64_t> extent =
      checkedExtent(from.dtype, from.sizes, from.strides);
  if (from.isContiguous() || !extent || !from.numElements())
    return download(from);
  Expected<Storage> storage =
      Storage::allocate(size_t(*extent), /*zeroed=*/false);
  if (!storage)
    return storage.takeError();
  if (Error error = device(from.device)
                        .copyOut(storage->data, *from.memory,
                                 uint64_t(from.begin), uint64_t(*extent)))
    return error;
  Tensor tensor;
  tensor.dtype = from.dtype;
  tensor.shape = from.sizes;
  tensor.strides = from.strides;
  tensor.storage = *storage;
  return tensor;
}

/// Copies of what a kernel is given.
Expected<std::vector<Tensor>> Interpreter::capture(const KernelInfo &kernel,
                                                   const LaunchInst &inst) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inst.args.size(); ++i) {
    if (inst.args[i].kind == LaunchArg::scalar) {
      DType dtype = kernel.params[i].dtype;
      Expected<Tensor> scalar = Tensor::create(dtype, {});
      if (!scalar)
        return scalar.takeError();
      std::memcpy(scalar->data(), &regs[size_t(inst.args[i].index)],
                  size_t(dtypeBytes(dtype)));
      tensors.push_back(*scalar);
      continue;
    }
    Expected<const BufferValue *> found = buffer(inst.args[i].index);
    if (!found)
      return found.takeError();
    Expected<Tensor> copy = captureView(**found);
    if (!copy)
      return copy.takeError();
    tensors.push_back(*copy);
  }
  return tensors;
}

Error Interpreter::execute(uint32_t kernel, const LaunchInst &inst,
                           LaunchRecord &record) {
  const KernelInfo &info = *record.kernel;
  std::vector<KilnKernelArgument> args;
  args.reserve(inst.args.size());
  if (Error error = encode(info, inst, args))
    return error;
  KilnLaunch launch = {};
  launch.structSize = sizeof(launch);
  launch.kernel = session->kernels[kernel];
  for (int d = 0; d < 3; ++d)
    launch.grid[d] = record.grid[d];
  launch.numArguments = args.size();
  launch.arguments = args.data();
  Device &on = device(info.device);
  if (options.onLaunch)
    options.onLaunch(info);
  noteProgress(0, 0);
  if (options.observer) {
    Expected<std::vector<Tensor>> given = capture(info, inst);
    if (!given)
      return given.takeError();
    if (Error error = options.observer->before(record, *given))
      return error;
  }
  double begin = options.time ? now() : 0;
  if (Error error = on.execute(launch))
    return Error("kernel '" + info.name + "': " + error.message());
  if (options.observer) {
    if (Error error = on.synchronize())
      return error;
    Expected<std::vector<Tensor>> left = capture(info, inst);
    if (!left)
      return left.takeError();
    return options.observer->after(record, *left);
  }
  if (!options.time)
    return Error::success();
  if (Error error = on.synchronize())
    return error;
  record.seconds = now() - begin;
  return Error::success();
}
