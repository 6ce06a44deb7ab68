// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules (sealed cubins, or PTX that the system's driver compiles) and
// launches.
//
// A kernel's parameters, in order: for each view its address, its sizes and its
// strides in elements, 64 bits each; for each scalar its bits in the bytes of
// its type; at the end the three extents of the logical grid, 64 bits each.
// Blocks form one dimension: the kernel finds its place from the extents.
#include "NvidiaDevice.h"
#include <algorithm>
#include <limits>

using namespace kiln::nvidia;
using kiln::runtime::failDriver;

namespace {

int loadModule(KilnDevice *device, const void *bytes, uint64_t size,
               KilnModule **module, KilnError *error) {
  std::vector<char> code;
  std::string problem = readModule(bytes, size, code);
  if (!problem.empty())
    return failDriver(error, problem);
  device->enter();
  char log[768] = "";
  int options[] = {kJitErrorLog, kJitErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  auto created = std::make_unique<KilnModule>();
  CUresult result = device->cuda->cuModuleLoadDataEx(
      &created->module, code.data(), 2, options, values);
  if (result) {
    std::string said(log, strnlen(log, sizeof log));
    for (char &c : said)
      c = c < 32 ? ' ' : c;
    while (!said.empty() && (said.back() == ' ' || said.back() == '.'))
      said.pop_back();
    return failDriver(error, "its module cannot be loaded: " +
                                 device->cuda->describe(result) +
                                 (said.empty() ? "" : ": " + said));
  }
  if (attachOutput(device, created.get(), code, error)) {
    device->cuda->cuModuleUnload(created->module);
    return 1;
  }
  *module = created.release();
  return 0;
}

void unloadModule(KilnDevice *device, KilnModule *module) {
  device->enter();
  detachOutput(device, module);
  device->cuda->cuModuleUnload(module->module);
  delete module;
}

int getKernel(KilnDevice *device, KilnModule *module,
              const KilnKernelDescription *description, KilnKernel **kernel,
              KilnError *error) {
  if (!*description->symbol)
    return failDriver(error, "a kernel without a name");
  device->enter();
  auto created = std::make_unique<KilnKernel>();
  created->symbol = description->symbol;
  created->output = module->output.get();
  if (check(device,
            device->cuda->cuModuleGetFunction(
                &created->function, module->module, description->symbol),
            "cuModuleGetFunction", error))
    return 1;
  module->kernels.push_back(std::move(created));
  *kernel = module->kernels.back().get();
  return 0;
}

/// What a launch is beyond its arguments.
struct Shape {
  int64_t threads[3] = {1, 1, 1};
  int64_t cluster[3] = {1, 1, 1};
  int64_t shared = 0, cooperative = 0, persistent = 0, priority = 0, axes = 0;
};

Shape shapeOf(const KilnLaunch &launch) {
  Shape shape;
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
      shape.shared = attribute.values[0];
      break;
    case KILN_LAUNCH_COOPERATIVE:
      shape.cooperative = attribute.values[0];
      break;
    case KILN_LAUNCH_PERSISTENT:
      shape.persistent = attribute.values[0];
      break;
    case kLaunchAxes:
      shape.axes = attribute.values[0];
      break;
    case KILN_LAUNCH_PRIORITY:
      shape.priority = attribute.values[0];
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

/// The words of a launch, each at an address of its own.
struct Parameters {
  std::vector<uint64_t> words;
  std::vector<void *> addresses;

  explicit Parameters(const KilnLaunch &launch) {
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
};

/// Lowers `blocks` to what the device runs of the kernel at once.
int limitToResident(KilnDevice *device, KilnKernel &kernel, const Shape &shape,
                    int64_t &blocks, KilnError *error) {
  int64_t threads = shape.threads[0] * shape.threads[1] * shape.threads[2];
  if (!kernel.resident || kernel.residentThreads != threads ||
      kernel.residentShared != shape.shared) {
    int each = 0;
    if (check(device,
              device->cuda->cuOccupancyMaxActiveBlocksPerMultiprocessor(
                  &each, kernel.function, int(threads), size_t(shape.shared)),
              "cuOccupancyMaxActiveBlocksPerMultiprocessor", error))
      return 1;
    kernel.resident = int64_t(std::max(each, 1)) * device->properties.numCores;
    kernel.residentThreads = threads;
    kernel.residentShared = shape.shared;
  }
  blocks = std::min(blocks, kernel.resident);
  return 0;
}

int execute(KilnDevice *device, KilnQueue *queue, const KilnLaunch *launch,
            KilnError *error) {
  KilnKernel &kernel = *launch->kernel;
  Shape shape = shapeOf(*launch);
  int64_t blocks = 1;
  for (int64_t extent : launch->grid)
    if (__builtin_mul_overflow(blocks, extent, &blocks) ||
        blocks > std::numeric_limits<int32_t>::max())
      return failDriver(error, "unsupported: a grid of 2^31 instances or more");
  if (blocks == 0)
    return 0;
  if (shape.shared > device->maxShared)
    return failDriver(error, std::to_string(shape.shared) +
                                 " bytes of shared memory, the device has " +
                                 std::to_string(device->maxShared));
  device->enter();
  if (shape.shared > kernel.dynamicShared && shape.shared > 0) {
    if (check(device,
              device->cuda->cuFuncSetAttribute(
                  kernel.function, kFunctionDynamicShared, int(shape.shared)),
              "asking for shared memory", error))
      return 1;
    kernel.dynamicShared = shape.shared;
  }
  if (shape.persistent && limitToResident(device, kernel, shape, blocks, error))
    return 1;
  std::vector<CUlaunchAttribute> attributes;
  int64_t cluster = shape.cluster[0] * shape.cluster[1] * shape.cluster[2];
  if (cluster > 1) {
    if (cluster > 8 &&
        check(device,
              device->cuda->cuFuncSetAttribute(kernel.function,
                                               kFunctionNonPortableCluster, 1),
              "asking for a large cluster", error))
      return 1;
    CUlaunchAttribute one = {};
    one.id = kLaunchCluster;
    one.value.cluster = {uint32_t(cluster), 1, 1};
    attributes.push_back(one);
  }
  if (shape.cooperative) {
    CUlaunchAttribute one = {};
    one.id = kLaunchCooperative;
    one.value.cooperative = 1;
    attributes.push_back(one);
  }
  if (shape.priority) {
    CUlaunchAttribute one = {};
    one.id = kLaunchPriority;
    // CUDA's lower numbers go first.
    one.value.priority = -int32_t(shape.priority);
    attributes.push_back(one);
  }
  Parameters parameters(*launch);
  CUlaunchConfig config = {};
  config.gridX = uint32_t(blocks);
  config.gridY = config.gridZ = 1;
  // As it is where that fits: the kernel need not divide then.
  constexpr int64_t most = 65535;
  if (shape.axes && !shape.persistent && cluster <= 1 &&
      launch->grid[1] <= most && launch->grid[2] <= most) {
    config.gridX = uint32_t(launch->grid[0]);
    config.gridY = uint32_t(launch->grid[1]);
    config.gridZ = uint32_t(launch->grid[2]);
  }
  config.blockX = uint32_t(shape.threads[0]);
  config.blockY = uint32_t(shape.threads[1]);
  config.blockZ = uint32_t(shape.threads[2]);
  config.sharedBytes = uint32_t(shape.shared);
  config.stream = streamOf(device, queue);
  config.attributes = attributes.data();
  config.numAttributes = uint32_t(attributes.size());
  std::string what = "kernel '" + kernel.symbol + "'";
  if (kernel.output && queue && queue->isRecording)
    queue->recorded.insert(kernel.output);
  else if (kernel.output)
    expectOutput(device, queue, kernel.output);
  return check(device,
               device->cuda->cuLaunchKernelEx(&config, kernel.function,
                                              parameters.addresses.data(),
                                              nullptr),
               what.c_str(), error) ||
         settle(device, queue, what.c_str(), error);
}

} // namespace

void kiln::nvidia::addCode(KilnDeviceDriver &table) {
  table.loadModule = loadModule;
  table.unloadModule = unloadModule;
  table.getKernel = getKernel;
  table.execute = execute;
}
