// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening devices, and the table.
#include "NvidiaDevice.h"
#include "TensorMap.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace kiln::nvidia;
using kiln::runtime::failDriver;
using kiln::streams::check;

KILN_DEVICE_NOTE();

namespace {

/// What "sm_90a" needs of a device: at least that, or, for a chip's own
/// instructions, exactly that.
std::string whyNotChip(const std::string &chip, int compute) {
  if (chip.rfind("sm_", 0) != 0)
    return "";
  char *end = nullptr;
  long wanted = std::strtol(chip.c_str() + 3, &end, 10);
  std::string found = "sm_" + std::to_string(compute);
  if (end == chip.c_str() + 3 ||
      (*end && std::string(end) != "a" && std::string(end) != "f"))
    return "'" + chip + "' is no chip";
  if (*end == 'a' ? wanted != compute : wanted > compute)
    return "the code is for " + chip + ", this device is " + found;
  return "";
}

/// "chip,key=value,…" of the package, then ",," and what the caller adds.
std::string whyNotOptions(const std::string &text, int compute) {
  size_t added = text.find(",,");
  std::string given = text.substr(0, added);
  if (added != std::string::npos && added + 2 < text.size())
    return "it has no option '" + text.substr(added + 2) + "'";
  size_t begin = 0;
  while (begin <= given.size()) {
    size_t end = std::min(given.find(',', begin), given.size());
    std::string item = given.substr(begin, end - begin);
    std::string needs = item.rfind("requires=", 0) == 0 ? item.substr(9) : item;
    for (size_t at = 0; at <= needs.size();) {
      size_t stop = std::min(needs.find('+', at), needs.size());
      std::string why = whyNotChip(needs.substr(at, stop - at), compute);
      if (!why.empty())
        return why;
      at = stop + 1;
    }
    begin = end + 1;
  }
  return "";
}

void close(KilnDevice *opened) {
  auto *device = static_cast<NvidiaDevice *>(opened);
  if (device->context) {
    device->enter();
    if (device->immediate)
      device->api->destroyStream(device->immediate);
    device->cuda->cuDevicePrimaryCtxRelease_v2(device->number);
  }
  delete device;
}

int prepare(NvidiaDevice *device, const char *options, KilnError *error) {
  const Cuda &cuda = *device->cuda;
  int major = 0, minor = 0, cores = 0, shared = 0;
  size_t memory = 0;
  char name[256] = "";
  for (auto [into, attribute] :
       {std::pair(&major, kComputeMajor), std::pair(&minor, kComputeMinor),
        std::pair(&cores, kMultiprocessors),
        std::pair(&shared, kMaxSharedOptIn)})
    if (check(device,
              cuda.cuDeviceGetAttribute(into, attribute, device->number),
              "cuDeviceGetAttribute", error))
      return 1;
  device->compute = 10 * major + minor;
  device->maxShared = shared;
  std::string problem = whyNotOptions(options ? options : "", device->compute);
  if (!problem.empty())
    return failDriver(error, problem);
  if (check(device, cuda.cuDeviceGetName(name, sizeof name, device->number),
            "cuDeviceGetName", error) ||
      check(device, cuda.cuDeviceTotalMem_v2(&memory, device->number),
            "cuDeviceTotalMem", error) ||
      check(device,
            cuda.cuDevicePrimaryCtxRetain(&device->context, device->number),
            "cuDevicePrimaryCtxRetain", error))
    return 1;
  device->enter();
  if (check(device, device->api->createStream(&device->immediate),
            "creating a stream", error))
    return 1;
  device->name =
      std::string(name) + " (sm_" + std::to_string(device->compute) + ")";
  device->kinds[0] = {"global", 0, 256, memory};
  device->kinds[1] = {"host", KILN_MEMORY_HOST_VISIBLE, 256, 0};
  KilnDeviceProperties &properties = device->properties;
  properties.structSize = sizeof properties;
  properties.name = device->name.c_str();
  properties.numCores = uint32_t(cores);
  properties.numMemoryKinds = 2;
  properties.memoryKinds = device->kinds;
  properties.dlpackType = 2; // kDLCUDA
  properties.dlpackNumber = device->number;
  properties.communication = "nccl";
  return 0;
}

int openNumbered(uint32_t number, const char *options, KilnDevice **device,
                 KilnError *error) {
  std::string problem;
  const Cuda *cuda = Cuda::get(problem);
  if (!cuda)
    return failDriver(error, problem);
  auto created = std::make_unique<NvidiaDevice>();
  created->cuda = cuda;
  created->cudaApi = std::make_unique<CudaApi>(*cuda);
  created->api = created->cudaApi.get();
  created->cudaCode = std::make_unique<CudaCode>(*cuda);
  created->code = created->cudaCode.get();
  int count = 0;
  if (check(created.get(), cuda->cuDeviceGetCount(&count), "cuDeviceGetCount",
            error))
    return 1;
  if (number >= uint32_t(count))
    return failDriver(error, "there are " + std::to_string(count) +
                                 " devices, counted from 0, and no device " +
                                 std::to_string(number));
  if (check(created.get(), cuda->cuDeviceGet(&created->number, int(number)),
            "cuDeviceGet", error))
    return 1;
  NvidiaDevice *opened = created.release();
  if (prepare(opened, options, error)) {
    close(opened);
    return 1;
  }
  *device = opened;
  return 0;
}

int open(const char *options, KilnDevice **device, KilnError *error) {
  return openNumbered(0, options, device, error);
}

int countDevices(uint32_t *count, KilnError *error) {
  std::string problem;
  const Cuda *cuda = Cuda::get(problem);
  int found = 0;
  if (!cuda || cuda->cuDeviceGetCount(&found))
    return failDriver(error, cuda ? "the devices cannot be counted" : problem);
  *count = uint32_t(found);
  return 0;
}

const KilnDeviceProperties *properties(KilnDevice *device) {
  return &device->properties;
}

int knowsRecipe(KilnDevice *device, const char *recipe) {
  return static_cast<NvidiaDevice *>(device)->cuda->cuTensorMapEncodeTiled &&
         std::strcmp(recipe, kTensorMapRecipe) == 0;
}

int knowsAttribute(KilnDevice *, uint32_t tag) {
  return tag == KILN_LAUNCH_THREADS || tag == KILN_LAUNCH_CLUSTER ||
         tag == KILN_LAUNCH_LOCAL_BYTES || tag == KILN_LAUNCH_COOPERATIVE ||
         tag == KILN_LAUNCH_PERSISTENT || tag == KILN_LAUNCH_PRIORITY;
}

} // namespace

const KilnDeviceDriver *kilnGetDeviceDriver(const KilnDeviceHost *host) {
  if (!host || host->apiMajor != KILN_DEVICE_API_MAJOR)
    return nullptr;
  kiln::streams::theHost = host;
  static const KilnDeviceDriver table = [] {
    KilnDeviceDriver t = {};
    kiln::streams::addEntries(t);
    t.name = "nvidia";
    t.open = open;
    t.close = close;
    t.properties = properties;
    t.countDevices = countDevices;
    t.openNumbered = openNumbered;
    t.knowsAttribute = knowsAttribute;
    t.knowsRecipe = knowsRecipe;
    t.loadModule = loadModule;
    return t;
  }();
  return &table;
}
