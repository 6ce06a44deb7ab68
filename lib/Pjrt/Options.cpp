// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a host says about a compilation: XLA's CompileOptionsProto, in the wire
// format of protocol buffers. Source of the numbers of fields: OpenXLA's
// compile_options.proto and xla_data.proto.
#include "Objects.h"
#include <string_view>

using namespace kiln::pjrt;

namespace {

/// Reads the fields of a message one by one.
class Message {
public:
  explicit Message(std::string_view bytes) : bytes(bytes) {}

  /// Whether there is another field.
  bool next() {
    if (bytes.empty() || isBad)
      return false;
    uint64_t tag = varint();
    field = tag >> 3;
    wire = static_cast<unsigned>(tag & 7);
    number = 0;
    text = {};
    if (wire == 0)
      number = static_cast<int64_t>(varint());
    else if (wire == 1)
      skip(8);
    else if (wire == 2)
      text = skip(varint());
    else if (wire == 5)
      skip(4);
    else
      isBad = true;
    return !isBad;
  }
  /// The elements of a field of integers, of which a message has one or many.
  void addTo(std::vector<int64_t> &list) {
    if (wire != 2)
      return list.push_back(number);
    Message packed(text);
    while (!packed.bytes.empty() && !packed.isBad)
      list.push_back(static_cast<int64_t>(packed.varint()));
    isBad |= packed.isBad;
  }

  uint64_t field = 0;
  unsigned wire = 0;
  int64_t number = 0;    ///< of a field that holds one
  std::string_view text; ///< of a field with a length
  bool isBad = false;

private:
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
      auto byte = static_cast<uint8_t>(bytes.front());
      bytes.remove_prefix(1);
      value |= uint64_t(byte & 127) << shift;
      if (byte < 128)
        return value;
    }
    isBad = true;
    return 0;
  }
  std::string_view skip(uint64_t size) {
    isBad |= size > bytes.size();
    std::string_view part = bytes.substr(0, isBad ? 0 : size);
    bytes.remove_prefix(part.size());
    return part;
  }

  std::string_view bytes;
};

/// DeviceAssignmentProto: the devices of replica 0, by partition.
bool readAssignment(std::string_view bytes, std::vector<int64_t> &devices) {
  Message message(bytes);
  while (message.next()) {
    if (message.field != 3)
      continue;
    Message computation(message.text);
    std::vector<int64_t> replicas;
    while (computation.next())
      if (computation.field == 1)
        computation.addTo(replicas);
    if (computation.isBad || replicas.empty())
      return false;
    devices.push_back(replicas.front());
  }
  return !message.isBad;
}

/// ExecutableBuildOptionsProto.
bool readBuild(std::string_view bytes, CompileOptions &options) {
  Message message(bytes);
  bool isGood = true;
  while (message.next()) {
    if (message.field == 4)
      options.replicas = message.number;
    else if (message.field == 5)
      options.partitions = message.number;
    else if (message.field == 9)
      isGood &= readAssignment(message.text, options.devices);
  }
  return isGood && !message.isBad;
}

/// Bytes from hexadecimal digits.
bool fromHex(std::string_view digits, std::string &bytes) {
  auto value = [](char digit) {
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                          : -1;
  };
  if (digits.size() % 2)
    return false;
  for (size_t i = 0; i < digits.size(); i += 2) {
    int high = value(digits[i]), low = value(digits[i + 1]);
    if (high < 0 || low < 0)
      return false;
    bytes += static_cast<char>(high * 16 + low);
  }
  return true;
}

/// An entry of `env_option_overrides`: a name, and a value of one field. The
/// package kiln.jax_devices adds what the plug-in cannot find out itself.
bool readOverride(std::string_view bytes, CompileOptions &options) {
  Message entry(bytes);
  std::string_view name, value;
  while (entry.next()) {
    if (entry.field == 1)
      name = entry.text;
    if (entry.field != 2)
      continue;
    Message held(entry.text);
    while (held.next())
      if (held.field == 1)
        value = held.text;
  }
  if (name == "kiln_program")
    options.program = value;
  bool isOfArguments = name == "kiln_argument_shardings";
  if (!isOfArguments && name != "kiln_result_shardings")
    return !entry.isBad;
  std::vector<std::string> &shardings =
      isOfArguments ? options.argumentShardings : options.resultShardings;
  while (!value.empty()) {
    size_t end = std::min(value.find(' '), value.size());
    if (!fromHex(value.substr(0, end), shardings.emplace_back()))
      return false;
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return true;
}

} // namespace

Error *kiln::pjrt::readOptions(const char *bytes, size_t size,
                               CompileOptions &options) {
  Message message(std::string_view(bytes, size));
  bool isGood = true;
  while (message.next()) {
    if (message.field == 3)
      isGood &= readBuild(message.text, options);
    else if (message.field == 7)
      isGood &= readOverride(message.text, options);
  }
  if (!isGood || message.isBad)
    return fail(Code::InvalidArgument, "cannot read the compile options");
  return nullptr;
}
