// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses of classifications.
#include "Node.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// The loss of logarithms of probabilities [N, C, ...] for classes [N, ...].
Value lossOf(Node &n, Value logs, unsigned target, unsigned weights) {
  int64_t rank = n.e.typeOf(logs).getRank();
  StringRef reduction = n.getString("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    return n.refuse("has reduction '" + reduction + "'");
  if (rank < 2 || n.rank(target) != rank - 1)
    return n.refuse("has classes whose rank does not fit");
  Value classes = n.i64(n.in(target));
  Value counts;
  if (n.hasAttr("ignore_index")) {
    counts = n.no(n.eq(classes, n.integer(n.getInt("ignore_index", -1))));
    classes = n.where(counts, classes, n.integer(0));
  }
  Ints order{0};
  for (int64_t d = 2; d < rank; ++d)
    order.push_back(d);
  order.push_back(1);
  Value picked =
      n.take(n.e.transpose(logs, order), classes, rank - 1, rank - 1);
  Value weight = n.has(weights) ? n.take(n.in(weights), classes, 0) : Value();
  if (counts) {
    Value one = weight ? weight : n.number(1, logs);
    weight = n.where(counts, one, n.number(0, logs));
  }
  Value loss = n.unary<prim::NegOp>(picked);
  if (weight) // what is ignored may be infinite
    loss = counts ? n.where(counts, n.mul(loss, weight), n.number(0, logs))
                  : n.mul(loss, weight);
  if (reduction == "none")
    return loss;
  Ints all;
  for (int64_t d = 0; d < rank - 1; ++d)
    all.push_back(d);
  Value sum = n.sum(loss, all);
  if (reduction == "sum")
    return sum;
  return n.div(sum, weight ? n.sum(weight, all)
                           : n.count(loss, all, n.e.elementOf(loss)));
}

LogicalResult negativeLogLikelihood(Node &n) {
  return n.set(lossOf(n, n.in(0), 1, 2));
}

LogicalResult softmaxCrossEntropy(Node &n) {
  if (n.rank(0) < 2)
    return n.fail("of a tensor of rank " + Twine(n.rank(0)));
  Value logs = n.logSoftmax(n.in(0), 1);
  return failed(n.set(0, lossOf(n, logs, 1, 2))) ? failure() : n.set(1, logs);
}

} // namespace

void addLossRules(NodeRules &rules) {
  rules.add("NegativeLogLikelihoodLoss", negativeLogLikelihood, 2);
  rules.add("SoftmaxCrossEntropyLoss", softmaxCrossEntropy, 2);
}

} // namespace kiln::onnx_to_prim
