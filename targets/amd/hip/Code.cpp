// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HIP's functions for the driver's common code; loading code objects and
// placing grids.
#include "../Seal.h"
#include "HipDevice.h"
#include <elf.h>
#include <limits>
#include <zlib.h>

using namespace kiln::amd;
using kiln::runtime::failDriver;
using kiln::streams::LaunchShape;

static void *pointer(uint64_t address) {
  return reinterpret_cast<void *>(address);
}

std::string HipApi::describe(int status) const { return hip.describe(status); }
int HipApi::allocate(uint64_t *address, size_t bytes) const {
  return hip.hipMalloc(reinterpret_cast<void **>(address), bytes);
}
int HipApi::release(uint64_t address) const {
  return hip.hipFree(pointer(address));
}
int HipApi::allocateHost(void **address, size_t bytes) const {
  return hip.hipHostMalloc(address, bytes, kHostPortable);
}
int HipApi::releaseHost(void *address) const {
  return hip.hipHostFree(address);
}
int HipApi::copyIn(uint64_t dst, const void *src, size_t bytes,
                   void *stream) const {
  return hip.hipMemcpyHtoDAsync(pointer(dst), src, bytes, stream);
}
int HipApi::copyOut(void *dst, uint64_t src, size_t bytes, void *stream) const {
  return hip.hipMemcpyDtoHAsync(dst, pointer(src), bytes, stream);
}
int HipApi::copy(uint64_t dst, uint64_t src, size_t bytes, void *stream) const {
  return hip.hipMemcpyAsync(pointer(dst), pointer(src), bytes, kCopyOnDevice,
                            stream);
}
int HipApi::fill(uint64_t dst, uint8_t value, size_t bytes,
                 void *stream) const {
  return hip.hipMemsetAsync(pointer(dst), value, bytes, stream);
}
int HipApi::createStream(void **stream) const {
  return hip.hipStreamCreateWithFlags(stream, kStreamNonBlocking);
}
int HipApi::destroyStream(void *stream) const {
  return hip.hipStreamDestroy(stream);
}
int HipApi::synchronize(void *stream) const {
  return hip.hipStreamSynchronize(stream);
}
int HipApi::createEvent(void **event) const {
  return hip.hipEventCreateWithFlags(event, kEventDefault);
}
int HipApi::destroyEvent(void *event) const {
  return hip.hipEventDestroy(event);
}
int HipApi::recordEvent(void *event, void *stream) const {
  return hip.hipEventRecord(event, stream);
}
int HipApi::awaitEvent(void *stream, void *event) const {
  return hip.hipStreamWaitEvent(stream, event, 0);
}
int HipApi::synchronizeEvent(void *event) const {
  return hip.hipEventSynchronize(event);
}
int HipApi::elapsed(float *milliseconds, void *begin, void *end) const {
  return hip.hipEventElapsedTime(milliseconds, begin, end);
}
int HipCode::beginCapture(void *stream) const {
  return hip.hipStreamBeginCapture(stream, kCaptureThreadLocal);
}
int HipCode::endCapture(void *stream, void **graph) const {
  return hip.hipStreamEndCapture(stream, graph);
}
int HipCode::instantiate(void **executable, void *graph) const {
  return hip.hipGraphInstantiate(executable, graph, nullptr, nullptr, 0);
}
int HipCode::launchGraph(void *executable, void *stream) const {
  return hip.hipGraphLaunch(executable, stream);
}
int HipCode::destroyExecutable(void *executable) const {
  return hip.hipGraphExecDestroy(executable);
}
int HipCode::destroyGraph(void *graph) const {
  return hip.hipGraphDestroy(graph);
}
int HipCode::unloadModule(void *module) const {
  return hip.hipModuleUnload(module);
}
int HipCode::findFunction(void **function, void *module,
                          const char *symbol) const {
  return hip.hipModuleGetFunction(function, module, symbol);
}
int HipCode::findVariable(uint64_t *address, size_t *bytes, void *module,
                          const char *symbol) const {
  return hip.hipModuleGetGlobal(reinterpret_cast<void **>(address), bytes,
                                module, symbol);
}
int HipCode::countResident(int *blocks, void *function,
                           const LaunchShape &shape) const {
  return hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, function, int(shape.numThreads()), size_t(shape.sharedBytes));
}

int HipCode::launch(void *function, const LaunchShape &shape, void **arguments,
                    void *stream) const {
  auto extent = [](int64_t value) { return unsigned(value); };
  const int64_t *grid = shape.grid, *block = shape.threads;
  if (shape.isCooperative)
    return hip.hipModuleLaunchCooperativeKernel(
        function, extent(grid[0]), extent(grid[1]), extent(grid[2]),
        extent(block[0]), extent(block[1]), extent(block[2]),
        extent(shape.sharedBytes), stream, arguments);
  return hip.hipModuleLaunchKernel(
      function, extent(grid[0]), extent(grid[1]), extent(grid[2]),
      extent(block[0]), extent(block[1]), extent(block[2]),
      extent(shape.sharedBytes), stream, arguments, nullptr);
}

std::string HipDevice::placeGrid(const KilnLaunch &launch,
                                 LaunchShape &shape) const {
  if (shape.isCooperative && !hasCooperative)
    return "unsupported: this device, or its version of ROCm, has no "
           "cooperative launches";
  // Packets count threads along an axis in 32 bits.
  for (int i = 0; i < 3; ++i) {
    int64_t threads = 0;
    if (__builtin_mul_overflow(launch.grid[i], shape.threads[i], &threads) ||
        threads < 0 || threads > std::numeric_limits<uint32_t>::max())
      return "unsupported: a grid of 2^32 threads or more along an axis";
    shape.grid[i] = launch.grid[i];
  }
  return "";
}

template <typename T> static T readAt(const char *bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

/// Empty, or why the library, which is not told how many bytes there are, must
/// not see a code object.
static std::string whyNoCode(const char *bytes, uint64_t size) {
  constexpr uint16_t kMachine = 224; // EM_AMDGPU
  if (size < sizeof(Elf64_Ehdr))
    return "its module is truncated";
  auto header = readAt<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "its module is no code object";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachine)
    return "its module is an object for another machine";
  auto holds = [&](uint64_t offset, uint64_t count, uint64_t each) {
    return offset <= size && (each == 0 || count <= (size - offset) / each);
  };
  if (header.e_shentsize != sizeof(Elf64_Shdr) || !header.e_shnum ||
      !holds(header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr)) ||
      header.e_phentsize != sizeof(Elf64_Phdr) || !header.e_phnum ||
      !holds(header.e_phoff, header.e_phnum, sizeof(Elf64_Phdr)))
    return "its module is truncated";
  for (uint32_t i = 0; i < header.e_shnum; ++i) {
    auto section =
        readAt<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
        !holds(section.sh_offset, section.sh_size, 1))
      return "its module is truncated";
  }
  // The compiler writes it; code objects of others have none.
  if (size < sizeof(Seal))
    return "";
  auto seal = readAt<Seal>(bytes, size - sizeof(Seal));
  if (std::memcmp(seal.mark, kSealMark, sizeof seal.mark) == 0 &&
      crc32_z(0, reinterpret_cast<const Bytef *>(bytes), size - sizeof(Seal)) !=
          seal.sum)
    return "its module is damaged";
  return "";
}

int kiln::amd::loadModule(KilnDevice *opened, const void *bytes, uint64_t size,
                          KilnModule **module, KilnError *error) {
  std::string problem = whyNoCode(static_cast<const char *>(bytes), size);
  if (!problem.empty())
    return failDriver(error, problem);
  auto *device = static_cast<HipDevice *>(opened);
  device->enter();
  auto created = std::make_unique<KilnModule>();
  if (streams::check(device,
                     device->hip->hipModuleLoadData(&created->module, bytes),
                     "its module cannot be loaded", error))
    return 1;
  if (streams::attachOutput(device, created.get(), bytes, size, error)) {
    device->hip->hipModuleUnload(created->module);
    return 1;
  }
  *module = created.release();
  return 0;
}
