// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the driver share. Private to this folder.
#ifndef KILN_TARGETS_NVIDIA_DEVICE_NVIDIADEVICE_H
#define KILN_TARGETS_NVIDIA_DEVICE_NVIDIADEVICE_H

#include "Cuda.h"
#include "Seal.h"
#include "StreamDevice.h"

namespace kiln::nvidia {

/// CUDA's driver API for the driver's common code.
class CudaApi : public streams::StreamApi {
public:
  explicit CudaApi(const Cuda &cuda) : cuda(cuda) {}

  std::string describe(int status) const override;
  int allocate(uint64_t *address, size_t bytes) const override;
  int release(uint64_t address) const override;
  int allocateHost(void **address, size_t bytes) const override;
  int releaseHost(void *address) const override;
  int copyIn(uint64_t dst, const void *src, size_t bytes,
             void *stream) const override;
  int copyOut(void *dst, uint64_t src, size_t bytes,
              void *stream) const override;
  int copy(uint64_t dst, uint64_t src, size_t bytes,
           void *stream) const override;
  int fill(uint64_t dst, uint8_t value, size_t bytes,
           void *stream) const override;
  int createStream(void **stream) const override;
  int destroyStream(void *stream) const override;
  int synchronize(void *stream) const override;
  int createEvent(void **event) const override;
  int destroyEvent(void *event) const override;
  int recordEvent(void *event, void *stream) const override;
  int awaitEvent(void *stream, void *event) const override;
  int synchronizeEvent(void *event) const override;
  int elapsed(float *milliseconds, void *begin, void *end) const override;

private:
  const Cuda &cuda;
};

/// The same for code.
class CudaCode : public streams::CodeApi {
public:
  explicit CudaCode(const Cuda &cuda) : cuda(cuda) {}

  int beginCapture(void *stream) const override;
  int endCapture(void *stream, void **graph) const override;
  int instantiate(void **executable, void *graph) const override;
  int launchGraph(void *executable, void *stream) const override;
  int destroyExecutable(void *executable) const override;
  int destroyGraph(void *graph) const override;
  int unloadModule(void *module) const override;
  int findFunction(void **function, void *module,
                   const char *symbol) const override;
  int findVariable(uint64_t *address, size_t *bytes, void *module,
                   const char *symbol) const override;
  int allowShared(void *function, int64_t bytes) const override;
  int countResident(int *blocks, void *function,
                    const streams::LaunchShape &shape) const override;
  int launch(void *function, const streams::LaunchShape &shape,
             void **arguments, void *stream) const override;

private:
  const Cuda &cuda;
};

/// One open device: the primary context, which programs that embed the runtime
/// and other libraries share.
struct NvidiaDevice : KilnDevice {
  const Cuda *cuda = nullptr;
  std::unique_ptr<CudaApi> cudaApi;
  std::unique_ptr<CudaCode> cudaCode;
  CUdevice number = 0;
  CUcontext context = nullptr;
  int compute = 0; ///< 90 for compute capability 9.0

  void enter() const override { cuda->cuCtxSetCurrent(context); }
  /// Blocks form one dimension, from whose number and the extents kernels find
  /// their place; three where the kernel knows them.
  std::string placeGrid(const KilnLaunch &launch,
                        streams::LaunchShape &shape) const override;
  /// Tensor maps (TensorMap.h).
  std::string encode(const KilnArgumentEncoding &recipe,
                     const KilnKernelArgument &view,
                     streams::Encoded &into) const override;
};

/// Takes a module apart: PTX, which gets the zero that ends it, or a sealed
/// cubin. Empty, or why CUDA's loader, which is not told how many bytes there
/// are, must not see it.
std::string readModule(const void *bytes, uint64_t size,
                       std::vector<char> &code);
int loadModule(KilnDevice *device, const void *bytes, uint64_t size,
               KilnModule **module, KilnError *error);

} // namespace kiln::nvidia

#endif
