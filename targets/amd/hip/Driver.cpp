// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening devices, and the table.
#include "HipDevice.h"
#include <algorithm>

using namespace kiln::amd;
using kiln::runtime::failDriver;
using kiln::streams::check;

KILN_DEVICE_NOTE();

namespace {

/// "chip,requires=chip,key=value,…" of the package, then ",," and what the
/// caller adds. Keys of the package are the compiler's.
std::string whyNotOptions(const std::string &text,
                          const std::string &architecture) {
  size_t added = text.find(",,");
  std::string given = text.substr(0, added);
  if (added != std::string::npos && added + 2 < text.size())
    return "it has no option '" + text.substr(added + 2) + "'";
  for (size_t begin = 0; begin <= given.size();) {
    size_t end = std::min(given.find(',', begin), given.size());
    std::string item = given.substr(begin, end - begin);
    std::string chip = item.rfind("requires=", 0) == 0 ? item.substr(9) : item;
    if (chip.rfind("gfx", 0) == 0 && chip != architecture)
      return "the code is for " + chip + ", this device is " +
             (architecture.empty() ? "of an unknown architecture"
                                   : architecture);
    begin = end + 1;
  }
  return "";
}

void close(KilnDevice *device) {
  if (device->immediate) {
    device->enter();
    device->api->destroyStream(device->immediate);
  }
  delete device;
}

int prepare(HipDevice *device, const char *options, KilnError *error) {
  const Hip &hip = *device->hip;
  std::string architecture = hip.architecture(device->number);
  std::string problem = whyNotOptions(options ? options : "", architecture);
  if (!problem.empty())
    return failDriver(error, problem);
  int units = 0, shared = 0, cooperative = 0;
  size_t memory = 0;
  char name[256] = "";
  for (auto [into, attribute] :
       {std::pair(&units, kComputeUnits), std::pair(&shared, kSharedBytes),
        std::pair(&cooperative, kCooperativeLaunch)})
    if (check(device,
              hip.hipDeviceGetAttribute(into, attribute, device->number),
              "hipDeviceGetAttribute", error))
      return 1;
  if (check(device, hip.hipDeviceGetName(name, sizeof name, device->number),
            "hipDeviceGetName", error) ||
      check(device, hip.hipDeviceTotalMem(&memory, device->number),
            "hipDeviceTotalMem", error) ||
      check(device, hip.hipSetDevice(device->number), "hipSetDevice", error) ||
      check(device, device->api->createStream(&device->immediate),
            "creating a stream", error))
    return 1;
  device->maxShared = shared;
  device->hasCooperative = cooperative && hip.hipModuleLaunchCooperativeKernel;
  device->name =
      std::string(name) +
      (architecture.empty() ? "" : (*name ? " (" : "(") + architecture + ")");
  device->kinds[0] = {"global", 0, 256, memory};
  device->kinds[1] = {"host", KILN_MEMORY_HOST_VISIBLE, 256, 0};
  KilnDeviceProperties &properties = device->properties;
  properties.structSize = sizeof properties;
  properties.name = device->name.c_str();
  properties.numCores = uint32_t(units);
  properties.numMemoryKinds = 2;
  properties.memoryKinds = device->kinds;
  properties.dlpackType = 10; // kDLROCM
  properties.dlpackNumber = device->number;
  properties.communication = "rccl";
  return 0;
}

int countDevices(uint32_t *count, KilnError *error) {
  std::string problem;
  const Hip *hip = Hip::get(problem);
  int found = 0;
  if (!hip || hip->hipGetDeviceCount(&found))
    return failDriver(error, hip ? "the devices cannot be counted" : problem);
  *count = uint32_t(found);
  return 0;
}

int openNumbered(uint32_t number, const char *options, KilnDevice **device,
                 KilnError *error) {
  std::string problem;
  const Hip *hip = Hip::get(problem);
  if (!hip)
    return failDriver(error, problem);
  uint32_t count = 0;
  if (countDevices(&count, error))
    return 1;
  if (number >= count)
    return failDriver(error, "there are " + std::to_string(count) +
                                 " devices, counted from 0, and no device " +
                                 std::to_string(number));
  auto created = std::make_unique<HipDevice>();
  created->hip = hip;
  created->hipApi = std::make_unique<HipApi>(*hip);
  created->api = created->hipApi.get();
  created->hipCode = std::make_unique<HipCode>(*hip);
  created->code = created->hipCode.get();
  created->number = int(number);
  HipDevice *opened = created.release();
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

const KilnDeviceProperties *properties(KilnDevice *device) {
  return &device->properties;
}

int knowsAttribute(KilnDevice *device, uint32_t tag) {
  return tag == KILN_LAUNCH_THREADS || tag == KILN_LAUNCH_LOCAL_BYTES ||
         tag == KILN_LAUNCH_PERSISTENT ||
         (tag == KILN_LAUNCH_COOPERATIVE &&
          static_cast<HipDevice *>(device)->hasCooperative);
}

} // namespace

const KilnDeviceDriver *kilnGetDeviceDriver(const KilnDeviceHost *host) {
  if (!host || host->apiMajor != KILN_DEVICE_API_MAJOR)
    return nullptr;
  kiln::streams::theHost = host;
  static const KilnDeviceDriver table = [] {
    KilnDeviceDriver t = {};
    kiln::streams::addEntries(t);
    t.name = "amd";
    t.open = open;
    t.close = close;
    t.properties = properties;
    t.countDevices = countDevices;
    t.openNumbered = openNumbered;
    t.knowsAttribute = knowsAttribute;
    t.loadModule = loadModule;
    return t;
  }();
  return &table;
}
