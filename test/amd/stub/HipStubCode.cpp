// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules and launches of the stub.
#include "HipStub.h"
#include <cstdio>
#include <elf.h>

using namespace stub;
using namespace kiln::amd::sim;

#define HIP extern "C" __attribute__((visibility("default")))
#define BEGIN(name)                                                            \
  Call call(#name);                                                            \
  if (call.planned)                                                            \
    return call.planned;

/// Bytes of a code object, which says itself where it ends.
static size_t sizeOf(const void *image) {
  auto *header = static_cast<const Elf64_Ehdr *>(image);
  return header->e_shoff + size_t(header->e_shnum) * header->e_shentsize;
}

HIP int hipModuleLoadData(void **module, const void *image) {
  BEGIN(hipModuleLoadData)
  auto made = std::make_unique<Module>();
  made->device = currentDevice;
  std::string problem;
  made->code = Code::load(image, sizeOf(image), call.state.memory, problem);
  if (!made->code)
    return kInvalidValue;
  call.state.modules.insert(made.get());
  *module = made.release();
  return 0;
}
HIP int hipModuleUnload(void *module) {
  BEGIN(hipModuleUnload)
  if (!call.knows(call.state.modules, module, "module"))
    return kInvalidHandle;
  auto *old = static_cast<Module *>(module);
  if (old->pending)
    call.bad(0, "a module whose kernels have not run");
  drainAll(call.state, old->device);
  for (void *function : old->functions) {
    delete call.state.functions[function];
    call.state.functions.erase(function);
  }
  for (char *variable : old->variables)
    call.state.variables.erase(variable);
  call.state.modules.erase(module);
  delete old;
  return 0;
}
HIP int hipModuleGetFunction(void **function, void *module,
                             const char *symbol) {
  BEGIN(hipModuleGetFunction)
  if (!call.knows(call.state.modules, module, "module"))
    return kInvalidHandle;
  auto *in = static_cast<Module *>(module);
  const KernelInfo *info = in->code->kernel(symbol);
  if (!info)
    return kNotFound;
  auto *made = new Function{in, info};
  call.state.functions[made] = made;
  in->functions.insert(made);
  *function = made;
  return 0;
}
HIP int hipModuleGetGlobal(void **address, size_t *bytes, void *module,
                           const char *symbol) {
  BEGIN(hipModuleGetGlobal)
  if (!call.knows(call.state.modules, module, "module"))
    return kInvalidHandle;
  uint64_t size = 0;
  uint8_t *variable =
      static_cast<Module *>(module)->code->variable(symbol, size);
  if (!variable)
    return kNotFound;
  auto *begin = reinterpret_cast<char *>(variable);
  call.state.variables[begin] = size;
  static_cast<Module *>(module)->variables.insert(begin);
  *address = variable;
  *bytes = size;
  return 0;
}
HIP int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *,
                                                           int, size_t) {
  BEGIN(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor)
  *blocks = 1;
  return 0;
}

/// The bytes of the arguments, whose sizes are in the code object.
static std::vector<uint8_t> pack(const KernelInfo &info, void **parameters) {
  std::vector<uint8_t> kernarg(info.kernargBytes);
  for (const KernelArgument &argument : info.arguments)
    if (argument.kind.rfind("hidden_", 0) != 0)
      std::memcpy(kernarg.data() + argument.offset, *parameters++,
                  argument.size);
  return kernarg;
}

static int launch(Call &call, void *function, const unsigned *grid,
                  const unsigned *block, unsigned shared, void *stream,
                  void **parameters, bool isCooperative) {
  auto found = call.state.functions.find(function);
  if (found == call.state.functions.end())
    return call.bad(kInvalidHandle, "a function that is none");
  if (!call.knowsStream(stream))
    return kInvalidHandle;
  Function *kernel = found->second;
  if (kernel->module->device != currentDevice)
    return call.bad(kInvalidHandle, "a function of another device");
  LaunchOptions options;
  for (int i = 0; i < 3; ++i) {
    if (!grid[i] || !block[i] || uint64_t(grid[i]) * block[i] > ~0u)
      return call.bad(kInvalidValue, "a grid or workgroup of such extents");
    options.grid[i] = grid[i];
    options.threads[i] = block[i];
  }
  options.dynamicLds = shared;
  options.isCooperative = isCooperative;
  std::vector<uint8_t> kernarg = pack(*kernel->info, parameters);
  bool isCaptured = static_cast<Stream *>(stream)->capture;
  Module *module = kernel->module;
  module->pending += !isCaptured;
  return enqueue(stream, [=, &state = call.state] {
    module->pending -= !isCaptured;
    Counters counters;
    std::string problem = runKernel(*module->code, *kernel->info, kernarg,
                                    state.memory, options, counters);
    if (problem.empty())
      return 0;
    std::fprintf(stderr, "HIP stub: %s\n", problem.c_str());
    return int(kIllegalAddress);
  });
}

HIP int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy,
                              unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared, void *stream,
                              void **parameters, void **) {
  BEGIN(hipModuleLaunchKernel)
  const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  return launch(call, function, grid, block, shared, stream, parameters, false);
}
#ifndef HIP_STUB_OLD
HIP int hipModuleLaunchCooperativeKernel(void *function, unsigned gx,
                                         unsigned gy, unsigned gz, unsigned bx,
                                         unsigned by, unsigned bz,
                                         unsigned shared, void *stream,
                                         void **parameters) {
  BEGIN(hipModuleLaunchCooperativeKernel)
  const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  return launch(call, function, grid, block, shared, stream, parameters, true);
}
#endif
