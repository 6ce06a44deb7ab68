// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between ranks.
#include "kiln/Dialect/Program/CollectiveOps.h"

using namespace mlir;
using namespace kiln::program;

#define GET_OP_CLASSES
#include "kiln/Dialect/Program/CollectiveOps.cpp.inc"

LogicalResult CollectiveOp::verify() {
  // (1) A kind, and a combiner where it combines.
  static constexpr llvm::StringLiteral kinds[] = {
      "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast",
      "permute",    "rank"};
  static constexpr llvm::StringLiteral combiners[] = {
      "add", "mul", "min", "max", "umin", "umax", "and", "or", "xor"};
  if (!llvm::is_contained(kinds, getKind()))
    return emitOpError() << "expected a kind of exchange, found '" << getKind()
                         << "'";
  bool combines = getKind() == "all_reduce" || getKind() == "reduce_scatter";
  if (combines && !getCombiner())
    return emitOpError("expected a combiner");
  if (getCombiner() &&
      (!combines || !llvm::is_contained(combiners, *getCombiner())))
    return emitOpError() << "expected "
                         << (combines ? "a known combiner" : "no combiner")
                         << ", found '" << *getCombiner() << "'";
  // (2) Element types are equal.
  auto from = cast<MemRefType>(getSource().getType());
  auto to = cast<MemRefType>(getTarget().getType());
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "expected buffers of one element type, found "
                         << from << " and " << to;
  // (3) Lists are groups, or pairs.
  bool isRank = getKind() == "rank";
  if (isRank && (!to.getElementType().isInteger(32) || getLists().size()))
    return emitOpError("expected a buffer of i32 and no lists");
  if (getKind() != "permute" && !isRank && getLists().empty())
    return emitOpError("expected at least one group");
  for (Attribute list : getLists()) {
    auto ranks = cast<DenseI64ArrayAttr>(list).asArrayRef();
    if (ranks.empty() || (getKind() == "permute" && ranks.size() != 2))
      return emitOpError(getKind() == "permute"
                             ? "expected pairs of ranks"
                             : "expected groups that are not empty");
  }
  return success();
}
