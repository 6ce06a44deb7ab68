// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's functions for the driver's common code; loading modules (sealed
// cubins, or PTX that the system's driver compiles) and placing grids.
#include "NvidiaDevice.h"
#include <algorithm>
#include <cstring>
#include <limits>

using namespace kiln::nvidia;
using kiln::runtime::failDriver;
using kiln::streams::LaunchShape;

static CUstream streamOf(void *stream) { return static_cast<CUstream>(stream); }
static CUevent eventOf(void *event) { return static_cast<CUevent>(event); }
static CUmodule moduleOf(void *module) { return static_cast<CUmodule>(module); }
static CUfunction functionOf(void *function) {
  return static_cast<CUfunction>(function);
}

std::string CudaApi::describe(int status) const {
  return cuda.describe(status);
}
int CudaApi::allocate(uint64_t *address, size_t bytes) const {
  return cuda.cuMemAlloc_v2(address, bytes);
}
int CudaApi::release(uint64_t address) const {
  return cuda.cuMemFree_v2(address);
}
int CudaApi::allocateHost(void **address, size_t bytes) const {
  return cuda.cuMemHostAlloc(address, bytes, kHostPortable);
}
int CudaApi::releaseHost(void *address) const {
  return cuda.cuMemFreeHost(address);
}
int CudaApi::copyIn(uint64_t dst, const void *src, size_t bytes,
                    void *stream) const {
  return cuda.cuMemcpyHtoDAsync_v2(dst, src, bytes, streamOf(stream));
}
int CudaApi::copyOut(void *dst, uint64_t src, size_t bytes,
                     void *stream) const {
  return cuda.cuMemcpyDtoHAsync_v2(dst, src, bytes, streamOf(stream));
}
int CudaApi::copy(uint64_t dst, uint64_t src, size_t bytes,
                  void *stream) const {
  return cuda.cuMemcpyAsync(dst, src, bytes, streamOf(stream));
}
int CudaApi::fill(uint64_t dst, uint8_t value, size_t bytes,
                  void *stream) const {
  return cuda.cuMemsetD8Async(dst, value, bytes, streamOf(stream));
}
int CudaApi::createStream(void **stream) const {
  return cuda.cuStreamCreate(reinterpret_cast<CUstream *>(stream),
                             kStreamNonBlocking);
}
int CudaApi::destroyStream(void *stream) const {
  return cuda.cuStreamDestroy_v2(streamOf(stream));
}
int CudaApi::synchronize(void *stream) const {
  return cuda.cuStreamSynchronize(streamOf(stream));
}
int CudaApi::createEvent(void **event) const {
  return cuda.cuEventCreate(reinterpret_cast<CUevent *>(event), kEventDefault);
}
int CudaApi::destroyEvent(void *event) const {
  return cuda.cuEventDestroy_v2(eventOf(event));
}
int CudaApi::recordEvent(void *event, void *stream) const {
  return cuda.cuEventRecord(eventOf(event), streamOf(stream));
}
int CudaApi::awaitEvent(void *stream, void *event) const {
  return cuda.cuStreamWaitEvent(streamOf(stream), eventOf(event), 0);
}
int CudaApi::synchronizeEvent(void *event) const {
  return cuda.cuEventSynchronize(eventOf(event));
}
int CudaApi::elapsed(float *milliseconds, void *begin, void *end) const {
  return cuda.cuEventElapsedTime(milliseconds, eventOf(begin), eventOf(end));
}
int CudaCode::beginCapture(void *stream) const {
  return cuda.cuStreamBeginCapture_v2(streamOf(stream), kCaptureThreadLocal);
}
int CudaCode::endCapture(void *stream, void **graph) const {
  return cuda.cuStreamEndCapture(streamOf(stream),
                                 reinterpret_cast<CUgraph *>(graph));
}
int CudaCode::instantiate(void **executable, void *graph) const {
  return cuda.cuGraphInstantiateWithFlags(
      reinterpret_cast<CUgraphExec *>(executable), static_cast<CUgraph>(graph),
      0);
}
int CudaCode::launchGraph(void *executable, void *stream) const {
  return cuda.cuGraphLaunch(static_cast<CUgraphExec>(executable),
                            streamOf(stream));
}
int CudaCode::destroyExecutable(void *executable) const {
  return cuda.cuGraphExecDestroy(static_cast<CUgraphExec>(executable));
}
int CudaCode::destroyGraph(void *graph) const {
  return cuda.cuGraphDestroy(static_cast<CUgraph>(graph));
}
int CudaCode::unloadModule(void *module) const {
  return cuda.cuModuleUnload(moduleOf(module));
}
int CudaCode::findFunction(void **function, void *module,
                           const char *symbol) const {
  return cuda.cuModuleGetFunction(reinterpret_cast<CUfunction *>(function),
                                  moduleOf(module), symbol);
}
int CudaCode::findVariable(uint64_t *address, size_t *bytes, void *module,
                           const char *symbol) const {
  return cuda.cuModuleGetGlobal_v2(address, bytes, moduleOf(module), symbol);
}
int CudaCode::allowShared(void *function, int64_t bytes) const {
  return cuda.cuFuncSetAttribute(functionOf(function), kFunctionDynamicShared,
                                 int(bytes));
}
int CudaCode::countResident(int *blocks, void *function,
                            const LaunchShape &shape) const {
  return cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, functionOf(function), int(shape.numThreads()),
      size_t(shape.sharedBytes));
}

int CudaCode::launch(void *function, const LaunchShape &shape, void **arguments,
                     void *stream) const {
  CUlaunchAttribute attributes[4] = {};
  uint32_t count = 0;
  int64_t cluster = shape.numCluster();
  if (cluster > 1) {
    if (cluster > 8)
      if (CUresult result = cuda.cuFuncSetAttribute(
              functionOf(function), kFunctionNonPortableCluster, 1))
        return result;
    attributes[count].id = kLaunchCluster;
    attributes[count++].value.cluster = {uint32_t(cluster), 1, 1};
  }
  if (shape.isCooperative) {
    attributes[count].id = kLaunchCooperative;
    attributes[count++].value.cooperative = 1;
  }
  if (shape.own & kWaysDependent) {
    attributes[count].id = kLaunchDependent;
    attributes[count++].value.dependent = 1;
  }
  if (shape.priority) {
    attributes[count].id = kLaunchPriority;
    // CUDA's lower numbers go first.
    attributes[count++].value.priority = -int32_t(shape.priority);
  }
  CUlaunchConfig config = {};
  config.gridX = uint32_t(shape.grid[0]);
  config.gridY = uint32_t(shape.grid[1]);
  config.gridZ = uint32_t(shape.grid[2]);
  config.blockX = uint32_t(shape.threads[0]);
  config.blockY = uint32_t(shape.threads[1]);
  config.blockZ = uint32_t(shape.threads[2]);
  config.sharedBytes = uint32_t(shape.sharedBytes);
  config.stream = streamOf(stream);
  config.attributes = attributes;
  config.numAttributes = count;
  return cuda.cuLaunchKernelEx(&config, functionOf(function), arguments,
                               nullptr);
}

std::string NvidiaDevice::placeGrid(const KilnLaunch &launch,
                                    LaunchShape &shape) const {
  int64_t blocks = 1;
  for (int64_t extent : launch.grid)
    if (__builtin_mul_overflow(blocks, extent, &blocks) ||
        blocks > std::numeric_limits<int32_t>::max())
      return "unsupported: a grid of 2^31 instances or more";
  shape.grid[0] = blocks;
  shape.grid[1] = shape.grid[2] = 1;
  static_assert(kLaunchWays == KILN_LAUNCH_OWN);
  // As it is where that fits: the kernel need not divide then.
  constexpr int64_t most = 65535;
  if ((shape.own & kWaysAxes) && !shape.isPersistent &&
      shape.numCluster() <= 1 && launch.grid[1] <= most &&
      launch.grid[2] <= most)
    std::copy_n(launch.grid, 3, shape.grid);
  return "";
}

int kiln::nvidia::loadModule(KilnDevice *opened, const void *bytes,
                             uint64_t size, KilnModule **module,
                             KilnError *error) {
  std::vector<char> code;
  std::string problem = readModule(bytes, size, code);
  if (!problem.empty())
    return failDriver(error, problem);
  auto *device = static_cast<NvidiaDevice *>(opened);
  device->enter();
  char log[768] = "";
  int options[] = {kJitErrorLog, kJitErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  auto created = std::make_unique<KilnModule>();
  CUmodule loaded = nullptr;
  CUresult result = device->cuda->cuModuleLoadDataEx(&loaded, code.data(), 2,
                                                     options, values);
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
  created->module = loaded;
  if (streams::attachOutput(device, created.get(), code.data(), code.size(),
                            error)) {
    device->cuda->cuModuleUnload(loaded);
    return 1;
  }
  *module = created.release();
  return 0;
}
