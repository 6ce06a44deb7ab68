// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences of tensors, whose lengths are known when a model is compiled.
#include "Node.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

bool isSequence(Value value) {
  return value && isa<torch::ListType>(value.getType());
}

Value Node::sequence(ValueRange elements) {
  auto type = torch::ListType::get(e.b.getContext(),
                                   torch::NoneType::get(e.b.getContext()));
  return UnrealizedConversionCastOp::create(e.b, Type(type), elements)
      .getResult(0);
}

std::optional<SmallVector<Value>> Node::elements(unsigned i) {
  Value list = in(i);
  auto op = isSequence(list) ? list.getDefiningOp<UnrealizedConversionCastOp>()
                             : UnrealizedConversionCastOp();
  if (!op)
    return std::nullopt;
  return SmallVector<Value>(op.getOperands());
}

namespace {

LogicalResult noSequence(Node &n) {
  return n.fail("needs a sequence whose length is known");
}

/// The position that an input gives among `size`; `otherwise` where it is left
/// out; reports one that is not known or not there.
std::optional<int64_t> positionOf(Node &n, unsigned i, int64_t size,
                                  int64_t otherwise) {
  if (!n.has(i))
    return otherwise;
  auto known = n.ints(i);
  if (!known || known->size() != 1) {
    n.refuse("has a position that is not known");
    return std::nullopt;
  }
  int64_t at = known->front() < 0 ? known->front() + size : known->front();
  if (at >= 0 && at < size)
    return at;
  n.refuse("has position " + Twine(known->front()) + " of a sequence of " +
           Twine(size));
  return std::nullopt;
}

LogicalResult construct(Node &n) {
  SmallVector<Value> all;
  for (unsigned i = 0; i < n.numInputs(); ++i)
    all.push_back(n.in(i));
  return n.set(n.sequence(all));
}

LogicalResult insert(Node &n) {
  auto all = n.elements(0);
  if (!all)
    return noSequence(n);
  // Behind the last one is a place, too.
  auto at = positionOf(
      n, 2,
      all->size() + (n.has(2) && n.ints(2) && n.ints(2)->front() < 0 ? 0 : 1),
      all->size());
  if (!at)
    return failure();
  all->insert(all->begin() + *at, n.in(1));
  return n.set(n.sequence(*all));
}

LogicalResult erase(Node &n) {
  auto all = n.elements(0);
  if (!all)
    return noSequence(n);
  auto at = positionOf(n, 1, all->size(), int64_t(all->size()) - 1);
  if (!at || all->empty())
    return n.broken ? failure() : n.fail("of an empty sequence");
  all->erase(all->begin() + *at);
  return n.set(n.sequence(*all));
}

/// SequenceAt: of tensors of one shape also at a place that is data.
LogicalResult at(Node &n) {
  auto all = n.elements(0);
  if (!all || all->empty())
    return noSequence(n);
  bool isOne = llvm::all_of(
      *all, [&](Value x) { return x.getType() == all->front().getType(); });
  if (n.ints(1) || !isOne) {
    auto place = positionOf(n, 1, all->size(), 0);
    return place ? n.set((*all)[*place]) : failure();
  }
  SmallVector<Value> stacked;
  for (Value x : *all)
    stacked.push_back(n.unsqueeze(x, {0}));
  Value place = n.fromEnd(n.e.reshape(n.i64(n.in(1)), ArrayRef<int64_t>()),
                          n.e.size(all->size()));
  return n.set(n.take(n.e.concat(stacked, 0), place, 0));
}

LogicalResult length(Node &n) {
  auto all = n.elements(0);
  return all ? n.set(n.integer(all->size())) : noSequence(n);
}

/// SplitToSequence: parts of given sizes, of one size, or of size 1, whose
/// dimension may go.
LogicalResult split(Node &n) {
  Value x = n.in(0);
  int64_t dim = n.axisAttr("axis", 0, n.rank(0));
  int64_t size = n.broken ? 0 : n.shape(x)[dim];
  if (n.broken || ShapedType::isDynamic(size))
    return n.broken ? failure() : n.fail("of a size that is not known");
  bool isSqueezed = !n.has(1) && !n.getInt("keepdims", 1);
  Ints sizes;
  if (n.has(1)) {
    auto given = n.ints(1);
    if (!given || given->empty() || (n.rank(1) == 0 && given->front() < 1))
      return n.fail("has sizes that are not known");
    if (n.rank(1) == 1)
      sizes = *given;
    else
      for (int64_t left = size; left > 0; left -= given->front())
        sizes.push_back(std::min(left, given->front()));
  } else {
    sizes.assign(size, 1);
  }
  SmallVector<Value> parts;
  int64_t start = 0;
  for (int64_t each : sizes) {
    Value part = n.slice(x, dim, start, each);
    if (n.broken)
      return failure();
    parts.push_back(isSqueezed ? n.squeeze(part, {dim}) : part);
    start += each;
  }
  return n.set(n.sequence(parts));
}

LogicalResult concat(Node &n) {
  auto all = n.elements(0);
  if (!all || all->empty())
    return noSequence(n);
  bool isNew = n.getInt("new_axis", 0);
  int64_t rank = n.e.typeOf(all->front()).getRank();
  int64_t dim = n.axisAttr("axis", 0, rank + (isNew ? 1 : 0));
  if (n.broken)
    return failure();
  for (Value &x : *all) {
    if (n.e.typeOf(x).getRank() != rank)
      return n.fail("joins tensors of different ranks");
    if (isNew)
      x = n.unsqueeze(x, {dim});
  }
  return n.set(n.e.concat(*all, dim));
}

/// SequenceMap: the graph on the elements of the sequences, one by one, and on
/// the tensors as they are.
LogicalResult map(Node &n) {
  auto first = n.elements(0);
  auto regions = n.op.getRegions();
  if (!first || regions.size() != 1)
    return noSequence(n);
  SmallVector<SmallVector<Value>> results(n.numResults());
  for (size_t k = 0; k < first->size(); ++k) {
    SmallVector<Value> inputs;
    for (unsigned i = 0; i < n.numInputs(); ++i) {
      auto all = n.elements(i);
      if (all && all->size() != first->size())
        return n.fail("has sequences of different lengths");
      inputs.push_back(all ? (*all)[k] : n.in(i));
    }
    auto given = n.run(regions[0], inputs);
    if (failed(given) || given->size() != n.numResults())
      return n.e.reported ? failure() : n.fail("has another number of results");
    for (auto [list, value] : llvm::zip_equal(results, *given))
      list.push_back(value);
  }
  for (auto [i, list] : llvm::enumerate(results))
    if (failed(n.set(i, n.sequence(list))))
      return failure();
  return success();
}

} // namespace

void addSequenceRules(NodeRules &rules) {
  rules.add("SequenceEmpty", construct, 0);
  rules.add("SequenceConstruct", construct);
  rules.add("SequenceInsert", insert, 2);
  rules.add("SequenceErase", erase);
  rules.add("SequenceAt", at, 2);
  rules.add("SequenceLength", length);
  rules.add("SplitToSequence", split);
  rules.add("ConcatFromSequence", concat);
  rules.add("SequenceMap", map);
}

} // namespace kiln::onnx_to_prim
