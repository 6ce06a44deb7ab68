// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of loaded modules, and launches.
#include "StreamDevice.h"
#include "kiln/System/DType.h"
#include <algorithm>

using namespace kiln::streams;
using namespace kiln::runtime;

LaunchShape LaunchShape::of(const KilnLaunch &launch) {
  LaunchShape shape;
  if (launch.structSize <= KILN_LAUNCH_SIZE_1_0)
    return shape;
  for (uint32_t i = 0; i < launch.numAttributes; ++i) {
    const KilnLaunchAttribute &attribute = launch.attributes[i];
    switch (attribute.tag) {
    case KILN_LAUNCH_THREADS:
      std::copy_n(attribute.values, 3, shape.threads);
      break;
    case KILN_LAUNCH_CLUSTER:
      std::copy_n(attribute.values, 3, shape.cluster);
      break;
    case KILN_LAUNCH_LOCAL_BYTES:
      shape.sharedBytes = attribute.values[0];
      break;
    case KILN_LAUNCH_COOPERATIVE:
      shape.isCooperative = attribute.values[0] != 0;
      break;
    case KILN_LAUNCH_PERSISTENT:
      shape.isPersistent = attribute.values[0] != 0;
      break;
    case KILN_LAUNCH_PRIORITY:
      shape.priority = attribute.values[0];
      break;
    case KILN_LAUNCH_OWN:
      shape.own = attribute.values[0];
      break;
    default:
      break;
    }
  }
  for (int64_t *sizes : {shape.threads, shape.cluster})
    for (int i = 0; i < 3; ++i)
      sizes[i] = sizes[i] ? sizes[i] : 1;
  return shape;
}

namespace {

void unloadModule(KilnDevice *device, KilnModule *module) {
  device->enter();
  detachOutput(device, module);
  device->code->unloadModule(module->module);
  delete module;
}

int getKernel(KilnDevice *device, KilnModule *module,
              const KilnKernelDescription *description, KilnKernel **kernel,
              KilnError *error) {
  if (!*description->symbol)
    return failDriver(error, "a kernel without a name");
  device->enter();
  auto created = std::make_unique<KilnKernel>();
  created->symbol = std::make_shared<const std::string>(description->symbol);
  created->output = module->output.get();
  if (check(device,
            device->code->findFunction(&created->function, module->module,
                                       description->symbol),
            "finding kernel '" + *created->symbol + "'", error))
    return 1;
  module->kernels.push_back(std::move(created));
  *kernel = module->kernels.back().get();
  return 0;
}

/// The words of a launch, each at an address of its own. A thread keeps one for
/// its launches, which then allocate nothing.
struct Parameters {
  std::vector<uint64_t> words;
  std::vector<Encoded> encoded;
  std::vector<void *> addresses;

  void assign(const KilnLaunch &launch) {
    words.clear();
    addresses.clear();
    for (size_t i = 0; i < launch.numArguments; ++i) {
      const KilnKernelArgument &argument = launch.arguments[i];
      if (argument.isScalar) {
        words.push_back(argument.bits);
        continue;
      }
      words.push_back(argument.buffer->address + argument.byteOffset);
      for (const int64_t *list : {argument.sizes, argument.strides})
        for (uint32_t d = 0; d < argument.rank; ++d)
          words.push_back(uint64_t(list[d]));
    }
    for (int64_t extent : launch.grid)
      words.push_back(uint64_t(extent));
    for (uint64_t &word : words)
      addresses.push_back(&word);
  }

  /// Adds what recipes make of views. Empty, or what is wrong.
  std::string addEncodings(const KilnDevice &device, const KilnLaunch &launch) {
    if (launch.structSize <= KILN_LAUNCH_SIZE_1_0 || !launch.numEncodings)
      return "";
    encoded.resize(launch.numEncodings);
    for (uint32_t i = 0; i < launch.numEncodings; ++i) {
      const KilnArgumentEncoding &recipe = launch.encodings[i];
      if (recipe.argument >= launch.numArguments ||
          launch.arguments[recipe.argument].isScalar)
        return "recipe '" + std::string(recipe.recipe) + "' is for no view";
      std::string problem =
          device.encode(recipe, launch.arguments[recipe.argument], encoded[i]);
      if (!problem.empty())
        return "argument " + std::to_string(recipe.argument) + ": " + problem;
      addresses.push_back(&encoded[i]);
    }
    return "";
  }
};

/// Lowers the first extent of the grid to what the device runs at once.
int limitToResident(KilnDevice *device, KilnKernel &kernel, LaunchShape &shape,
                    KilnError *error) {
  int64_t threads = shape.numThreads();
  if (!kernel.resident || kernel.residentThreads != threads ||
      kernel.residentShared != shape.sharedBytes) {
    int each = 0;
    if (check(device,
              device->code->countResident(&each, kernel.function, shape),
              "counting the blocks of a core", error))
      return 1;
    kernel.resident = int64_t(std::max(each, 1)) * device->properties.numCores;
    kernel.residentThreads = threads;
    kernel.residentShared = shape.sharedBytes;
  }
  shape.grid[0] = std::min(shape.grid[0], kernel.resident);
  return 0;
}

/// The first view that reaches behind its buffer; -1: none.
int findOutside(const KilnLaunch &launch) {
  for (size_t i = 0; i < launch.numArguments; ++i) {
    const KilnKernelArgument &view = launch.arguments[i];
    if (view.isScalar)
      continue;
    int64_t last = 0;
    bool isEmpty = false, overflows = false;
    for (uint32_t d = 0; d < view.rank; ++d) {
      int64_t step = 0;
      isEmpty |= view.sizes[d] == 0;
      overflows |= __builtin_mul_overflow(view.sizes[d] - 1,
                                          std::max<int64_t>(view.strides[d], 0),
                                          &step) ||
                   __builtin_add_overflow(last, step, &last);
    }
    uint64_t bytes = 0;
    overflows |= __builtin_mul_overflow(uint64_t(last) + 1,
                                        dtypeBytes(DType(view.dtype)), &bytes);
    if (!isEmpty && (overflows || view.byteOffset > view.buffer->bytes ||
                     bytes > view.buffer->bytes - view.byteOffset))
      return int(i);
  }
  return -1;
}

/// Keeps what a fault that shows later is named by.
void remember(KilnQueue &queue, const KilnKernel &kernel,
              const KilnLaunch &launch) {
  auto *first = queue.launched;
  int argument = findOutside(launch);
  if (first->symbol == kernel.symbol && first->argument == argument)
    return;
  std::move_backward(first, first + KilnQueue::kRemembered - 1,
                     first + KilnQueue::kRemembered);
  *first = {kernel.symbol, argument};
}

int execute(KilnDevice *device, KilnQueue *queue, const KilnLaunch *launch,
            KilnError *error) {
  KilnKernel &kernel = *launch->kernel;
  for (int64_t extent : launch->grid)
    if (extent == 0)
      return 0;
  auto named = [&] { return "kernel '" + *kernel.symbol + "'"; };
  LaunchShape shape = LaunchShape::of(*launch);
  std::string problem = device->placeGrid(*launch, shape);
  if (!problem.empty())
    return failDriver(error, problem);
  if (shape.sharedBytes > device->maxShared)
    return failDriver(error, std::to_string(shape.sharedBytes) +
                                 " bytes of shared memory, the device has " +
                                 std::to_string(device->maxShared));
  device->enter();
  if (shape.sharedBytes > kernel.dynamicShared) {
    if (check(device,
              device->code->allowShared(kernel.function, shape.sharedBytes),
              "asking for shared memory", error))
      return 1;
    kernel.dynamicShared = shape.sharedBytes;
  }
  if (shape.isPersistent && limitToResident(device, kernel, shape, error))
    return 1;
  thread_local Parameters parameters;
  parameters.assign(*launch);
  problem = parameters.addEncodings(*device, *launch);
  if (!problem.empty())
    return failDriver(error, named() + ": " + problem);
  if (kernel.output && queue && queue->isRecording)
    queue->recorded.insert(kernel.output);
  else if (kernel.output)
    expectOutput(device, queue, kernel.output);
  int status =
      device->code->launch(kernel.function, shape, parameters.addresses.data(),
                           streamOf(device, queue));
  if (!status && queue) {
    remember(*queue, kernel, *launch);
    return 0;
  }
  if (!status)
    status = device->api->synchronize(device->immediate);
  if (!status)
    return readOutputs(device, nullptr, error);
  std::string what = named();
  if (int argument = findOutside(*launch); argument >= 0)
    what += ", argument " + std::to_string(argument) +
            " (it reaches behind its buffer)";
  return check(device, status, what, error);
}

} // namespace

void kiln::streams::addCode(KilnDeviceDriver &table) {
  table.unloadModule = unloadModule;
  table.getKernel = getKernel;
  table.execute = execute;
}
