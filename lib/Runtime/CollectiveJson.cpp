// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between ranks in packages.
#include "CollectiveJson.h"
#include <set>

using namespace kiln::runtime;

const char *kiln::runtime::collectiveKindName(CollectiveKind kind) {
  static const char *const names[kNumCollectiveKinds] = {
      "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast",
      "permute",    "rank"};
  auto index = static_cast<size_t>(kind);
  return index < kNumCollectiveKinds ? names[index] : "?";
}

const char *kiln::runtime::combinerName(Combiner combiner) {
  static const char *const names[kNumCombiners] = {
      "add", "mul", "min", "max", "umin", "umax", "and", "or", "xor"};
  auto index = static_cast<size_t>(combiner);
  return index < kNumCombiners ? names[index] : "?";
}

CollectiveInst kiln::runtime::readCollective(JsonReader &reader,
                                             const Json &json,
                                             const std::string &where) {
  CollectiveInst inst;
  inst.dst = reader.index(json, "dst", where);
  inst.src = reader.index(json, "src", where);
  inst.groups = reader.index(json, "groups", where);
  std::string kind = reader.text(json, "kind", where);
  size_t number = 0;
  while (number < kNumCollectiveKinds &&
         kind != collectiveKindName(CollectiveKind(number)))
    ++number;
  if (number == kNumCollectiveKinds) {
    reader.fail(where, "unknown collective '" + kind + "'");
    return inst;
  }
  inst.kind = CollectiveKind(number);
  if (!combines(inst.kind)) {
    if (JsonReader::member(json, "combiner"))
      reader.fail(where, "expected no combiner: collective '" + kind +
                             "' does not combine");
    return inst;
  }
  std::string combiner = reader.text(json, "combiner", where);
  number = 0;
  while (number < kNumCombiners && combiner != combinerName(Combiner(number)))
    ++number;
  if (number == kNumCombiners)
    reader.fail(where, "unknown combiner '" + combiner + "'");
  else
    inst.combiner = Combiner(number);
  return inst;
}

std::vector<RankLists> kiln::runtime::readGroups(JsonReader &reader,
                                                 const Json &json,
                                                 const std::string &where) {
  std::vector<RankLists> result;
  const Json *tables = reader.array(json, "groups", where);
  if (!tables)
    return result;
  for (const Json &table : *tables) {
    RankLists lists;
    if (!table.is_array())
      reader.fail(where, "expected 'groups' to hold lists of lists of ranks");
    for (size_t i = 0; i < table.size() && !reader.failed(); ++i) {
      std::vector<int64_t> ranks;
      if (!table[i].is_array())
        reader.fail(where, "expected 'groups' to hold lists of lists of ranks");
      for (size_t k = 0; k < table[i].size() && !reader.failed(); ++k)
        ranks.push_back(reader.element(table[i][k], "groups", where));
      lists.push_back(std::move(ranks));
    }
    if (reader.failed())
      break;
    result.push_back(std::move(lists));
  }
  return result;
}

Error kiln::runtime::verifyRankLists(const RankLists &lists, bool arePairs,
                                     bool equal) {
  if (lists.empty() && !arePairs)
    return Error("a collective has no groups");
  std::set<int64_t> seen;
  for (const std::vector<int64_t> &list : lists) {
    if (list.empty() || (arePairs && list.size() != 2))
      return Error(arePairs ? "a pair of ranks has " +
                                  std::to_string(list.size()) + " of them"
                            : "a group of ranks is empty");
    for (int64_t rank : list)
      if (rank < 0 || rank >= kMaxRanks)
        return Error("rank " + std::to_string(rank) + " is out of range");
    if (equal && list.size() != lists.front().size())
      return Error("groups have different sizes");
    if (arePairs) {
      if (!seen.insert(list[1]).second)
        return Error("rank " + std::to_string(list[1]) + " receives twice");
      continue;
    }
    for (int64_t rank : list)
      if (!seen.insert(rank).second)
        return Error("rank " + std::to_string(rank) + " is in groups twice");
  }
  return Error::success();
}
