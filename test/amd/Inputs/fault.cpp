// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches the first kernel of a package with a view that is larger than its
// buffer, at once and in a queue. Usage: fault DRIVER PACKAGE
#include <cstdio>
#include <dlfcn.h>
#include <kiln-c/Device.h>
#include <kiln/Runtime/Package.h>
#include <vector>

using namespace kiln::runtime;

int main(int argc, char **argv) {
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  if (!library)
    return std::puts(dlerror()), 1;
  auto get = reinterpret_cast<KilnGetDeviceDriverFn>(
      dlsym(library, "kilnGetDeviceDriver"));
  KilnDeviceHost host = {sizeof host, KILN_DEVICE_API_MAJOR,
                         KILN_DEVICE_API_MINOR};
  const KilnDeviceDriver &t = *get(&host);
  Expected<Package> package = readPackageFile(argv[2]);
  if (!package)
    return std::puts(package.message().c_str()), 1;
  const TargetProgram &target = package->targets.front();
  const KernelInfo &info = target.program.kernels.front();
  const auto &code = target.modules[info.module];
  KilnError error = {};
  KilnDevice *device = nullptr;
  KilnModule *module = nullptr;
  KilnKernel *kernel = nullptr;
  KilnQueue *queue = nullptr;
  KilnKernelDescription description = {};
  description.structSize = sizeof description;
  description.symbol = info.symbol.c_str();
  if (t.open("gfx942", &device, &error) ||
      t.loadModule(device, code.data, code.size, &module, &error) ||
      t.getKernel(device, module, &description, &kernel, &error) ||
      t.createQueue(device, &queue, &error))
    return std::puts(error.message), 1;
  const int64_t size = 5000, stride = 1;
  std::vector<KilnKernelArgument> arguments(info.params.size());
  std::vector<KilnBuffer *> buffers;
  for (size_t i = 0; i < arguments.size(); ++i) {
    KilnKernelArgument &argument = arguments[i];
    argument.dtype = KILN_DTYPE_F32;
    argument.rank = 1;
    argument.sizes = &size;
    argument.strides = &stride;
    // The second one is too small.
    if (t.allocate(device, 0, i == 1 ? 400 : 20000, 256, &argument.buffer,
                   &error))
      return std::puts(error.message), 1;
    buffers.push_back(argument.buffer);
  }
  KilnLaunchAttribute threads = {
      KILN_LAUNCH_THREADS, KILN_LAUNCH_REQUIRED, {256, 1, 1}};
  KilnLaunch launch = {};
  launch.structSize = sizeof launch;
  launch.kernel = kernel;
  launch.grid[0] = 5;
  launch.grid[1] = launch.grid[2] = 1;
  launch.numArguments = arguments.size();
  launch.arguments = arguments.data();
  launch.numAttributes = 1;
  launch.attributes = &threads;
  int queued = t.execute(device, queue, &launch, &error) ||
               t.synchronize(device, queue, &error);
  std::printf("%d %s\n", queued, error.message);
  int atOnce = t.execute(device, nullptr, &launch, &error);
  std::printf("%d %s\n", atOnce, error.message);
  t.destroyQueue(device, queue);
  t.unloadModule(device, module);
  for (KilnBuffer *buffer : buffers)
    t.release(device, buffer);
  t.close(device);
  return 0;
}
