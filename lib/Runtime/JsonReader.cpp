// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Typed access to JSON that may hold anything.
#include "ProgramJson.h"
#include <algorithm>
#include <limits>
#include <set>

using namespace kiln::runtime;

namespace {

/// No object of a program has as many.
constexpr size_t kMaxMembers = 256;

/// The value as int64, when it is an integer that fits.
std::optional<int64_t> asInteger(const Json &json) {
  if (json.is_number_unsigned()) {
    auto value = json.get<uint64_t>();
    if (value > uint64_t(std::numeric_limits<int64_t>::max()))
      return std::nullopt;
    return int64_t(value);
  }
  if (json.is_number_integer())
    return json.get<int64_t>();
  return std::nullopt;
}

bool isIndex(int64_t value) {
  return value >= kNone && value <= std::numeric_limits<int32_t>::max();
}

std::string quoted(const char *key) { return "'" + std::string(key) + "'"; }

} // namespace

const Json *JsonReader::member(const Json &object, const char *key) {
  if (!object.is_object())
    return nullptr;
  auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

void JsonReader::keys(const Json &object, const std::string &where,
                      std::initializer_list<std::string_view> keys,
                      std::initializer_list<std::string_view> newer) {
  if (!object.is_object())
    return fail(where, "expected an object");
  auto isIn = [](std::initializer_list<std::string_view> list,
                 const std::string &key) {
    return std::find(list.begin(), list.end(), key) != list.end();
  };
  for (const auto &item : object.items())
    if (!isIn(keys, item.key()) &&
        (version < kFirstContractVersion || !isIn(newer, item.key())))
      return fail(where, "unknown key " + quoted(item.key().c_str()));
}

Expected<Json> kiln::runtime::parseJson(std::string_view text,
                                        const std::string &what) {
  // The names of the members so far, of every object that is open.
  std::vector<std::set<std::string>> open;
  std::string problem;
  auto watch = [&](int, Json::parse_event_t event, Json &value) {
    // The rest is not kept: each member is looked for among those before it.
    if (!problem.empty())
      return false;
    if (event == Json::parse_event_t::object_start) {
      open.emplace_back();
    } else if (event == Json::parse_event_t::object_end && !open.empty()) {
      open.pop_back();
    } else if (event == Json::parse_event_t::key && !open.empty()) {
      auto key = value.get<std::string>();
      if (!open.back().insert(key).second)
        problem = "key '" + key + "' stands twice in an object";
      else if (open.back().size() > kMaxMembers)
        problem = "an object has more than " + std::to_string(kMaxMembers) +
                  " members";
    }
    return problem.empty();
  };
  Json json = Json::parse(text, watch, /*allow_exceptions=*/false);
  if (!problem.empty())
    return Error(what + ": " + problem);
  if (json.is_discarded())
    return Error(what + " is not valid JSON");
  return json;
}

const Json *JsonReader::array(const Json &object, const char *key,
                              const std::string &where, bool required) {
  const Json *value = member(object, key);
  if (value && value->is_array())
    return value;
  if (value || required)
    fail(where, "expected " + quoted(key) + " to be an array");
  return nullptr;
}

std::string JsonReader::text(const Json &object, const char *key,
                             const std::string &where, const char *fallback) {
  const Json *value = member(object, key);
  if (value && value->is_string())
    return value->get<std::string>();
  if (value || !fallback)
    fail(where, "expected " + quoted(key) + " to be a string");
  return fallback ? fallback : "";
}

std::vector<std::string> JsonReader::texts(const Json &object, const char *key,
                                           const std::string &where) {
  std::vector<std::string> result;
  if (const Json *list = array(object, key, where, /*required=*/false))
    for (const Json &item : *list) {
      if (!item.is_string()) {
        fail(where, "expected strings in " + quoted(key));
        break;
      }
      result.push_back(item.get<std::string>());
    }
  return result;
}

int64_t JsonReader::integer(const Json &object, const char *key,
                            const std::string &where, int64_t fallback) {
  const Json *value = member(object, key);
  if (!value)
    return fallback;
  if (std::optional<int64_t> number = asInteger(*value))
    return *number;
  fail(where, "expected " + quoted(key) + " to be a 64-bit integer");
  return fallback;
}

int64_t JsonReader::required(const Json &object, const char *key,
                             const std::string &where) {
  if (!member(object, key))
    fail(where, "expected " + quoted(key));
  return integer(object, key, where, 0);
}

int32_t JsonReader::number(const Json &object, const char *key,
                           const std::string &where) {
  int64_t value = integer(object, key, where, 0);
  if (value >= 0 && value <= std::numeric_limits<int32_t>::max())
    return int32_t(value);
  fail(where, quoted(key) + " is out of range");
  return 0;
}

int64_t JsonReader::element(const Json &value, const char *key,
                            const std::string &where) {
  if (std::optional<int64_t> number = asInteger(value))
    return *number;
  fail(where, "expected 64-bit integers in " + quoted(key));
  return 0;
}

int32_t JsonReader::index(const Json &object, const char *key,
                          const std::string &where) {
  int64_t value = integer(object, key, where, kNone);
  if (isIndex(value))
    return int32_t(value);
  fail(where, quoted(key) + " is out of range");
  return kNone;
}

bool JsonReader::flag(const Json &object, const char *key,
                      const std::string &where) {
  const Json *value = member(object, key);
  if (value && !value->is_boolean())
    fail(where, "expected " + quoted(key) + " to be true or false");
  return value && value->is_boolean() && value->get<bool>();
}

DType JsonReader::dtype(const Json &object, const char *key,
                        const std::string &where, bool required) {
  if (!required && !member(object, key))
    return DType::none;
  std::string name = text(object, key, where);
  DType result = parseDType(name);
  if (result == DType::none)
    fail(where, "unknown element type '" + name + "'");
  return result;
}

std::vector<int64_t> JsonReader::integers(const Json &object, const char *key,
                                          const std::string &where,
                                          bool required) {
  std::vector<int64_t> result;
  if (const Json *list = array(object, key, where, required))
    for (const Json &item : *list) {
      std::optional<int64_t> number = asInteger(item);
      if (!number) {
        fail(where, "expected 64-bit integers in " + quoted(key));
        break;
      }
      result.push_back(*number);
    }
  return result;
}

std::vector<int32_t> JsonReader::indices(const Json &object, const char *key,
                                         const std::string &where,
                                         bool required) {
  std::vector<int32_t> result;
  for (int64_t number : integers(object, key, where, required)) {
    if (!isIndex(number)) {
      fail(where, "a register in " + quoted(key) + " is out of range");
      break;
    }
    result.push_back(int32_t(number));
  }
  return result;
}
