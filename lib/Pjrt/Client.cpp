// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The client, its device and its memory.
#include "Objects.h"
#include <cstring>

using namespace kiln::pjrt;

namespace {

template <typename Object> void give(TextArgs<Object> &args, const char *text) {
  args.first = text;
  args.second = std::strlen(text);
}

template <typename Object, const char *Text>
Error *text(TextArgs<Object> &args) {
  give(args, Text);
  return nullptr;
}

template <typename Object, typename Value, auto Constant>
Error *constant(Args<Object, Value> &args) {
  args.first = Constant;
  return nullptr;
}

constexpr char deviceText[] = "KilnDevice(id=0)";
constexpr char memoryText[] = "KilnMemory(id=0)";

/// The arguments in an option, apart at spaces.
std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(' ', at), text.size());
    if (end > at)
      words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

Error *create(ClientCreateArgs &args) {
  auto client = std::make_unique<Client>();
  for (size_t i = 0; i < args.numOptions; ++i) {
    const NamedValue &option = args.options[i];
    std::string name(option.name, option.nameSize);
    if (option.kind != ValueKind::Text ||
        (name != "target" && name != "arguments" && name != "version"))
      return fail(Code::InvalidArgument,
                  "option '" + name +
                      "' of the kiln client: expected target=SPEC, "
                      "arguments=\"--flag ...\" or version=TEXT, texts");
    std::string value(option.text, option.valueSize);
    if (name == "target")
      client->target = value;
    else if (name == "version")
      client->version = value;
    else
      client->arguments = split(value);
  }
  args.client = client.release();
  return nullptr;
}

Error *version(TextArgs<Client> &args) {
  args.first = args.object->version.c_str();
  args.second = args.object->version.size();
  return nullptr;
}

Error *topologyVersion(TextArgs<Topology> &args) {
  args.first = args.object->client->version.c_str();
  args.second = args.object->client->version.size();
  return nullptr;
}

Error *destroy(Args<Client> &args) {
  delete args.object;
  return nullptr;
}

Error *devices(Args<Client, Device *const *, size_t> &args) {
  args.first = args.object->devices;
  args.second = 1;
  return nullptr;
}

Error *memories(Args<Client, Memory *const *, size_t> &args) {
  args.first = args.object->memories;
  args.second = 1;
  return nullptr;
}

Error *lookup(LookupDeviceArgs &args) {
  if (args.id != 0)
    return fail(Code::InvalidArgument,
                "there is no device " + std::to_string(args.id));
  args.device = &args.client->device;
  return nullptr;
}

Error *assignment(DefaultDeviceAssignmentArgs &args) {
  if (args.numReplicas != 1 || args.numPartitions != 1)
    return fail(Code::Unimplemented,
                "unsupported: a program for " +
                    std::to_string(args.numReplicas * args.numPartitions) +
                    " devices; this client has one");
  if (args.size < 1)
    return fail(Code::InvalidArgument, "no room for the device assignment");
  args.assignment[0] = 0;
  return nullptr;
}

Error *topology(Args<Client, Topology *> &args) {
  args.first = &args.object->topology;
  return nullptr;
}

Error *topologyDevices(Args<Topology, Device *const *, size_t> &args) {
  args.first = args.object->client->devices;
  args.second = 1;
  return nullptr;
}

Error *nothing(Args<Topology> &) { return nullptr; }

Error *noOwnAttributes(OwnAttributesArgs &args) {
  args.attributes = nullptr;
  args.count = 0;
  args.owner = nullptr;
  args.release = [](void *) {};
  return nullptr;
}

Error *noAttributes(Args<Topology, const NamedValue *, size_t> &args) {
  args.first = nullptr;
  args.second = 0;
  return nullptr;
}

Error *description(Args<Device, Device *> &args) {
  args.first = args.object;
  return nullptr;
}

Error *noDeviceAttributes(DeviceAttributesArgs &args) {
  args.count = 0;
  args.attributes = nullptr;
  return nullptr;
}

Error *kind(TextArgs<Device> &args) {
  args.first = args.object->client->target.c_str();
  args.second = args.object->client->target.size();
  return nullptr;
}

Error *deviceMemories(Args<Device, Memory *const *, size_t> &args) {
  args.first = args.object->client->memories;
  args.second = 1;
  return nullptr;
}

Error *deviceMemory(Args<Device, Memory *> &args) {
  args.first = &args.object->client->memory;
  return nullptr;
}

Error *memoryStats(MemoryStatsArgs &args) {
  // What follows in the struct are pairs of a number and "is it set".
  std::memset(&args.bytesInUse, 0,
              args.head.structSize - offsetof(MemoryStatsArgs, bytesInUse));
  args.bytesInUse = args.device->client->bytesInUse;
  return nullptr;
}

Error *memoryDevices(Args<Memory, Device *const *, size_t> &args) {
  args.first = args.object->client->devices;
  args.second = 1;
  return nullptr;
}

Error *initialize(Head &) { return nullptr; }

/// What JAX writes StableHLO for: the newest version that the reader knows, and
/// the oldest.
constexpr int64_t newest[] = {1, 13, 0};
constexpr int64_t oldest[] = {0, 9, 0};

NamedValue numbered(const char *name, const int64_t *numbers) {
  NamedValue value = {};
  value.head.structSize = sizeof(NamedValue);
  value.name = name;
  value.nameSize = std::strlen(name);
  value.kind = ValueKind::Integers;
  value.integers = numbers;
  value.valueSize = 3;
  return value;
}

Error *attributes(PluginAttributesArgs &args) {
  static const NamedValue values[] = {
      numbered("stablehlo_current_version", newest),
      numbered("stablehlo_minimum_version", oldest)};
  args.attributes = values;
  args.count = std::size(values);
  return nullptr;
}

} // namespace

void kiln::pjrt::addClient(Api &api) {
  auto &f = api.functions;
  f[PluginInitialize] = entry<Head, initialize>;
  f[PluginAttributes] = entry<PluginAttributesArgs, attributes>;
  f[ClientCreate] = entry<ClientCreateArgs, create>;
  f[ClientDestroy] = entry<Args<Client>, destroy>;
  f[ClientPlatformName] = entry<TextArgs<Client>, text<Client, platformName>>;
  f[ClientPlatformVersion] = entry<TextArgs<Client>, version>;
  f[ClientProcessIndex] = entry<Args<Client, int>, constant<Client, int, 0>>;
  f[ClientDevices] = entry<Args<Client, Device *const *, size_t>, devices>;
  f[ClientAddressableDevices] = f[ClientDevices];
  f[ClientMemories] = entry<Args<Client, Memory *const *, size_t>, memories>;
  f[ClientLookupDevice] = entry<LookupDeviceArgs, lookup>;
  f[ClientLookupAddressableDevice] = f[ClientLookupDevice];
  f[ClientDefaultDeviceAssignment] =
      entry<DefaultDeviceAssignmentArgs, assignment>;
  f[ClientTopology] = entry<Args<Client, Topology *>, topology>;
  f[TopologyPlatformName] =
      entry<TextArgs<Topology>, text<Topology, platformName>>;
  f[TopologyPlatformVersion] = entry<TextArgs<Topology>, topologyVersion>;
  f[TopologyDevices] =
      entry<Args<Topology, Device *const *, size_t>, topologyDevices>;
  f[TopologyAttributes] =
      entry<Args<Topology, const NamedValue *, size_t>, noAttributes>;
  f[TopologyDestroy] = entry<Args<Topology>, nothing>;
  f[DescriptionId] = entry<Args<Device, int>, constant<Device, int, 0>>;
  f[DescriptionProcessIndex] = f[DescriptionId];
  f[DescriptionAttributes] = entry<DeviceAttributesArgs, noDeviceAttributes>;
  f[DescriptionKind] = entry<TextArgs<Device>, kind>;
  f[DescriptionDebugText] = entry<TextArgs<Device>, text<Device, deviceText>>;
  f[DescriptionText] = f[DescriptionDebugText];
  f[DeviceOwnAttributes] = entry<OwnAttributesArgs, noOwnAttributes>;
  f[DeviceDescription] = entry<Args<Device, Device *>, description>;
  f[DeviceIsAddressable] =
      entry<Args<Device, bool>, constant<Device, bool, true>>;
  f[DeviceLocalHardwareId] = f[DescriptionId];
  f[DeviceMemories] =
      entry<Args<Device, Memory *const *, size_t>, deviceMemories>;
  f[DeviceDefaultMemory] = entry<Args<Device, Memory *>, deviceMemory>;
  f[DeviceMemoryStats] = entry<MemoryStatsArgs, memoryStats>;
  f[MemoryId] = entry<Args<Memory, int>, constant<Memory, int, 0>>;
  f[MemoryKindId] = f[MemoryId];
  f[MemoryKind] = entry<TextArgs<Memory>, text<Memory, memoryKind>>;
  f[MemoryDebugText] = entry<TextArgs<Memory>, text<Memory, memoryText>>;
  f[MemoryText] = f[MemoryDebugText];
  f[MemoryDevices] =
      entry<Args<Memory, Device *const *, size_t>, memoryDevices>;
}
