// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header. Numbers stand as numbers, expressions as text.
#include "LaunchJson.h"

using namespace kiln::runtime;

namespace {

Expression readValue(JsonReader &r, const Json &json, const char *key,
                     const std::string &where) {
  if (!json.is_string())
    return r.element(json, key, where);
  Expected<Expression> value = Expression::parse(json.get<std::string>());
  if (value)
    return *value;
  r.fail(where, value.message());
  return 0;
}

std::vector<Expression> readValues(JsonReader &r, const Json &json,
                                   const char *key, const std::string &where) {
  std::vector<Expression> values;
  const Json *list = r.array(json, key, where);
  for (size_t i = 0; list && i < list->size() && !r.failed(); ++i)
    values.push_back(readValue(r, (*list)[i], key, where));
  return values;
}

constexpr char kHex[] = "0123456789abcdef";

std::string fromHex(JsonReader &r, const std::string &text,
                    const std::string &where) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    const char *high = std::char_traits<char>::find(kHex, 16, text[i]);
    const char *low = std::char_traits<char>::find(kHex, 16, text[i + 1]);
    if (!high || !low)
      break;
    bytes += char(((high - kHex) << 4) | (low - kHex));
  }
  if (2 * bytes.size() != text.size())
    r.fail(where, "expected 'metadata' to be bytes in hexadecimal");
  return bytes;
}

} // namespace

std::vector<LaunchAttribute>
kiln::runtime::readAttributes(JsonReader &r, const Json &json,
                              const std::string &where) {
  std::vector<LaunchAttribute> result;
  const Json *list = r.array(json, "attributes", where, /*required=*/false);
  for (size_t i = 0; list && i < list->size() && !r.failed(); ++i) {
    std::string at = where + ".attributes[" + std::to_string(i) + "]";
    const Json &one = (*list)[i];
    r.keys(one, at, {"name", "values", "required"});
    std::string name = r.text(one, "name", at);
    std::optional<uint32_t> tag = launchAttributeTag(name);
    if (!tag && !r.failed())
      r.fail(at, "unknown launch attribute '" + name + "'");
    result.push_back({tag.value_or(0), r.flag(one, "required", at),
                      readValues(r, one, "values", at)});
  }
  return result;
}

void kiln::runtime::readLaunchContract(JsonReader &r, const Json &json,
                                       const std::string &where,
                                       KernelInfo &kernel) {
  kernel.attributes = readAttributes(r, json, where);
  const Json *list = r.array(json, "recipes", where, /*required=*/false);
  for (size_t i = 0; list && i < list->size() && !r.failed(); ++i) {
    std::string at = where + ".recipes[" + std::to_string(i) + "]";
    const Json &one = (*list)[i];
    r.keys(one, at, {"param", "name", "words"});
    int32_t param = r.index(one, "param", at);
    kernel.recipes.push_back({param < 0 ? ~0u : uint32_t(param),
                              r.text(one, "name", at),
                              readValues(r, one, "words", at)});
  }
  if (const Json *workspace = JsonReader::member(json, "workspace")) {
    std::string at = where + ".workspace";
    r.keys(*workspace, at, {"bytes", "zeroed"});
    const Json *bytes = JsonReader::member(*workspace, "bytes");
    if (!bytes)
      return r.fail(at, "expected 'bytes'");
    kernel.workspace = Workspace{readValue(r, *bytes, "bytes", at),
                                 r.flag(*workspace, "zeroed", at)};
  }
  kernel.metadata = fromHex(r, r.text(json, "metadata", where, ""), where);
}
