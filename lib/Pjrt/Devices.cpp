// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices and their memories.
#include "Group.h"
#include <cstring>

using namespace kiln::pjrt;

namespace {

/// The option of a SPEC that numbers the devices of a driver.
constexpr const char *ordinalOption = ",ordinal=";

template <typename Object>
Error *give(TextArgs<Object> &args, const std::string &text) {
  args.first = text.c_str();
  args.second = text.size();
  return nullptr;
}

Error *id(Args<Device, int> &args) {
  args.first = args.object->id;
  return nullptr;
}

/// All devices are those of one process.
Error *zero(Args<Device, int> &args) {
  args.first = 0;
  return nullptr;
}

Error *isAddressable(Args<Device, bool> &args) {
  args.first = true;
  return nullptr;
}

Error *noOwnAttributes(OwnAttributesArgs &args) {
  args.attributes = nullptr;
  args.count = 0;
  args.owner = nullptr;
  args.release = [](void *) {};
  return nullptr;
}

Error *noAttributes(DeviceAttributesArgs &args) {
  args.count = 0;
  args.attributes = nullptr;
  return nullptr;
}

Error *description(Args<Device, Device *> &args) {
  args.first = args.object;
  return nullptr;
}

Error *kind(TextArgs<Device> &args) {
  return give(args, args.object->client->target);
}

Error *text(TextArgs<Device> &args) { return give(args, args.object->text); }

Error *memories(Args<Device, Memory *const *, size_t> &args) {
  args.first = args.object->memories;
  args.second = 1;
  return nullptr;
}

Error *memory(Args<Device, Memory *> &args) {
  args.first = &args.object->memory;
  return nullptr;
}

Error *memoryStats(MemoryStatsArgs &args) {
  // What follows in the struct are pairs of a number and "is it set".
  std::memset(&args.bytesInUse, 0,
              args.head.structSize - offsetof(MemoryStatsArgs, bytesInUse));
  args.bytesInUse = args.device->bytesInUse;
  return nullptr;
}

Error *memoryId(Args<Memory, int> &args) {
  args.first = args.object->device->id;
  return nullptr;
}

Error *memoryKindId(Args<Memory, int> &args) {
  args.first = 0;
  return nullptr;
}

Error *memoryKindText(TextArgs<Memory> &args) {
  args.first = memoryKind;
  args.second = sizeof(memoryKind) - 1;
  return nullptr;
}

Error *memoryText(TextArgs<Memory> &args) {
  return give(args, args.object->device->memoryText);
}

Error *memoryDevices(Args<Memory, Device *const *, size_t> &args) {
  args.first = &args.object->device;
  args.second = 1;
  return nullptr;
}

} // namespace

Device::Device(Client *client, int id)
    : client(client), id(id), text("KilnDevice(id=" + std::to_string(id) + ")"),
      memoryText("KilnMemory(id=" + std::to_string(id) + ")") {}

Error *Device::open(const KilnPackage *package, KilnSession *&session) const {
  std::string spec;
  const char *own = id ? kilnPackageTarget(package, 0) : nullptr;
  if (id) {
    // Of several targets, the first one's devices are numbered.
    spec = own ? own : client->target;
    spec.insert(std::min(spec.find('+'), spec.size()),
                ordinalOption + std::to_string(id));
  }
  if (kilnSessionCreate(package, id ? spec.c_str() : nullptr, &session))
    return runtimeError("cannot run the package");
  return nullptr;
}

void Client::addDevices(int count) {
  for (int id = 0; id < count; ++id) {
    owned.push_back(std::make_unique<Device>(this, id));
    devices.push_back(owned.back().get());
    memories.push_back(&owned.back()->memory);
  }
}

std::shared_ptr<Group> Client::group(const std::vector<Device *> &members) {
  std::lock_guard<std::mutex> lock(grouping);
  std::shared_ptr<Group> &known = groups[members];
  if (!known)
    known = std::make_shared<Group>(members.size());
  return known;
}

void kiln::pjrt::addDevices(Api &api) {
  auto &f = api.functions;
  f[DescriptionId] = entry<Args<Device, int>, id>;
  f[DescriptionProcessIndex] = entry<Args<Device, int>, zero>;
  f[DescriptionAttributes] = entry<DeviceAttributesArgs, noAttributes>;
  f[DescriptionKind] = entry<TextArgs<Device>, kind>;
  f[DescriptionDebugText] = entry<TextArgs<Device>, text>;
  f[DescriptionText] = f[DescriptionDebugText];
  f[DeviceOwnAttributes] = entry<OwnAttributesArgs, noOwnAttributes>;
  f[DeviceDescription] = entry<Args<Device, Device *>, description>;
  f[DeviceIsAddressable] = entry<Args<Device, bool>, isAddressable>;
  f[DeviceLocalHardwareId] = f[DescriptionId];
  f[DeviceMemories] = entry<Args<Device, Memory *const *, size_t>, memories>;
  f[DeviceDefaultMemory] = entry<Args<Device, Memory *>, memory>;
  f[DeviceMemoryStats] = entry<MemoryStatsArgs, memoryStats>;
  f[MemoryId] = entry<Args<Memory, int>, memoryId>;
  f[MemoryKindId] = entry<Args<Memory, int>, memoryKindId>;
  f[MemoryKind] = entry<TextArgs<Memory>, memoryKindText>;
  f[MemoryDebugText] = entry<TextArgs<Memory>, memoryText>;
  f[MemoryText] = f[MemoryDebugText];
  f[MemoryDevices] =
      entry<Args<Memory, Device *const *, size_t>, memoryDevices>;
}
