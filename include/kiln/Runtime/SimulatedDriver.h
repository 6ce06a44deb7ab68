// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device driver for simulated machines whose modules hold one kernel each. A
// launch runs its instances one after the other in the calling thread, and has
// ended when the call returns. The header defines KilnDevice, KilnBuffer and
// KilnModule, so include it in one file of a driver.
#ifndef KILN_RUNTIME_SIMULATEDDRIVER_H
#define KILN_RUNTIME_SIMULATEDDRIVER_H

#include "kiln/Runtime/HostDriver.h"
#include <stdexcept>
#include <vector>

/// The device: its properties, and how much memory it has handed out.
struct KilnDevice {
  KilnDeviceProperties properties = {};
  uint64_t used = 0; ///< bytes of its memory
};
/// Memory of the device, which is the host's.
struct KilnBuffer {
  std::vector<char> memory;
};
/// The words of one kernel; the module is its kernel.
struct KilnModule {
  std::string name;
  std::vector<int64_t> words;
};

namespace kiln::runtime {

/// The parameter `number` of a launch, which must be a view; throws where it is
/// not.
inline const KilnKernelArgument &viewOf(const KilnLaunch &launch,
                                        int64_t number) {
  if (number < 0 || uint64_t(number) >= launch.numArguments ||
      launch.arguments[number].isScalar)
    throw std::runtime_error("a parameter that is no view");
  return launch.arguments[number];
}

/// The address of an element of a view by its coordinates, one per dimension;
/// null outside of the view. Throws where the view leaves its buffer.
inline char *elementOf(const KilnKernelArgument &view,
                       const std::vector<int64_t> &coords, uint64_t bytes) {
  if (coords.size() != view.rank)
    throw std::runtime_error("an access of the wrong rank");
  uint64_t byte = view.byteOffset;
  for (size_t d = 0; d < coords.size(); ++d) {
    if (coords[d] < 0 || coords[d] >= view.sizes[d])
      return nullptr;
    byte += uint64_t(coords[d]) * uint64_t(view.strides[d]) * bytes;
  }
  uint64_t size = view.buffer->memory.size();
  if (size < bytes || byte > size - bytes)
    throw std::runtime_error("an access outside of its buffer");
  return view.buffer->memory.data() + byte;
}

/// The driver of a machine. `Machine` has, as static members,
///
///   constexpr const char *kName;     // of the driver, as in its file's name
///   constexpr const char *kTitle;    // text that describes the device
///   constexpr KilnMemoryKind kMemory; // its only memory
///   void run(const KilnLaunch &, const int64_t id[3],
///            const std::vector<int64_t> &words);
///
/// `run` executes the program instance `id` (x, y, z in the grid). The message
/// of an exception that it throws becomes the error of the launch. A module
/// is `KMACHIN2`, the size of the name in bytes (a multiple of 8), that
/// of the program in words, the name padded by zeros, and words of 64 bits, all
/// little-endian.
template <typename Machine>
struct SimulatedDriver : HostDriver<SimulatedDriver<Machine>> {
  static int open(const char *options, KilnDevice **device, KilnError *error) {
    // "chip,key=value" of the compiler, then ",," and what the caller adds.
    const char *added = std::strstr(options, ",,");
    if (added && added[2])
      return failDriver(error,
                        std::string("it has no option '") + (added + 2) + "'");
    // "requires=NAME+..." of the package: what its code needs.
    std::string own(options,
                    added ? size_t(added - options) : std::strlen(options));
    if (size_t at = own.find("requires="); at != own.npos)
      return failDriver(error,
                        "this machine does not have '" +
                            own.substr(at + 9, own.find(',', at) - at - 9) +
                            "', which the code needs");
    *device = new KilnDevice();
    (*device)->properties = {sizeof(KilnDeviceProperties),
                             Machine::kTitle,
                             1,
                             1,
                             &Machine::kMemory,
                             0,
                             0,
                             nullptr};
    return 0;
  }
  static void close(KilnDevice *device) { delete device; }
  static const KilnDeviceProperties *properties(KilnDevice *device) {
    return &device->properties;
  }

  static int allocate(KilnDevice *device, uint32_t kind, uint64_t bytes,
                      uint64_t, KilnBuffer **buffer, KilnError *error) {
    if (kind != 0)
      return failDriver(error, "there is only memory kind 0");
    if (bytes > Machine::kMemory.bytes - device->used)
      return failDriver(error, "out of memory");
    device->used += bytes;
    *buffer = new KilnBuffer();
    (*buffer)->memory.reserve(1); // has an address when it is empty, too
    (*buffer)->memory.resize(bytes);
    return 0;
  }
  static void release(KilnDevice *device, KilnBuffer *buffer) {
    device->used -= buffer->memory.size();
    delete buffer;
  }
  static char *range(KilnBuffer *buffer, uint64_t offset, uint64_t bytes) {
    uint64_t size = buffer->memory.size();
    return offset <= size && bytes <= size - offset
               ? buffer->memory.data() + offset
               : nullptr;
  }

  static int loadModule(KilnDevice *, const void *bytes, uint64_t size,
                        KilnModule **module, KilnError *error) {
    const char *text = static_cast<const char *>(bytes);
    uint64_t sizes[2] = {};
    if (size >= 24)
      std::memcpy(sizes, text + 8, 16);
    bool isWhole = size >= 24 && std::memcmp(text, "KMACHIN2", 8) == 0 &&
                   sizes[0] <= size - 24 && sizes[1] > 0 &&
                   sizes[1] == (size - 24 - sizes[0]) / 8 &&
                   (size - sizes[0]) % 8 == 0;
    if (!isWhole)
      return failDriver(error,
                        std::string("this is no code for ") + Machine::kName);
    *module = new KilnModule();
    std::string name(text + 24, sizes[0]);
    (*module)->name = name.substr(0, name.find('\0')); // up to the padding
    (*module)->words.resize(sizes[1]);
    std::memcpy((*module)->words.data(), text + 24 + sizes[0], sizes[1] * 8);
    return 0;
  }
  static void unloadModule(KilnDevice *, KilnModule *module) { delete module; }
  static int getKernel(KilnDevice *, KilnModule *module,
                       const KilnKernelDescription *description,
                       KilnKernel **kernel, KilnError *error) {
    if (module->name != description->symbol)
      return failDriver(error, std::string("there is no kernel '") +
                                   description->symbol + "'");
    *kernel = reinterpret_cast<KilnKernel *>(module);
    return 0;
  }

  static int execute(KilnDevice *, KilnQueue *, const KilnLaunch *launch,
                     KilnError *error) {
    auto *module = reinterpret_cast<const KilnModule *>(launch->kernel);
    try {
      for (int64_t z = 0; z < launch->grid[2]; ++z)
        for (int64_t y = 0; y < launch->grid[1]; ++y)
          for (int64_t x = 0; x < launch->grid[0]; ++x) {
            const int64_t id[3] = {x, y, z};
            Machine::run(*launch, id, module->words);
          }
    } catch (const std::exception &problem) {
      return failDriver(error, problem.what());
    }
    return 0;
  }

  static const KilnDeviceDriver *table() {
    static const KilnDeviceDriver made =
        HostDriver<SimulatedDriver<Machine>>::table(Machine::kName);
    return &made;
  }
};

} // namespace kiln::runtime

#endif
