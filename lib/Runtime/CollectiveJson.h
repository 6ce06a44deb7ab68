// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between ranks in packages: their form and what is checked of it.
#ifndef KILN_LIB_RUNTIME_COLLECTIVEJSON_H
#define KILN_LIB_RUNTIME_COLLECTIVEJSON_H

#include "ProgramJson.h"

namespace kiln::runtime {

/// Whether exchanges of this kind combine elements.
inline bool combines(CollectiveKind kind) {
  return kind == CollectiveKind::allReduce ||
         kind == CollectiveKind::reduceScatter;
}

Json collectiveToJson(const CollectiveInst &inst);
CollectiveInst readCollective(JsonReader &reader, const Json &json,
                              const std::string &where);
/// The member "groups" of a program.
std::vector<RankLists> readGroups(JsonReader &reader, const Json &json,
                                  const std::string &where);

/// Ranks are less.
constexpr int64_t kMaxRanks = 65536;

/// Whether lists are groups, `equal` in size, or pairs, as the definitions of
/// the operations of prim say.
Error verifyRankLists(const RankLists &lists, bool arePairs, bool equal);

} // namespace kiln::runtime

#endif
