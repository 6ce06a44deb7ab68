// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled programs as bytes for a cache, and back.
#include "Objects.h"
#include <cstring>
#include <string_view>

using namespace kiln::pjrt;

namespace {

/// A serialized program begins with this, then the checksum of the rest.
constexpr char serializedMagic[] = "KilnPJR3";
constexpr size_t magicSize = sizeof(serializedMagic) - 1;

/// 64-bit FNV-1a. It finds files that were cut or changed by accident.
uint64_t checksum(std::string_view bytes) {
  uint64_t sum = 0xcbf29ce484222325;
  for (char byte : bytes)
    sum = (sum ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  return sum;
}

void addNumber(std::string &bytes, uint64_t number) {
  bytes.append(reinterpret_cast<const char *>(&number), sizeof(number));
}

Error *serialize(BytesArgs<Executable> &args) {
  const Compiled &compiled = *args.object->compiled;
  std::string parts;
  for (const std::string *part :
       {&compiled.format, &compiled.program, &compiled.package}) {
    addNumber(parts, part->size());
    parts += *part;
  }
  addNumber(parts, compiled.devices.size());
  for (int64_t id : compiled.devices)
    addNumber(parts, static_cast<uint64_t>(id));
  for (const Shardings *shardings :
       {&compiled.argumentShardings, &compiled.resultShardings}) {
    addNumber(parts, shardings->all.size());
    for (const std::string &sharding : shardings->all) {
      addNumber(parts, sharding.size());
      parts += sharding;
    }
  }
  auto bytes = std::make_unique<std::string>(serializedMagic, magicSize);
  addNumber(*bytes, checksum(parts));
  *bytes += parts;
  args.bytes = bytes->data();
  args.size = bytes->size();
  args.release = [](void *owner) { delete static_cast<std::string *>(owner); };
  args.owner = bytes.release();
  return nullptr;
}

/// Takes a number off the front of `bytes`.
bool takeNumber(std::string_view &bytes, uint64_t &number) {
  if (bytes.size() < sizeof(number))
    return false;
  std::memcpy(&number, bytes.data(), sizeof(number));
  bytes.remove_prefix(sizeof(number));
  return true;
}

/// Takes a part off the front of `bytes`: its size, then itself.
bool takePart(std::string_view &bytes, std::string &part) {
  uint64_t size = 0;
  if (!takeNumber(bytes, size) || bytes.size() < size)
    return false;
  part = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

/// Takes the devices and the shardings of a program.
bool takePlaces(std::string_view &bytes, Compiled &compiled) {
  uint64_t count = 0, value = 0;
  if (!takeNumber(bytes, count))
    return false;
  for (uint64_t i = 0; i < count; ++i) {
    if (!takeNumber(bytes, value))
      return false;
    compiled.devices.push_back(static_cast<int64_t>(value));
  }
  for (Shardings *shardings :
       {&compiled.argumentShardings, &compiled.resultShardings}) {
    if (!takeNumber(bytes, count))
      return false;
    for (uint64_t i = 0; i < count; ++i)
      if (!takePart(bytes, shardings->all.emplace_back()))
        return false;
  }
  return !compiled.devices.empty();
}

Error *deserialize(DeserializeArgs &args) {
  auto compiled = std::make_shared<Compiled>();
  std::string_view bytes(args.bytes, args.size);
  std::string_view magic(serializedMagic, magicSize);
  bool good = bytes.substr(0, magicSize) == magic;
  if (good) {
    bytes.remove_prefix(magicSize);
    uint64_t sum = 0;
    good = takeNumber(bytes, sum) && sum == checksum(bytes) &&
           takePart(bytes, compiled->format) &&
           takePart(bytes, compiled->program) &&
           takePart(bytes, compiled->package) && takePlaces(bytes, *compiled) &&
           bytes.empty();
  }
  if (!good)
    return fail(Code::InvalidArgument,
                "expected a program that this version of the kiln plug-in has "
                "serialized, found other or damaged bytes");
  bool hasOptions =
      args.head.structSize >=
      offsetof(DeserializeArgs, optionsSize) + sizeof(args.optionsSize);
  if (hasOptions && args.options) {
    CompileOptions options;
    if (Error *error = readOptions(args.options, args.optionsSize, options))
      return error;
    if (options.devices.size() == compiled->devices.size())
      compiled->devices = options.devices;
  }
  for (int64_t id : compiled->devices)
    if (!args.client->find(id))
      return fail(Code::InvalidArgument, "the program is for device " +
                                             std::to_string(id) +
                                             ", which is not there");
  return load(*args.client, std::move(compiled), args.executable);
}

} // namespace

void kiln::pjrt::addSerialization(Api &api) {
  auto &f = api.functions;
  f[ExecutableSerialize] = entry<BytesArgs<Executable>, serialize>;
  f[LoadedDeserialize] = entry<DeserializeArgs, deserialize>;
}
