//===- ProtocolMutator.cpp - Damage to messages ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Protocol.h"

using namespace kiln::conform;
namespace json = llvm::json;

void Mutator::changeBytes(std::string &bytes) {
  for (uint64_t i = 0, count = 1 + below(4); i < count; ++i) {
    size_t at = below(bytes.size() + 1), length = below(16);
    switch (below(5)) {
    case 0:
      if (at < bytes.size())
        bytes[at] = char(below(256));
      break;
    case 1:
      bytes.erase(std::min(at, bytes.size()), length);
      break;
    case 2:
      bytes.insert(at, bytes.substr(below(bytes.size() + 1), length));
      break;
    case 3:
      bytes.insert(at, length, "\"{[<(%\0\xff"[below(8)]);
      break;
    default:
      if (at < bytes.size())
        bytes[at] = char(bytes[at] ^ (1 << below(8)));
    }
  }
}

json::Value Mutator::anyValue(unsigned depth) {
  switch (below(10)) {
  case 0:
    return nullptr;
  case 1:
    return isOneOf(2);
  case 2:
    return int64_t(below(1 << 16)) - 100;
  case 3:
    return int64_t(below(~0ull));
  case 4:
    return 1e300;
  case 5:
    return std::string(below(1000), 'x');
  case 6:
    return "\xe2\x82\xac\n\x01 ../../%s";
  case 7:
  case 8: {
    json::Array list;
    for (uint64_t i = below(4); depth && i-- > 0;)
      list.push_back(anyValue(depth - 1));
    return list;
  }
  default: {
    json::Object object;
    for (uint64_t i = below(4); depth && i-- > 0;)
      object[std::string(1 + below(3), char('a' + below(26)))] =
          anyValue(depth - 1);
    return object;
  }
  }
}

void Mutator::changeValue(json::Value &value) {
  json::Object *object = value.getAsObject();
  json::Array *list = value.getAsArray();
  size_t size = object ? object->size() : list ? list->size() : 0;
  if (!size || isOneOf(6)) {
    value = anyValue(3);
    return;
  }
  size_t at = below(size);
  if (list) {
    if (isOneOf(4))
      list->erase(list->begin() + at);
    else if (isOneOf(4))
      list->push_back((*list)[at]);
    else
      changeValue((*list)[at]);
    return;
  }
  // The order of an object is its own; a choice is repeatable all the same.
  std::vector<std::string> keys;
  for (const auto &entry : *object)
    keys.push_back(entry.first.str());
  llvm::sort(keys);
  if (isOneOf(4))
    object->erase(keys[at]);
  else
    changeValue((*object)[keys[at]]);
}
