// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between processes. A program has replicas or partitions, not both:
// its ranks are the one or the other, and a group of ids is one of ranks.
#include "Collective.h"

#include "kiln/Dialect/Prim/CollectiveOps.h"
#include "kiln/Index/List.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace kiln::stablehlo_to_prim {

namespace {

/// How many there are of "num_replicas" or "num_partitions".
int64_t numberOf(Operation *op, StringRef what) {
  auto module = op->getParentOfType<ModuleOp>();
  auto count = module ? module->getAttrOfType<IntegerAttr>("mhlo." + what.str())
                      : IntegerAttr();
  return count ? count.getInt() : 1;
}

/// Of a program that does not list them.
constexpr int64_t kMostProcesses = 1 << 20;

/// Says where both are there.
LogicalResult checkKinds(Operation *op, Translator &e) {
  if (numberOf(op, "num_replicas") > 1 && numberOf(op, "num_partitions") > 1)
    return e.unsupported(op, "in a program of replicas and partitions");
  return success();
}

/// Numbers of one kind are 0 in programs of the other.
template <typename Op>
LogicalResult processNumber(Op op, Translator &e, StringRef others) {
  auto type = partType(op, op.getType(), e);
  if (failed(type) || failed(checkKinds(op, e)))
    return failure();
  Type element = type->getElementType();
  if (numberOf(op, others) > 1)
    return e.set(op, e.full(IntegerAttr::get(element, 0), {}));
  auto made =
      make(op, "rank", {}, RankedTensorType::get({}, e.b.getI32Type()), e);
  if (failed(made))
    return failure();
  return e.set(op, e.convert((*made)->getResult(0), element));
}

/// Lists of ranks from a table; entries below 0 fill it up.
FailureOr<ArrayAttr> rankLists(Operation *op, Attribute table, Translator &e) {
  auto ids = dyn_cast<DenseIntElementsAttr>(table);
  if (!ids || ids.getType().getRank() != 2)
    return e.unsupported(op, "without a table of groups");
  if (failed(checkKinds(op, e)))
    return failure();
  auto numbers = index::readList(ids);
  if (!numbers)
    return e.unsupported(op, "has more than " + Twine(index::kLongestSplat) +
                                 " equal ranks in its table of groups");
  int64_t columns = ids.getType().getDimSize(1);
  SmallVector<Attribute> lists;
  SmallVector<int64_t> list;
  int64_t column = 0;
  for (int64_t id : *numbers) {
    if (id >= 0)
      list.push_back(id);
    if (++column < columns)
      continue;
    lists.push_back(e.b.getDenseI64ArrayAttr(list));
    list.clear();
    column = 0;
  }
  // No groups: all are one.
  if (lists.empty()) {
    int64_t count =
        std::max(numberOf(op, "num_replicas"), numberOf(op, "num_partitions"));
    if (count > kMostProcesses)
      return e.unsupported(op, "of more than " + Twine(kMostProcesses) +
                                   " processes");
    list = llvm::to_vector(llvm::seq<int64_t>(0, count));
    lists.push_back(e.b.getDenseI64ArrayAttr(list));
  }
  return e.b.getArrayAttr(lists);
}

FailureOr<prim::ScatterKind> kindOf(Operation *op, Region &region, Type element,
                                    Translator &e) {
  bool isUnsigned = element.isUnsignedInteger();
  bool isTruth = element.isInteger(1);
  switch (combinerOf(region)) {
  case Combiner::Add:
    return isTruth ? prim::ScatterKind::or_ : prim::ScatterKind::add;
  case Combiner::Mul:
    return isTruth ? prim::ScatterKind::and_ : prim::ScatterKind::mul;
  case Combiner::Min:
    return isTruth      ? prim::ScatterKind::and_
           : isUnsigned ? prim::ScatterKind::umin
                        : prim::ScatterKind::min;
  case Combiner::Max:
    return isTruth      ? prim::ScatterKind::or_
           : isUnsigned ? prim::ScatterKind::umax
                        : prim::ScatterKind::max;
  case Combiner::And:
    return prim::ScatterKind::and_;
  case Combiner::Or:
    return prim::ScatterKind::or_;
  case Combiner::Xor:
    return prim::ScatterKind::xor_;
  default:
    return e.unsupported(op, "with a function that is not one operation");
  }
}

/// Makes one operation of prim for each tensor.
LogicalResult each(Operation *op, StringRef name, Translator &e,
                   ArrayRef<NamedAttribute> attributes,
                   Region *computation = nullptr) {
  for (auto [operand, result] :
       llvm::zip(op->getOperands(), op->getResults())) {
    auto types = typesOf(op, result.getType(), e);
    if (failed(types))
      return failure();
    SmallVector<NamedAttribute> all(attributes);
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    if (computation) {
      FailureOr<prim::ScatterKind> kind = kindOf(op, *computation, element, e);
      if (failed(kind))
        return failure();
      if (isComplex(operand.getType()) && *kind != prim::ScatterKind::add)
        return e.unsupported(op, "of complex numbers but for their sum");
      all.push_back(e.b.getNamedAttr(
          "combiner", prim::ScatterKindAttr::get(op->getContext(), *kind)));
    }
    Tensors made;
    for (auto [tensor, type] : llvm::zip(tensorsOf(operand, e), *types)) {
      auto one = make(op, name, tensor, type, e, all);
      if (failed(one))
        return failure();
      made.push_back((*one)->getResult(0));
    }
    if (failed(bind(result, made, e)))
      return failure();
  }
  return success();
}

LogicalResult checkDim(Operation *op, StringRef name, int64_t dim,
                       Translator &e) {
  for (Value operand : op->getOperands())
    if (failed(checkDims(op, name, dim,
                         cast<RankedTensorType>(operand.getType()).getRank(),
                         e)))
      return failure();
  return success();
}

LogicalResult allReduce(stablehlo::AllReduceOp op, Translator &e) {
  FailureOr<ArrayAttr> groups = rankLists(op, op.getReplicaGroups(), e);
  if (failed(groups))
    return failure();
  return each(op, "all_reduce", e, e.b.getNamedAttr("groups", *groups),
              &op.getComputation());
}

LogicalResult allGather(stablehlo::AllGatherOp op, Translator &e) {
  FailureOr<ArrayAttr> groups = rankLists(op, op.getReplicaGroups(), e);
  if (failed(groups) ||
      failed(checkDim(op, "all_gather_dim", op.getAllGatherDim(), e)))
    return failure();
  return each(
      op, "all_gather", e,
      {e.b.getNamedAttr("dim", e.b.getI64IntegerAttr(op.getAllGatherDim())),
       e.b.getNamedAttr("groups", *groups)});
}

LogicalResult reduceScatter(stablehlo::ReduceScatterOp op, Translator &e) {
  FailureOr<ArrayAttr> groups = rankLists(op, op.getReplicaGroups(), e);
  if (failed(groups) ||
      failed(checkDim(op, "scatter_dimension", op.getScatterDimension(), e)))
    return failure();
  return each(
      op, "reduce_scatter", e,
      {e.b.getNamedAttr("dim", e.b.getI64IntegerAttr(op.getScatterDimension())),
       e.b.getNamedAttr("groups", *groups)},
      &op.getComputation());
}

LogicalResult allToAll(stablehlo::AllToAllOp op, Translator &e) {
  FailureOr<ArrayAttr> groups = rankLists(op, op.getReplicaGroups(), e);
  if (failed(groups) ||
      failed(checkDim(op, "split_dimension", op.getSplitDimension(), e)) ||
      failed(checkDim(op, "concat_dimension", op.getConcatDimension(), e)))
    return failure();
  return each(
      op, "all_to_all", e,
      {e.b.getNamedAttr("split", e.b.getI64IntegerAttr(op.getSplitDimension())),
       e.b.getNamedAttr("concat",
                        e.b.getI64IntegerAttr(op.getConcatDimension())),
       e.b.getNamedAttr("groups", *groups)});
}

LogicalResult broadcast(stablehlo::CollectiveBroadcastOp op, Translator &e) {
  FailureOr<ArrayAttr> groups = rankLists(op, op.getReplicaGroups(), e);
  if (failed(groups))
    return failure();
  if (op.getHasDynamicRoot())
    return e.unsupported(op, "from a process that the program computes");
  return each(op, "broadcast", e, e.b.getNamedAttr("groups", *groups));
}

LogicalResult permute(stablehlo::CollectivePermuteOp op, Translator &e) {
  auto table = cast<DenseIntElementsAttr>(op.getSourceTargetPairs());
  if (table.getType().getRank() != 2 ||
      (table.getType().getDimSize(1) != 2 && table.getNumElements()))
    return e.unsupported(op, "without a table of pairs");
  SmallVector<Attribute> lists;
  auto ids = index::readList(table);
  if (!ids)
    return e.unsupported(op, "has more than " + Twine(index::kLongestSplat) +
                                 " equal ranks in its table of pairs");
  for (size_t i = 0; i + 1 < ids->size(); i += 2)
    lists.push_back(e.b.getDenseI64ArrayAttr({(*ids)[i], (*ids)[i + 1]}));
  if (failed(checkKinds(op, e)))
    return failure();
  return each(op, "permute", e,
              e.b.getNamedAttr("pairs", e.b.getArrayAttr(lists)));
}

} // namespace

void addCollectiveRules(Rules &rules) {
  using namespace stablehlo;
  rules.add<ReplicaIdOp>([](ReplicaIdOp op, Translator &e) {
    return processNumber(op, e, "num_partitions");
  });
  rules.add<PartitionIdOp>([](PartitionIdOp op, Translator &e) {
    return processNumber(op, e, "num_replicas");
  });
  rules.add<AllReduceOp>(allReduce);
  rules.add<AllGatherOp>(allGather);
  rules.add<ReduceScatterOp>(reduceScatter);
  rules.add<AllToAllOp>(allToAll);
  rules.add<CollectiveBroadcastOp>(broadcast);
  rules.add<CollectivePermuteOp>(permute);
}

} // namespace kiln::stablehlo_to_prim
