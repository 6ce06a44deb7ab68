// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of the reference device: memory, modules, the entry point.
#include "Reference.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include <cstring>
#include <new>

using namespace kiln::reference;
using kiln::eval::Buffer;

KILN_PLUGIN_NOTE(KILN_DEVICE_API_MAJOR, KILN_DEVICE_API_MINOR,
                 LLVM_VERSION_MAJOR, LLVM_VERSION_MINOR);

KilnDeviceHost kiln::reference::runtimeHost = {};

namespace {

enum class Option { Applied, Unknown, Wrong };

/// One item of the text behind the name in a SPEC; explains what is wrong.
Option applyOption(llvm::StringRef part, KilnDevice &device, KilnError *error) {
  if (part.empty() || part == "host")
    return Option::Applied;
  if (part == "races=error" || part == "races=warn") {
    device.racesAreErrors = part == "races=error";
    return Option::Applied;
  }
  llvm::StringRef number = part;
  if (number.consume_front("seed=") && number.getAsInteger(10, device.seed)) {
    fail(error, "expected seed=N with N from 0 to 2^64 - 1, found '" +
                    part.str() + "'");
    return Option::Wrong;
  }
  if (number.size() < part.size())
    return Option::Applied;
  if (number.consume_front("perturb=") &&
      number.getAsInteger(10, device.perturbation)) {
    fail(error, "expected perturb=N, found '" + part.str() + "'");
    return Option::Wrong;
  }
  return number.size() < part.size() ? Option::Applied : Option::Unknown;
}

struct Driver : kiln::runtime::HostDriver<Driver> {
  static int open(const char *options, KilnDevice **device, KilnError *error) {
    // What the package was compiled with may hold keys of the compiler; the
    // caller's part, behind an empty item, may not.
    auto created = std::make_unique<KilnDevice>();
    auto [compiled, added] =
        llvm::StringRef(options ? options : "").split(",,");
    for (llvm::StringRef part : llvm::split(compiled, ','))
      if (applyOption(part, *created, error) == Option::Wrong)
        return 1;
    for (llvm::StringRef part : llvm::split(added, ','))
      switch (applyOption(part, *created, error)) {
      case Option::Applied:
        break;
      case Option::Unknown:
        return fail(error, "expected races=warn, races=error, seed=N or "
                           "perturb=N, found '" +
                               part.str() + "'");
      case Option::Wrong:
        return 1;
      }
    *device = created.release();
    return 0;
  }

  static void close(KilnDevice *device) { delete device; }

  static const KilnDeviceProperties *properties(KilnDevice *device) {
    return &device->properties;
  }

  static int allocate(KilnDevice *, uint32_t memoryKind, uint64_t bytes,
                      uint64_t alignment, KilnBuffer **buffer,
                      KilnError *error) {
    if (memoryKind != 0)
      return fail(error, "there is only memory kind 0");
    if (bytes > uint64_t(1) << 40 || alignment > 64)
      return fail(error, std::to_string(bytes) + " bytes with alignment " +
                             std::to_string(alignment) + " are out of range");
    try {
      *buffer = new KilnBuffer{std::make_shared<Buffer>(bytes)};
    } catch (const std::bad_alloc &) {
      return fail(error, "no memory for " + std::to_string(bytes) + " bytes");
    }
    return 0;
  }

  static void release(KilnDevice *, KilnBuffer *buffer) { delete buffer; }

  /// The address of a range of a buffer, or null when it is not inside.
  static char *range(const KilnBuffer *buffer, uint64_t offset,
                     uint64_t bytes) {
    uint64_t size = buffer->buffer->bytes;
    bool isInside = offset <= size && bytes <= size - offset;
    return isInside ? buffer->buffer->data() + offset : nullptr;
  }

  static void wrote(KilnBuffer *buffer, uint64_t offset, uint64_t bytes) {
    buffer->buffer->markWritten(offset, offset + bytes);
  }

  /// What was not written before the copy is not written after it either.
  static int copy(KilnDevice *device, KilnQueue *queue, KilnBuffer *dst,
                  uint64_t dstOffset, KilnBuffer *src, uint64_t srcOffset,
                  uint64_t bytes, KilnError *error) {
    if (HostDriver::copy(device, queue, dst, dstOffset, src, srcOffset, bytes,
                         error))
      return 1;
    if (const uint8_t *written = src->buffer->written())
      for (uint64_t i = 0; i < bytes; ++i)
        if (!written[srcOffset + i])
          dst->buffer->markUnwritten(dstOffset + i, dstOffset + i + 1);
    return 0;
  }

  static int loadModule(KilnDevice *device, const void *bytes, uint64_t size,
                        KilnModule **module, KilnError *error) {
    auto created = std::make_unique<KilnModule>();
    llvm::StringRef text(static_cast<const char *>(bytes), size);
    if (created->load(text, error))
      return 1;
    created->evaluator->races.areErrors = device->racesAreErrors;
    created->evaluator->seed = device->seed;
    created->perturbation = device->perturbation;
    *module = created.release();
    return 0;
  }

  static void unloadModule(KilnDevice *, KilnModule *module) { delete module; }

  static int getKernel(KilnDevice *, KilnModule *module,
                       const KilnKernelDescription *description,
                       KilnKernel **kernel, KilnError *error) {
    llvm::StringRef symbol(description->symbol);
    auto created = std::make_unique<KilnKernel>();
    created->module = module;
    created->onlySizes = symbol.consume_back(":sizes");
    created->function = module->evaluator->lookup(symbol);
    if (!created->function)
      return fail(error, "the module has no function or kernel '" +
                             symbol.str() + "'");
    *kernel = created.get();
    module->kernels.push_back(std::move(created));
    return 0;
  }

  static int execute(KilnDevice *, KilnQueue *, const KilnLaunch *launch,
                     KilnError *error) {
    try {
      return launch->kernel->module->execute(*launch->kernel, *launch, error);
    } catch (const std::bad_alloc &) {
      return fail(error, "out of memory");
    }
  }
};

} // namespace

__attribute__((visibility("default"))) const KilnDeviceDriver *
kilnGetDeviceDriver(const KilnDeviceHost *host) {
  if (!host || host->apiMajor != KILN_DEVICE_API_MAJOR)
    return nullptr;
  std::memcpy(&runtimeHost, host,
              std::min(host->structSize, sizeof(KilnDeviceHost)));
  static const KilnDeviceDriver table = Driver::table("reference");
  return &table;
}
