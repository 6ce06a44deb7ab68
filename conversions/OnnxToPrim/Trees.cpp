// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ensembles of decision trees: all rows go down all trees at once, one level
// after the other, by tables of the nodes.
#include "Control.h"
#include "Learning.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// How a node compares a feature with its number.
enum Mode : int64_t { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual };

/// The nodes of all trees. A leaf leads to itself.
struct Forest {
  Ints features, modes, yes, no, missing, roots;
  SmallVector<double> bars;
  /// Of each node, what a leaf adds to each target; only leaves have weights.
  SmallVector<double> weights;
  BitVector isWeighted; // entries of `weights`
  int64_t targets = 0;

  int64_t add(bool isLeaf, int64_t feature = 0, int64_t mode = LessEqual,
              double bar = 0) {
    int64_t index = features.size();
    features.push_back(feature);
    modes.push_back(mode);
    bars.push_back(bar);
    missing.push_back(0);
    yes.push_back(isLeaf ? index : -1);
    no.push_back(isLeaf ? index : -1);
    return index;
  }
  bool isLeaf(int64_t node) const { return yes[node] == node; }
  void setTargets(int64_t count) {
    targets = count;
    weights.assign(features.size() * count, 0);
    isWeighted.resize(weights.size());
  }
  void weigh(int64_t node, int64_t target, double weight) {
    weights[node * targets + target] += weight;
    isWeighted.set(node * targets + target);
  }
  /// How many levels lie below the roots; none if a node leads nowhere or back.
  std::optional<int64_t> depth() const;
};

std::optional<int64_t> Forest::depth() const {
  size_t count = features.size();
  BitVector level(count);
  for (int64_t root : roots) {
    if (root < 0 || size_t(root) >= count)
      return std::nullopt;
    level.set(root);
  }
  for (size_t depth = 0; depth <= count; ++depth) {
    BitVector next(count);
    for (unsigned node : level.set_bits()) {
      if (isLeaf(node))
        continue;
      if (yes[node] < 0 || no[node] < 0)
        return std::nullopt;
      next.set(yes[node]);
      next.set(no[node]);
    }
    if (next.none())
      return depth;
    level = std::move(next);
  }
  return std::nullopt;
}

/// A list of numbers among the attributes, which may be a tensor.
std::optional<SmallVector<double>> numbersOf(Node &n, StringRef name) {
  if (auto list = n.getFloats(name))
    return list;
  auto tensor = dyn_cast_or_null<ElementsAttr>(n.attr(name));
  if (!tensor)
    tensor =
        dyn_cast_or_null<ElementsAttr>(n.attr((name + "_as_tensor").str()));
  if (!tensor)
    return std::nullopt;
  auto made = tensor_to_prim::constantValue(n.op, tensor, n.e);
  return failed(made) ? std::nullopt : n.numbersOf(*made);
}

std::optional<int64_t> modeOf(StringRef name) {
  return llvm::StringSwitch<std::optional<int64_t>>(name)
      .Case("BRANCH_LEQ", LessEqual)
      .Case("BRANCH_LT", Less)
      .Case("BRANCH_GTE", GreaterEqual)
      .Case("BRANCH_GT", Greater)
      .Case("BRANCH_EQ", Equal)
      .Case("BRANCH_NEQ", NotEqual)
      .Default(std::nullopt);
}

/// Reads the nodes of the older operators: lists with an entry for each node,
/// which is named by its tree and a number.
FailureOr<Forest>
readNodes(Node &n, DenseMap<std::pair<int64_t, int64_t>, int64_t> &at) {
  auto trees = n.getInts("nodes_treeids"), ids = n.getInts("nodes_nodeids"),
       features = n.getInts("nodes_featureids"),
       yes = n.getInts("nodes_truenodeids"),
       no = n.getInts("nodes_falsenodeids"),
       missing = n.getInts("nodes_missing_value_tracks_true");
  auto bars = numbersOf(n, "nodes_values");
  auto modes = dyn_cast_or_null<ArrayAttr>(n.attr("nodes_modes"));
  size_t count = trees ? trees->size() : 0;
  if (!ids || !features || !yes || !no || !bars || !modes || !count ||
      ids->size() != count || features->size() != count ||
      yes->size() != count || no->size() != count || bars->size() != count ||
      modes.size() != count)
    return n.fail("has lists of nodes of different lengths");
  Forest forest;
  for (size_t i = 0; i < count; ++i) {
    StringRef mode = cast<StringAttr>(modes[i]).getValue();
    auto known = modeOf(mode);
    if (!known && mode != "LEAF")
      return n.fail("has a node of mode '" + mode + "'");
    int64_t node =
        forest.add(!known, known ? (*features)[i] : 0,
                   known.value_or(LessEqual), known ? (*bars)[i] : 0);
    if (missing && missing->size() == count)
      forest.missing[node] = (*missing)[i] != 0 && known;
    if (!at.try_emplace({(*trees)[i], (*ids)[i]}, node).second)
      return n.fail("has two nodes " + Twine((*ids)[i]) + " of tree " +
                    Twine((*trees)[i]));
  }
  DenseSet<int64_t> begun;
  for (size_t i = 0; i < count; ++i) {
    // Nodes of one tree may be listed among those of others.
    if (begun.insert((*trees)[i]).second)
      forest.roots.push_back(i);
    if (forest.isLeaf(i))
      continue;
    for (auto [to, id] :
         {std::pair(&forest.yes, (*yes)[i]), std::pair(&forest.no, (*no)[i])}) {
      auto found = at.find({(*trees)[i], id});
      (*to)[i] = found == at.end() ? -1 : found->second;
    }
  }
  return forest;
}

/// Reads the weights of leaves: lists `target_ids`, or of classes.
LogicalResult
readWeights(Node &n, Forest &forest, StringRef prefix, int64_t targets,
            const DenseMap<std::pair<int64_t, int64_t>, int64_t> &at) {
  auto list = [&](StringRef name) {
    return n.getInts((prefix + name).str()).value_or(Ints());
  };
  Ints trees = list("_treeids"), nodes = list("_nodeids"), ids = list("_ids");
  auto weights = numbersOf(n, (prefix + "_weights").str());
  if (!weights || trees.size() != ids.size() || nodes.size() != ids.size() ||
      weights->size() != ids.size())
    return n.fail("has lists of weights of different lengths");
  forest.setTargets(targets);
  for (size_t i = 0; i < ids.size(); ++i) {
    auto found = at.find({trees[i], nodes[i]});
    if (found == at.end() || ids[i] < 0 || ids[i] >= targets)
      return n.fail("has a weight of a node or target that is not there");
    forest.weigh(found->second, ids[i], (*weights)[i]);
  }
  return success();
}

/// Whether each row's feature takes the branch of `yes` at its nodes.
Value branches(Node &n, const Forest &forest, Value feature, Value at) {
  Type element = n.e.elementOf(feature);
  int64_t count = forest.features.size();
  Value bar = n.take(n.floats(forest.bars, count, element), at, 0);
  auto compare = [&](int64_t mode) {
    switch (mode) {
    case Less:
      return n.lt(feature, bar);
    case GreaterEqual:
      return n.ge(feature, bar);
    case Greater:
      return n.gt(feature, bar);
    case Equal:
      return n.eq(feature, bar);
    case NotEqual:
      return n.no(n.eq(feature, bar));
    default:
      return n.le(feature, bar);
    }
  };
  BitVector used(NotEqual + 1);
  for (int64_t i = 0; i < count; ++i)
    if (!forest.isLeaf(i))
      used.set(forest.modes[i]);
  Value taken, mode;
  for (unsigned each : used.set_bits()) {
    Value here = compare(each);
    if (!taken) {
      taken = here;
      continue;
    }
    if (!mode)
      mode = n.take(n.list(forest.modes), at, 0);
    taken = n.where(n.eq(mode, n.integer(each)), here, taken);
  }
  if (llvm::none_of(forest.missing, [](int64_t i) { return i != 0; }))
    return taken;
  Value goes = n.eq(n.take(n.list(forest.missing), at, 0), n.integer(1));
  return n.either(taken, n.both(goes, n.no(n.eq(feature, feature))));
}

/// The leaf that each row comes to in each tree: [rows, trees].
Value leaves(Node &n, const Forest &forest, Value x) {
  auto depth = forest.depth();
  if (!depth)
    return n.refuse("has nodes that are not trees");
  int64_t columns = n.shape(x)[1];
  for (int64_t feature : forest.features)
    if (feature < 0 || feature >= columns)
      return n.refuse("reads feature " + Twine(feature) + " of " +
                      Twine(columns));
  Sizes sizes{n.e.sizesOf(x)[0], n.e.size(forest.roots.size())};
  Value start = n.expand(n.unsqueeze(n.list(forest.roots), {0}), sizes);
  Value row =
      n.expand(n.along(n.iota(sizes[0], n.e.b.getI64Type()), 0, 2), sizes);
  auto down = [&](Value, ArrayRef<Value> now) -> FailureOr<SmallVector<Value>> {
    Value at = now[0];
    Value column = n.take(n.list(forest.features), at, 0);
    Value yes = n.take(n.list(forest.yes), at, 0),
          no = n.take(n.list(forest.no), at, 0);
    Value taken = branches(n, forest, n.takeAt(x, {row, column}), at);
    return SmallVector<Value>{n.where(taken, yes, no)};
  };
  if (*depth == 0)
    return start;
  auto made = countedLoop(n, n.e.size(*depth), start, down);
  return failed(made) ? Value() : made->front();
}

/// How the weights of trees become one score.
enum class Aggregate { sum, average, min, max };

/// Scores of each target: [rows, targets], with the numbers added that every
/// row gets.
Value scoresOf(Node &n, const Forest &forest, Value x, Aggregate aggregate,
               ArrayRef<double> base) {
  Value leaf = leaves(n, forest, x);
  if (!leaf)
    return {};
  int64_t count = forest.features.size(), targets = forest.targets;
  SmallVector<double> weights(forest.weights);
  bool isExtreme = aggregate == Aggregate::min || aggregate == Aggregate::max;
  double none = std::numeric_limits<double>::infinity() *
                (aggregate == Aggregate::min ? 1 : -1);
  if (isExtreme)
    for (size_t i = 0; i < weights.size(); ++i)
      if (!forest.isWeighted.test(i))
        weights[i] = none;
  Type element = n.e.elementOf(x);
  Value each = n.take(n.floats(weights, {count, targets}, element), leaf, 0);
  Value score;
  if (aggregate == Aggregate::min)
    score = n.reduce<prim::AminOp>(each, {1}, false);
  else if (aggregate == Aggregate::max)
    score = n.reduce<prim::AmaxOp>(each, {1}, false);
  else
    score = n.sum(each, {1});
  if (isExtreme)
    score =
        n.where(n.eq(score, n.number(none, score)), n.number(0, score), score);
  if (aggregate == Aggregate::average)
    score = n.div(score, n.number(forest.roots.size(), score));
  if (!base.empty() && int64_t(base.size()) != targets)
    return n.refuse("has " + Twine(base.size()) + " base_values for " +
                    Twine(targets) + " targets");
  return base.empty() ? score : n.add(score, n.floats(base, targets, element));
}

FailureOr<Aggregate> aggregateOf(Node &n, StringRef name) {
  auto found = llvm::StringSwitch<std::optional<Aggregate>>(name)
                   .Case("SUM", Aggregate::sum)
                   .Case("AVERAGE", Aggregate::average)
                   .Case("MIN", Aggregate::min)
                   .Case("MAX", Aggregate::max)
                   .Default(std::nullopt);
  if (!found)
    return n.fail("has aggregate_function '" + name + "'");
  return *found;
}

LogicalResult treeRegressor(Node &n) {
  DenseMap<std::pair<int64_t, int64_t>, int64_t> at;
  auto forest = readNodes(n, at);
  if (failed(forest) ||
      failed(readWeights(n, *forest, "target", n.getInt("n_targets", 1), at)))
    return failure();
  auto aggregate = aggregateOf(n, n.getString("aggregate_function", "SUM"));
  Value x = failed(aggregate) ? Value() : rowsIn(n);
  auto base = numbersOf(n, "base_values").value_or(SmallVector<double>());
  Value scores = x ? scoresOf(n, *forest, x, *aggregate, base) : Value();
  if (!scores)
    return failure();
  scores = transformed(n, scores, n.getString("post_transform", "NONE"));
  return scores ? n.set(n.f32(scores)) : failure();
}

/// Two classes of which the trees score one: the other one gets the rest of 1
/// if the weights are shares, else the opposite.
LogicalResult scoreTwo(Node &n, const Forest &forest, int64_t scored, Value x,
                       ArrayRef<int64_t> labels, ArrayRef<double> base) {
  Value scores = scoresOf(n, forest, x, Aggregate::sum, {});
  if (!scores)
    return failure();
  Value score = n.slice(scores, 1, scored, 1);
  if (!base.empty())
    score = n.add(score, n.number(base.back(), score));
  auto weights = numbersOf(n, "class_weights").value_or(SmallVector<double>());
  bool isShare = llvm::all_of(weights, [](double w) { return w >= 0; });
  return classifyTwo(n, score, labels, isShare ? 0.5 : 0, isShare);
}

LogicalResult treeClassifier(Node &n) {
  auto labels = labelsOf(n, "classlabels_int64s");
  DenseMap<std::pair<int64_t, int64_t>, int64_t> at;
  auto forest =
      failed(labels) ? FailureOr<Forest>(failure()) : readNodes(n, at);
  if (failed(forest) ||
      failed(readWeights(n, *forest, "class", labels->size(), at)))
    return failure();
  Value x = rowsIn(n);
  if (!x)
    return failure();
  auto base = numbersOf(n, "base_values").value_or(SmallVector<double>());
  auto ids = n.getInts("class_ids").value_or(Ints());
  if (labels->size() == 2 && !ids.empty() && llvm::all_equal(ids))
    return scoreTwo(n, *forest, ids.front(), x, *labels, base);
  Value scores = scoresOf(n, *forest, x, Aggregate::sum, base);
  return scores ? classify(n, scores, *labels) : failure();
}

/// Reads the nodes of TreeEnsemble, whose leaves are apart. A node that asks
/// for one of several numbers becomes a chain of nodes that ask for one each.
FailureOr<Forest> readEnsemble(Node &n) {
  auto features = n.getInts("nodes_featureids"),
       yes = n.getInts("nodes_truenodeids"),
       no = n.getInts("nodes_falsenodeids"),
       yesLeaf = n.getInts("nodes_trueleafs"),
       noLeaf = n.getInts("nodes_falseleafs"), roots = n.getInts("tree_roots"),
       targets = n.getInts("leaf_targetids"),
       missing = n.getInts("nodes_missing_value_tracks_true");
  auto bars = numbersOf(n, "nodes_splits"), modes = numbersOf(n, "nodes_modes"),
       weights = numbersOf(n, "leaf_weights");
  auto members =
      numbersOf(n, "membership_values").value_or(SmallVector<double>());
  size_t count = features ? features->size() : 0;
  if (!yes || !no || !yesLeaf || !noLeaf || !roots || !targets || !bars ||
      !modes || !weights || yes->size() != count || no->size() != count ||
      yesLeaf->size() != count || noLeaf->size() != count ||
      bars->size() != count || modes->size() != count ||
      weights->size() != targets->size())
    return n.fail("has lists of nodes of different lengths");
  Forest forest;
  forest.roots = *roots;
  for (size_t i = 0; i < count; ++i)
    forest.add(false, (*features)[i], int64_t((*modes)[i]), (*bars)[i]);
  for (size_t i = 0; i < targets->size(); ++i)
    forest.add(true);
  ArrayRef<double> rest(members);
  for (size_t i = 0; i < count; ++i) {
    auto follow = [&](int64_t to, int64_t isLeaf) -> int64_t {
      size_t limit = isLeaf ? targets->size() : count;
      return to < 0 || size_t(to) >= limit ? -1 : to + (isLeaf ? count : 0);
    };
    int64_t ifSo = follow((*yes)[i], (*yesLeaf)[i]),
            ifNot = follow((*no)[i], (*noLeaf)[i]), node = i;
    if (missing && missing->size() == count)
      forest.missing[i] = (*missing)[i] != 0;
    if (int64_t((*modes)[i]) == 6) { // a set, whose numbers end with NaN
      size_t size = 0;
      while (size < rest.size() && !std::isnan(rest[size]))
        ++size;
      ArrayRef<double> set = rest.take_front(size);
      rest = rest.drop_front(std::min(size + 1, rest.size()));
      if (set.empty())
        return n.fail("has a set without numbers");
      for (auto [k, number] : llvm::enumerate(set)) {
        int64_t next =
            k == 0 ? node : forest.add(false, (*features)[i], Equal, number);
        if (k == 0) {
          forest.modes[node] = Equal;
          forest.bars[node] = number;
        } else
          forest.no[node] = next;
        node = next;
        forest.yes[node] = ifSo;
      }
    } else if (!((*modes)[i] >= LessEqual && (*modes)[i] <= NotEqual))
      return n.fail("has a node of mode " + Twine(int64_t((*modes)[i])));
    forest.yes[node] = ifSo;
    forest.no[node] = ifNot;
  }
  forest.setTargets(n.getInt("n_targets", 1));
  for (size_t i = 0; i < targets->size(); ++i) {
    if ((*targets)[i] < 0 || (*targets)[i] >= forest.targets)
      return n.fail("has a weight of a target that is not there");
    forest.weigh(count + i, (*targets)[i], (*weights)[i]);
  }
  return forest;
}

LogicalResult treeEnsemble(Node &n) {
  static constexpr StringRef transforms[] = {"NONE", "SOFTMAX", "LOGISTIC",
                                             "SOFTMAX_ZERO", "PROBIT"};
  auto forest = readEnsemble(n);
  if (failed(forest))
    return failure();
  int64_t aggregate = n.getInt("aggregate_function", 1),
          transform = n.getInt("post_transform", 0);
  if (aggregate < 0 || aggregate > 3 || transform < 0 || transform > 4)
    return n.fail("has an aggregate_function or post_transform of no meaning");
  static constexpr Aggregate aggregates[] = {Aggregate::average, Aggregate::sum,
                                             Aggregate::min, Aggregate::max};
  Value x = rowsIn(n);
  Value scores =
      x ? scoresOf(n, *forest, x, aggregates[aggregate], {}) : Value();
  scores = scores ? transformed(n, scores, transforms[transform]) : Value();
  return scores ? n.set(n.cast(scores, n.elementIn(0))) : failure();
}

} // namespace

void addTreeRules(NodeRules &rules) {
  rules.add("ai.onnx.ml.TreeEnsembleRegressor", treeRegressor);
  rules.add("ai.onnx.ml.TreeEnsembleClassifier", treeClassifier);
  rules.add("ai.onnx.ml.TreeEnsemble", treeEnsemble);
}

} // namespace kiln::onnx_to_prim
