// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch has beyond its grid, and exchanges between ranks -> JSON.
#include "CollectiveJson.h"
#include "LaunchJson.h"

using namespace kiln::runtime;

namespace {

Json valueToJson(const Expression &value) {
  if (value.steps.size() == 1 &&
      value.steps[0].kind == Expression::Step::number)
    return value.steps[0].value;
  return value.str();
}

Json valuesToJson(const std::vector<Expression> &values) {
  Json list = Json::array();
  for (const Expression &value : values)
    list.push_back(valueToJson(value));
  return list;
}

std::string toHex(const std::string &bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

} // namespace

void kiln::runtime::putAttributes(
    Json &json, const std::vector<LaunchAttribute> &attributes) {
  if (attributes.empty())
    return;
  Json &list = json["attributes"] = Json::array();
  for (const LaunchAttribute &attribute : attributes) {
    Json one = {{"name", launchAttributeName(attribute.tag)},
                {"values", valuesToJson(attribute.values)}};
    if (attribute.isRequired)
      one["required"] = true;
    list.push_back(std::move(one));
  }
}

void kiln::runtime::putLaunchContract(Json &json, const KernelInfo &kernel) {
  putAttributes(json, kernel.attributes);
  if (!kernel.recipes.empty()) {
    Json &list = json["recipes"] = Json::array();
    for (const Recipe &recipe : kernel.recipes)
      list.push_back({{"param", recipe.param},
                      {"name", recipe.name},
                      {"words", valuesToJson(recipe.words)}});
  }
  if (kernel.workspace) {
    json["workspace"] = {{"bytes", valueToJson(kernel.workspace->bytes)}};
    if (kernel.workspace->isZeroed)
      json["workspace"]["zeroed"] = true;
  }
  if (!kernel.metadata.empty())
    json["metadata"] = toHex(kernel.metadata);
}

Json kiln::runtime::collectiveToJson(const CollectiveInst &inst) {
  Json json = {{"op", "collective"},
               {"kind", collectiveKindName(inst.kind)},
               {"dst", inst.dst}};
  if (combines(inst.kind))
    json["combiner"] = combinerName(inst.combiner);
  if (inst.src != kNone)
    json["src"] = inst.src;
  if (inst.groups != kNone)
    json["groups"] = inst.groups;
  return json;
}
