// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The client.
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

/// More are a mistake.
constexpr int kMostDevices = 1024;

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

/// A count of devices that a text names; 0: it names none.
int countOf(const std::string &text) {
  bool isNumber = !text.empty() && text.size() < 6 &&
                  text.find_first_not_of("0123456789") == text.npos;
  int count = isNumber ? std::stoi(text) : 0;
  return count <= kMostDevices ? count : 0;
}

Error *create(ClientCreateArgs &args) {
  auto client = std::make_unique<Client>();
  int count = 1;
  for (size_t i = 0; i < args.numOptions; ++i) {
    const NamedValue &option = args.options[i];
    std::string name(option.name, option.nameSize), value;
    if (option.kind == ValueKind::Text)
      value.assign(option.text, option.valueSize);
    if (name == "target" && !value.empty()) {
      client->target = value;
    } else if (name == "version" && !value.empty()) {
      client->version = value;
    } else if (name == "arguments") {
      client->arguments = split(value);
    } else if (name == "devices" && countOf(value)) {
      count = countOf(value);
    } else {
      return fail(Code::InvalidArgument,
                  "option '" + name +
                      "' of the kiln client: expected target=SPEC, "
                      "arguments=\"--flag ...\", version=TEXT or devices=N "
                      "with N from 1 to " +
                      std::to_string(kMostDevices) + ", texts; found '" +
                      value + "'");
    }
  }
  client->addDevices(count);
  // Programs would find out one by one that there are fewer.
  if (Error *error = count > 1 ? client->devices.back()->check() : nullptr) {
    error->message = "cannot use " + std::to_string(count) + " devices of '" +
                     client->target + "': " + error->message;
    return error;
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
  args.first = args.object->devices.data();
  args.second = args.object->devices.size();
  return nullptr;
}

Error *memories(Args<Client, Memory *const *, size_t> &args) {
  args.first = args.object->memories.data();
  args.second = args.object->memories.size();
  return nullptr;
}

Error *lookup(LookupDeviceArgs &args) {
  args.device = args.client->find(args.id);
  if (!args.device)
    return fail(Code::InvalidArgument,
                "there is no device " + std::to_string(args.id));
  return nullptr;
}

/// The first devices, in their order.
Error *assignment(DefaultDeviceAssignmentArgs &args) {
  int64_t wanted = int64_t(args.numReplicas) * args.numPartitions;
  int64_t known = static_cast<int64_t>(args.client->devices.size());
  if (args.numReplicas < 1 || args.numPartitions < 1 || wanted > known)
    return fail(Code::InvalidArgument,
                "expected a program for at most " + std::to_string(known) +
                    " devices, found one for " + std::to_string(wanted));
  if (static_cast<int64_t>(args.size) < wanted)
    return fail(Code::InvalidArgument, "no room for the device assignment");
  for (int i = 0; i < wanted; ++i)
    args.assignment[i] = i;
  return nullptr;
}

Error *topology(Args<Client, Topology *> &args) {
  args.first = &args.object->topology;
  return nullptr;
}

Error *topologyDevices(Args<Topology, Device *const *, size_t> &args) {
  args.first = args.object->client->devices.data();
  args.second = args.object->client->devices.size();
  return nullptr;
}

Error *nothing(Args<Topology> &) { return nullptr; }

Error *noAttributes(Args<Topology, const NamedValue *, size_t> &args) {
  args.first = nullptr;
  args.second = 0;
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
}
