// The table of the reference device: memory, modules, the entry point.
#include "Reference.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include <cstring>

using namespace kiln::reference;
using kiln::eval::Buffer;

KILN_PLUGIN_NOTE(KILN_DEVICE_API_MAJOR, KILN_DEVICE_API_MINOR,
                 LLVM_VERSION_MAJOR, LLVM_VERSION_MINOR);

int kiln::reference::fail(KilnError *error, const std::string &message) {
  if (error) {
    size_t length = message.copy(error->message, sizeof(error->message) - 1);
    error->message[length] = 0;
  }
  return 1;
}

namespace {

int open(const char *options, KilnDevice **device, KilnError *error) {
  auto created = std::make_unique<KilnDevice>();
  for (llvm::StringRef part : llvm::split(options ? options : "", ',')) {
    if (part.empty() || part == "host")
      continue;
    if (part != "races=error" && part != "races=warn")
      return fail(error, "expected races=warn or races=error, found '" +
                             part.str() + "'");
    created->racesAreErrors = part == "races=error";
  }
  *device = created.release();
  return 0;
}

void close(KilnDevice *device) { delete device; }

const KilnDeviceProperties *properties(KilnDevice *device) {
  return &device->properties;
}

int allocate(KilnDevice *, uint32_t memoryKind, uint64_t bytes,
             uint64_t alignment, KilnBuffer **buffer, KilnError *error) {
  if (memoryKind != 0)
    return fail(error, "there is only memory kind 0");
  if (bytes > uint64_t(1) << 40 || alignment > 64)
    return fail(error, std::to_string(bytes) + " bytes with alignment " +
                           std::to_string(alignment) + " are out of range");
  *buffer = new KilnBuffer{std::make_shared<Buffer>(bytes)};
  return 0;
}

void release(KilnDevice *, KilnBuffer *buffer) { delete buffer; }

/// Whether a range lies inside of a buffer.
bool isInside(const KilnBuffer *buffer, uint64_t offset, uint64_t bytes) {
  uint64_t size = buffer->buffer->bytes;
  return offset <= size && bytes <= size - offset;
}

int outside(KilnError *error) {
  return fail(error, "the range is outside of the buffer");
}

int copyIn(KilnDevice *, KilnQueue *, KilnBuffer *dst, uint64_t offset,
           const void *src, uint64_t bytes, KilnError *error) {
  if (!isInside(dst, offset, bytes))
    return outside(error);
  std::memmove(dst->buffer->data() + offset, src, bytes);
  dst->buffer->markWritten(offset, offset + bytes);
  return 0;
}

int copyOut(KilnDevice *, KilnQueue *, void *dst, KilnBuffer *src,
            uint64_t offset, uint64_t bytes, KilnError *error) {
  if (!isInside(src, offset, bytes))
    return outside(error);
  std::memmove(dst, src->buffer->data() + offset, bytes);
  return 0;
}

int copy(KilnDevice *, KilnQueue *, KilnBuffer *dst, uint64_t dstOffset,
         KilnBuffer *src, uint64_t srcOffset, uint64_t bytes,
         KilnError *error) {
  if (!isInside(dst, dstOffset, bytes) || !isInside(src, srcOffset, bytes))
    return outside(error);
  std::memmove(dst->buffer->data() + dstOffset, src->buffer->data() + srcOffset,
               bytes);
  // What was not written before the copy is not written after it either.
  dst->buffer->markWritten(dstOffset, dstOffset + bytes);
  if (const uint8_t *written = src->buffer->written())
    for (uint64_t i = 0; i < bytes; ++i)
      if (!written[srcOffset + i])
        dst->buffer->markUnwritten(dstOffset + i, dstOffset + i + 1);
  return 0;
}

int fillBuffer(KilnDevice *, KilnQueue *, KilnBuffer *dst, uint64_t offset,
               uint64_t bytes, uint8_t value, KilnError *error) {
  if (!isInside(dst, offset, bytes))
    return outside(error);
  std::memset(dst->buffer->data() + offset, value, bytes);
  dst->buffer->markWritten(offset, offset + bytes);
  return 0;
}

int loadModule(KilnDevice *device, const void *bytes, uint64_t size,
               KilnModule **module, KilnError *error) {
  auto created = std::make_unique<KilnModule>();
  llvm::StringRef text(static_cast<const char *>(bytes), size);
  if (created->load(text, error))
    return 1;
  created->evaluator->races.areErrors = device->racesAreErrors;
  *module = created.release();
  return 0;
}

void unloadModule(KilnDevice *, KilnModule *module) { delete module; }

int getKernel(KilnDevice *, KilnModule *module,
              const KilnKernelDescription *description, KilnKernel **kernel,
              KilnError *error) {
  llvm::StringRef symbol(description->symbol);
  auto created = std::make_unique<KilnKernel>();
  created->module = module;
  created->onlySizes = symbol.consume_back(":sizes");
  created->function = module->evaluator->lookup(symbol);
  if (!created->function)
    return fail(error,
                "the module has no function or kernel '" + symbol.str() + "'");
  *kernel = created.get();
  module->kernels.push_back(std::move(created));
  return 0;
}

int execute(KilnDevice *, KilnQueue *, const KilnLaunch *launch,
            KilnError *error) {
  return launch->kernel->module->execute(*launch->kernel, *launch, error);
}

} // namespace

__attribute__((visibility("default"))) const KilnDeviceDriver *
kilnGetDeviceDriver(const KilnDeviceHost *host) {
  if (!host || host->apiMajor != KILN_DEVICE_API_MAJOR)
    return nullptr;
  static const KilnDeviceDriver table = [] {
    KilnDeviceDriver t = {};
    t.structSize = sizeof(KilnDeviceDriver);
    t.apiMajor = KILN_DEVICE_API_MAJOR;
    t.apiMinor = KILN_DEVICE_API_MINOR;
    t.name = "reference";
    t.open = open;
    t.close = close;
    t.properties = properties;
    t.allocate = allocate;
    t.release = release;
    t.copyIn = copyIn;
    t.copyOut = copyOut;
    t.copy = copy;
    t.fill = fillBuffer;
    t.loadModule = loadModule;
    t.unloadModule = unloadModule;
    t.getKernel = getKernel;
    t.execute = execute;
    return t;
  }();
  return &table;
}
