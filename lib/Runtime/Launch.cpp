// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel launches of the host program.
#include "Interpreter.h"
#include "KernelFit.h"
#include "kiln/Runtime/Progress.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

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
  for (int64_t size : record.grid)
    if (size > std::numeric_limits<int32_t>::max())
      return Error("kernel '" + record.kernel->name +
                   "': unsupported: a grid size of " + std::to_string(size) +
                   ", expected at most 2147483647");
  if (inst.flops != kNone)
    record.flops = regs[size_t(inst.flops)];
  if (inst.bytes != kNone)
    record.bytes = regs[size_t(inst.bytes)];
  if (isDry() && record.kernel->workspace) {
    Expected<int64_t> bytes = workspaceBytes(inst, record);
    if (!bytes)
      return bytes.takeError();
  }
  if (!isDry())
    if (Error error = execute(chosen->kernel, inst, record))
      return error;
  if (keepsLaunches)
    report.launches.push_back(std::move(record));
  return Error::success();
}

void EncodedLaunch::addView(std::shared_ptr<DeviceBuffer> buffer, DType dtype,
                            uint64_t byteOffset,
                            const std::vector<int64_t> &sizes,
                            const std::vector<int64_t> &strides) {
  KilnKernelArgument arg = {};
  arg.dtype = static_cast<uint32_t>(dtype);
  arg.buffer = buffer->handle;
  arg.byteOffset = byteOffset;
  arg.rank = uint32_t(sizes.size());
  arg.sizes = extents.data() + extents.size();
  extents.insert(extents.end(), sizes.begin(), sizes.end());
  arg.strides = extents.data() + extents.size();
  extents.insert(extents.end(), strides.begin(), strides.end());
  memory.push_back(std::move(buffer));
  args.push_back(arg);
}

Error Interpreter::encode(const KernelInfo &kernel, const LaunchInst &inst,
                          EncodedLaunch &launch) {
  auto fail = [&](size_t index, const std::string &what) {
    const std::string &name = kernel.params[index].name;
    return Error("kernel '" + kernel.name + "', argument " +
                 std::to_string(index) +
                 (name.empty() ? "" : " ('" + name + "')") + ": " + what);
  };
  for (size_t i = 0; i < inst.args.size(); ++i) {
    const KernelParam &param = kernel.params[i];
    if (inst.args[i].kind == LaunchArg::scalar) {
      KilnKernelArgument arg = {};
      arg.dtype = static_cast<uint32_t>(param.dtype);
      arg.isScalar = 1;
      arg.bits = uint64_t(regs[size_t(inst.args[i].index)]);
      int64_t width = dtypeBytes(param.dtype);
      if (width < 8)
        arg.bits &= (uint64_t(1) << (8 * width)) - 1;
      launch.args.push_back(arg);
      continue;
    }
    Expected<const BufferValue *> found = buffer(inst.args[i].index);
    if (!found)
      return found.takeError();
    std::string problem =
        misfit(param, (*found)->dtype, (*found)->sizes, &(*found)->strides);
    if (!problem.empty())
      return fail(i, problem);
    if ((*found)->device != kernel.device)
      return fail(i, "it is on another device than the kernel");
    found = ready(inst.args[i].index);
    if (!found)
      return found.takeError();
    const BufferValue &value = **found;
    if (value.position() % uint64_t(param.align) && value.numElements())
      return fail(i, "its address has to be a multiple of " +
                         std::to_string(param.align) + " bytes");
    launch.addView(value.memory, param.dtype, uint64_t(value.begin),
                   value.sizes, value.strides);
  }
  return Error::success();
}

/// A copy with the strides of the original, which the kernel may be made for.
static Expected<Tensor> captureView(Device &on, const BufferValue &from) {
  std::optional<int64_t> extent =
      checkedExtent(from.dtype, from.sizes, from.strides);
  if (from.isContiguous() || !extent || !from.numElements())
    return fetch(on, from);
  Expected<Storage> storage =
      Storage::allocate(size_t(*extent), /*zeroed=*/false);
  if (!storage)
    return storage.takeError();
  if (Error error = on.copyOut(storage->data, *from.memory,
                               uint64_t(from.begin), uint64_t(*extent)))
    return error;
  if (Error error = on.synchronize())
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
    Expected<const BufferValue *> found = ready(inst.args[i].index);
    if (!found)
      return found.takeError();
    Expected<Tensor> copy = captureView(device((*found)->device), **found);
    if (!copy)
      return copy.takeError();
    tensors.push_back(*copy);
  }
  return tensors;
}

/// Whether a launch may write what an argument of it is a view of.
Expected<bool> Interpreter::mayWrite(const KernelInfo &kernel,
                                     const LaunchInst &inst, size_t argument) {
  Expected<const BufferValue *> view = ready(inst.args[argument].index);
  if (!view)
    return view.takeError();
  for (size_t i = 0; i < inst.args.size(); ++i) {
    if (kernel.params[i].readonly || inst.args[i].kind != LaunchArg::buffer)
      continue;
    Expected<const BufferValue *> other = ready(inst.args[i].index);
    if (!other)
      return other.takeError();
    if (i == argument || ((*other)->memory == (*view)->memory &&
                          (*other)->regionBegin < (*view)->regionEnd &&
                          (*view)->regionBegin < (*other)->regionEnd))
      return true;
  }
  return false;
}

/// Checks that a launch has left alone what it only reads.
Error Interpreter::checkUnchanged(const KernelInfo &kernel,
                                  const LaunchInst &inst,
                                  const std::vector<Tensor> &given,
                                  const std::vector<Tensor> &left) {
  for (size_t i = 0; i < inst.args.size(); ++i) {
    if (!kernel.params[i].readonly || inst.args[i].kind != LaunchArg::buffer)
      continue;
    Expected<bool> isWritten = mayWrite(kernel, inst, i);
    if (!isWritten)
      return isWritten.takeError();
    Expected<Tensor> before = given[i].contiguous(),
                     after = left[i].contiguous();
    if (!before || !after)
      return before ? after.takeError() : before.takeError();
    size_t bytes = size_t(before->numElements() * dtypeBytes(before->dtype));
    if (*isWritten || std::memcmp(before->data(), after->data(), bytes) == 0)
      continue;
    std::string name = kernel.params[i].name;
    return Error("kernel '" + kernel.name + "': device '" +
                 device(kernel.device).name() + "' changes argument " +
                 std::to_string(i) + (name.empty() ? "" : " (" + name + ")") +
                 ", which the kernel only reads");
  }
  return Error::success();
}

/// Runs a launch between an observer's looks at what it is given and leaves.
Error Interpreter::runObserved(const KernelInfo &kernel, const LaunchInst &inst,
                               LaunchRecord &record, EncodedLaunch &launch) {
  Expected<std::vector<Tensor>> given = capture(kernel, inst);
  if (!given)
    return given.takeError();
  if (Error error = options.observer->before(record, *given))
    return error;
  Device &on = device(kernel.device);
  if (Error error = on.execute(launch.launch))
    return Error("kernel '" + kernel.name + "': " + error.message());
  if (Error error = on.synchronize())
    return error;
  Expected<std::vector<Tensor>> left = capture(kernel, inst);
  if (!left)
    return left.takeError();
  if (Error error = checkUnchanged(kernel, inst, *given, *left))
    return error;
  return options.observer->after(record, *left);
}

/// Gives a kernel its workspace as the last argument.
Error Interpreter::addWorkspace(const KernelInfo &kernel, int64_t bytes,
                                EncodedLaunch &launch) {
  auto memory = isDeferred()
                    ? workspaceStandIn(kernel.device, bytes)
                    : session->workspace(kernel.device, uint64_t(bytes));
  if (!memory)
    return memory.takeError();
  launch.addView(*memory, DType::u8, 0, {bytes}, {1});
  if (!kernel.workspace->isZeroed || !bytes)
    return Error::success();
  auto fill = [on = shared(kernel.device), to = *memory, bytes] {
    return on->fill(*to, 0, uint64_t(bytes), 0);
  };
  return perform(kernel.device, fill);
}

/// What an expression of a launch asks for.
std::optional<int64_t> Interpreter::leafOf(const LaunchInst &inst,
                                           const LaunchRecord &record,
                                           const Expression::Step &step) const {
  if (step.kind == Expression::Step::grid)
    return record.grid[size_t(step.value)];
  if (size_t(step.value) >= inst.args.size())
    return std::nullopt;
  const LaunchArg &arg = inst.args[size_t(step.value)];
  if (step.kind == Expression::Step::arg) {
    if (arg.kind != LaunchArg::scalar)
      return std::nullopt;
    // As wide as the kernel takes it, with its sign.
    int64_t bits = regs[size_t(arg.index)];
    return loadAsInt(record.kernel->params[size_t(step.value)].dtype, &bits, 0);
  }
  if (arg.kind != LaunchArg::buffer)
    return std::nullopt;
  const BufferValue &value = bufs[size_t(arg.index)];
  const std::vector<int64_t> &list =
      step.kind == Expression::Step::size ? value.sizes : value.strides;
  return size_t(step.dim) < list.size()
             ? std::optional<int64_t>(list[size_t(step.dim)])
             : std::nullopt;
}

/// How much workspace a launch needs.
Expected<int64_t> Interpreter::workspaceBytes(const LaunchInst &inst,
                                              const LaunchRecord &record) {
  const KernelInfo &kernel = *record.kernel;
  Expected<int64_t> bytes = kernel.workspace->bytes.evaluate(
      [&](const Expression::Step &step) { return leafOf(inst, record, step); });
  if (!bytes)
    return Error("kernel '" + kernel.name + "', workspace: " + bytes.message());
  if (*bytes < 0)
    return Error("kernel '" + kernel.name + "': a workspace of " +
                 std::to_string(*bytes) + " bytes");
  report.workspaceBytes = std::max(report.workspaceBytes, *bytes);
  return bytes;
}

Error Interpreter::execute(uint32_t kernel, const LaunchInst &inst,
                           LaunchRecord &record) {
  const KernelInfo &info = *record.kernel;
  auto encoded = std::make_shared<EncodedLaunch>();
  encoded->args.reserve(inst.args.size() + 1);
  size_t numExtents = 2; // of the workspace
  for (const KernelParam &param : info.params)
    numExtents += 2 * size_t(param.rank);
  encoded->extents.reserve(numExtents);
  encoded->memory.reserve(inst.args.size() + 1);
  if (Error error = encode(info, inst, *encoded))
    return error;
  KilnLaunch &launch = encoded->launch;
  launch.structSize = sizeof(launch);
  launch.kernel = session->kernels[kernel];
  for (int d = 0; d < 3; ++d)
    launch.grid[d] = record.grid[d];
  auto leaf = [&](const Expression::Step &step) {
    return leafOf(inst, record, step);
  };
  Expected<LaunchContract> contract =
      LaunchContract::evaluate(info, inst.attributes, leaf);
  if (!contract)
    return Error("kernel '" + info.name + "': " + contract.message());
  encoded->contract = std::move(*contract);
  std::shared_ptr<Device> on = shared(info.device);
  if (Error error = on->checkAttributes(inst.attributes, info.name))
    return error;
  if (info.workspace) {
    Expected<int64_t> bytes = workspaceBytes(inst, record);
    if (!bytes)
      return bytes.takeError();
    if (Error error = addWorkspace(info, *bytes, *encoded))
      return error;
  }
  launch.numArguments = encoded->args.size();
  launch.arguments = encoded->args.data();
  launch.numAttributes = uint32_t(encoded->contract.attributes.size());
  launch.attributes = encoded->contract.attributes.data();
  launch.numEncodings = uint32_t(encoded->contract.encodings.size());
  launch.encodings = encoded->contract.encodings.data();
  if (tape)
    tape->launches.push_back(encoded);
  if (options.onLaunch)
    options.onLaunch(info);
  noteProgress(0, 0);
  if (options.observer)
    return runObserved(info, inst, record, *encoded);
  auto run = [on, encoded, name = info.name]() -> Error {
    if (Error error = on->execute(encoded->launch))
      return Error("kernel '" + name + "': " + error.message());
    return Error::success();
  };
  if (!options.time || !keepsLaunches)
    return perform(info.device, run);
  if (on->hasClock())
    return timeOnDevice(*on, run);
  if (Error error = on->synchronize())
    return error;
  double begin = now();
  if (Error error = run())
    return error;
  if (Error error = on->synchronize())
    return error;
  record.seconds = now() - begin;
  auto [first, isFirst] = firstBegins.try_emplace(info.device, begin);
  record.begin = begin - first->second;
  return Error::success();
}

/// Puts events around a launch; nobody waits for it.
Error Interpreter::timeOnDevice(Device &on, const std::function<Error()> &run) {
  Expected<std::shared_ptr<DeviceEvent>> begin = on.recordEvent();
  if (!begin)
    return begin.takeError();
  if (Error error = run())
    return error;
  Expected<std::shared_ptr<DeviceEvent>> end = on.recordEvent();
  if (!end)
    return end.takeError();
  clocks.push_back({report.launches.size(), *begin, *end});
  return Error::success();
}

/// Fills in the times of launches that have ended.
Error Interpreter::readClocks() {
  std::map<const Device *, DeviceEvent *> firsts;
  for (const Clock &clock : clocks) {
    Device &device = *clock.begin->device;
    DeviceEvent *first =
        firsts.try_emplace(&device, clock.begin.get()).first->second;
    Expected<double> seconds = device.elapsed(*clock.begin, *clock.end);
    if (!seconds)
      return seconds.takeError();
    Expected<double> begin = first == clock.begin.get()
                                 ? Expected<double>(0.0)
                                 : device.elapsed(*first, *clock.begin);
    if (!begin)
      return begin.takeError();
    report.launches[clock.launch].seconds = *seconds;
    report.launches[clock.launch].begin = *begin;
  }
  report.usedDeviceClock =
      !clocks.empty() && clocks.size() == report.launches.size();
  return Error::success();
}
