//===- ScanRecursion.cpp - Scans written as recursions --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that combines elements is read where the first level makes the
// elements of the second one. All other places where the recursion applies it
// have to be the same function of the right parts of the level's sequences.
//
//===----------------------------------------------------------------------===//

#include "ScanRecursion.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Schedule/AccessMap.h"
#include "kiln/Schedule/GroupPlan.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Functions of more operations are left as they are.
static constexpr size_t kMostNodes = 256;
/// Recursions of fewer elements gain nothing.
static constexpr int64_t kFewest = 8;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static ReshapeOpInterface reshapeOf(Value value) {
  return value.getDefiningOp<ReshapeOpInterface>();
}

static SliceOpInterface sliceOf(Value value) {
  return value.getDefiningOp<SliceOpInterface>();
}

static ConcatenationOpInterface catOf(Value value) {
  return value.getDefiningOp<ConcatenationOpInterface>();
}

/// The sizes but those of 1.
static SmallVector<int64_t> longSizes(Value value) {
  return llvm::filter_to_vector(typeOf(value).getShape(),
                                [](int64_t size) { return size != 1; });
}

/// What a value is without reshapes that insert and drop dimensions of 1.
static Value rootOf(Value value) {
  for (ReshapeOpInterface reshape = reshapeOf(value);
       reshape && longSizes(value) == longSizes(reshape.getMoved());
       reshape = reshapeOf(value))
    value = reshape.getMoved();
  return value;
}

/// The size along `dim`; -1 if there is no such dimension.
static int64_t sizeAlong(Value value, unsigned dim) {
  auto type = typeOf(value);
  return dim < type.getRank() ? type.getDimSize(dim) : -1;
}

static bool isSame(Value a, Value b) { return rootOf(a) == rootOf(b); }

/// The value that all elements have; null if they may differ.
static TypedAttr everywhere(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isViewMovement(op) && op->getNumOperands() > 0)
    op = op->getOperand(0).getDefiningOp();
  return op ? splatValue(op) : TypedAttr();
}

static bool isZero(Value value) {
  TypedAttr number = everywhere(value);
  if (auto real = dyn_cast_or_null<FloatAttr>(number))
    return real.getValue().isZero();
  auto integer = dyn_cast_or_null<IntegerAttr>(number);
  return integer && integer.getValue().isZero();
}

namespace {
/// Elements of a tensor a stride apart along one dimension.
struct Part {
  Value source;
  int64_t start = 0, stride = 1, count = 0;

  bool is(int64_t first, int64_t step, int64_t number) const {
    return start == first && count == number && (stride == step || count == 1);
  }
};
} // namespace

/// The part of another tensor that `value` is; a part takes all of the other
/// dimensions.
static std::optional<Part> partOf(Value value, unsigned dim) {
  Value root = rootOf(value);
  SliceOpInterface slice = sliceOf(root);
  auto type = typeOf(root);
  if (!slice || dim >= slice.getStarts().size() ||
      type.getDimSize(dim) != sizeAlong(value, dim))
    return std::nullopt;
  auto source = typeOf(slice.getMoved());
  for (auto [d, start] : llvm::enumerate(slice.getStarts()))
    if (d != dim && (start != 0 || slice.getStrides()[d] != 1 ||
                     type.getDimSize(d) != source.getDimSize(d)))
      return std::nullopt;
  return Part{slice.getMoved(), slice.getStarts()[dim], slice.getStrides()[dim],
              type.getDimSize(dim)};
}

/// The operand of a padding by one zero behind the end of `dim`.
static Value unpadded(Value value, unsigned dim) {
  auto pad = rootOf(value).getDefiningOp<PaddingOpInterface>();
  if (!pad)
    return {};
  for (auto [d, high] : llvm::enumerate(pad.getHigh()))
    if (pad.getLow()[d] != 0 || high != (d == dim ? 1 : 0))
      return {};
  return pad.getMoved();
}

std::optional<Interleaved> kiln::schedule::interleavedOf(Value value) {
  Interleaved result;
  if (Operation *add = prim::getDefinition(value, prim::ElementFunction::Add);
      add && isZero(add->getOperand(1))) {
    value = add->getOperand(0);
    result.addsZero = true;
  }
  SliceOpInterface slice = sliceOf(value);
  Value whole = slice ? slice.getMoved() : value;
  ReshapeOpInterface reshape = reshapeOf(whole);
  ConcatenationOpInterface cat =
      reshape ? catOf(reshape.getMoved()) : ConcatenationOpInterface();
  if (!cat || cat->getNumOperands() != 2 || cat.getJoinedDim() < 1 ||
      !typeOf(reshape.getMoved()).hasStaticShape())
    return std::nullopt;
  unsigned dim = cat.getJoinedDim() - 1;
  ArrayRef<int64_t> both = typeOf(reshape.getMoved()).getShape(),
                    joined = typeOf(whole).getShape();
  if (dim >= joined.size() || both[dim + 1] != 2 ||
      joined[dim] != 2 * both[dim] ||
      joined.take_front(dim) != both.take_front(dim) ||
      typeOf(cat->getOperand(0)).getDimSize(dim + 1) != 1)
    return std::nullopt;
  result.dim = dim;
  result.size = typeOf(value).getDimSize(dim);
  result.even = cat->getOperand(0);
  result.odd = cat->getOperand(1);
  if (slice) {
    auto part = partOf(value, dim);
    if (!part || !part->is(0, 1, joined[dim] - 1))
      return std::nullopt;
    result.odd = unpadded(result.odd, dim);
    if (!result.odd)
      return std::nullopt;
  }
  // A reshape of a reshape is one.
  if (ReshapeOpInterface outer = reshapeOf(result.odd);
      outer && sizeAlong(outer.getMoved(), dim) == result.size / 2)
    result.odd = outer.getMoved();
  return result;
}

int ScanRecursion::componentOf(Value tensor) {
  for (auto [number, known] : llvm::enumerate(levels[0].elements))
    if (known && isSame(known, tensor))
      return number;
  for (Level &level : levels)
    level.elements.push_back({});
  levels[0].elements.back() = tensor;
  functions.push_back(-1);
  return functions.size() - 1;
}

/// The node of a value of the first level; -1 if it is none of a function of
/// elements.
int ScanRecursion::trace(Value value) {
  if (auto known = traced.find(value); known != traced.end())
    return known->second;
  // Operations on the way to the first node count, too.
  if (numTraced >= kMostNodes)
    return -1;
  ++numTraced;
  Node node;
  Operation *op = value.getDefiningOp();
  node.value = everywhere(value);
  auto part = partOf(value, dim);
  if (node.value) {
    // A constant has no operands.
  } else if (part && part->start < 2 && part->is(part->start, 2, size / 2) &&
             typeOf(part->source).getDimSize(dim) == size) {
    node.component = componentOf(part->source);
    node.isRight = part->start == 1;
  } else if (op && isElementwisePrim(op) && op->getNumResults() == 1 &&
             op->getNumRegions() == 0) {
    node.op = op;
    for (Value operand : op->getOperands()) {
      if (operand.getType() != value.getType() &&
          typeOf(operand).getShape() != typeOf(value).getShape())
        return -1;
      int number = trace(operand);
      if (number < 0)
        return -1;
      node.operands.push_back(number);
    }
  } else {
    return -1;
  }
  nodes.push_back(std::move(node));
  return traced[value] = nodes.size() - 1;
}

/// Whether `value` is the function of some elements, which are bound.
bool ScanRecursion::unify(int number, Value value, Bindings &bindings) {
  const Node &node = nodes[number];
  if (node.value)
    return node.value == everywhere(value);
  if (bindings.seen.contains({number, value}))
    return true;
  if (node.component >= 0) {
    Value &bound = bindings.elements[{node.component, int(node.isRight)}];
    if (!bound)
      bound = value;
    auto a = partOf(bound, dim), b = partOf(value, dim);
    return isSame(bound, value) || (a && b && isSame(a->source, b->source) &&
                                    a->is(b->start, b->stride, b->count));
  }
  Operation *op = value.getDefiningOp();
  if (!op || op->getName() != node.op->getName() ||
      op->getAttrDictionary() != node.op->getAttrDictionary() ||
      getElementTypeOrSelf(value) !=
          getElementTypeOrSelf(node.op->getResult(0)) ||
      op->getNumOperands() != node.operands.size())
    return false;
  for (auto [operand, from] : llvm::zip(op->getOperands(), node.operands))
    if (!unify(from, operand, bindings))
      return false;
  bindings.seen.insert({number, value});
  return true;
}

/// Notes the tensor of a component at a level; false if it is another one.
bool ScanRecursion::knowElements(unsigned level, unsigned component,
                                 Value tensor) {
  if (sizeAlong(tensor, dim) != levels[level].size)
    return false;
  Value &known = levels[level].elements[component];
  if (!known)
    known = tensor;
  return isSame(known, tensor);
}

/// Goes down the recursion of one result: the sizes of all levels, and the
/// elements of the first component.
bool ScanRecursion::readLevels(Value value) {
  functions.push_back(-1);
  for (;;) {
    Level &level = levels.emplace_back();
    level.elements.resize(1);
    auto both = interleavedOf(value);
    if (!both) {
      level.size = 1;
      level.elements[0] = value;
      return levels.size() > 1 && levels[levels.size() - 2].size / 2 == 1;
    }
    level.size = both->size;
    if (levels.size() == 1) {
      dim = both->dim;
      size = both->size;
    } else if (both->dim != dim ||
               both->size != levels[levels.size() - 2].size / 2) {
      return false;
    }
    Value first = rootOf(both->even);
    if (ConcatenationOpInterface cat = catOf(first))
      first = cat->getOperand(0);
    auto part = partOf(first, dim);
    if (!part || !part->is(0, 1, 1) ||
        typeOf(part->source).getDimSize(dim) != level.size)
      return false;
    level.elements[0] = part->source;
    value = both->odd;
  }
}

/// Reads the functions of all components, and the elements of all levels that
/// functions of a level below read.
bool ScanRecursion::closeLevels() {
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i < functions.size(); ++i) {
      if (functions[i] >= 0 || !levels[1].elements[i])
        continue;
      functions[i] = trace(levels[1].elements[i]);
      if (functions[i] < 0)
        return false;
      changed = true;
    }
    for (unsigned k = 0; k + 1 < levels.size(); ++k)
      for (unsigned i = 0; i < functions.size(); ++i) {
        if (functions[i] < 0 || !levels[k + 1].elements[i])
          continue;
        Bindings bindings;
        if (!unify(functions[i], levels[k + 1].elements[i], bindings))
          return false;
        for (auto &[which, value] : bindings.elements) {
          auto part = partOf(value, dim);
          if (!part || !part->is(which.second, 2, levels[k].size / 2))
            return false;
          bool isNew = !levels[k].elements[which.first];
          if (!knowElements(k, which.first, part->source))
            return false;
          changed |= isNew;
        }
      }
  }
  return llvm::all_of(functions, [](int node) { return node >= 0; });
}

/// Whether the elements of `rest` combine what ends right before them, of the
/// level below, with their own.
bool ScanRecursion::verifyLater(unsigned k, unsigned component,
                                const Interleaved &both, Value rest) {
  int64_t half = both.size / 2;
  Bindings bindings;
  if (!unify(functions[component], rest, bindings))
    return false;
  for (auto &[which, value] : bindings.elements) {
    auto part = partOf(value, dim);
    if (which.second) {
      if (!part || !part->is(2, 2, (both.size - 1) / 2) ||
          !knowElements(k, which.first, part->source))
        return false;
      continue;
    }
    Value before = value;
    if (both.size % 2 == 0) {
      if (!part || !part->is(0, 1, half - 1))
        return false;
      before = part->source;
    }
    if (sizeAlong(before, dim) != levels[k + 1].size ||
        !verify(k + 1, which.first, before))
      return false;
  }
  return true;
}

/// Whether `value` is the scan of a component of a level.
bool ScanRecursion::verify(unsigned k, unsigned component, Value value) {
  if (verified.contains({rootOf(value), {k, component}}))
    return true;
  const Level &level = levels[k];
  if (level.size == 1) {
    if (!knowElements(k, component, value))
      return false;
  } else {
    auto both = interleavedOf(value);
    if (!both || both->dim != dim || both->size != level.size)
      return false;
    Value first = rootOf(both->even), rest;
    if (ConcatenationOpInterface cat = catOf(first)) {
      first = cat->getOperand(0);
      if (cat.getJoinedDim() != dim || cat->getNumOperands() != 2)
        return false;
      rest = cat->getOperand(1);
      if (typeOf(rest).getDimSize(dim) == 0)
        rest = {};
    }
    auto part = partOf(first, dim);
    if (!part || !part->is(0, 1, 1) || bool(rest) != (level.size > 2) ||
        !knowElements(k, component, part->source) ||
        !verify(k + 1, component, both->odd) ||
        (rest && !verifyLater(k, component, *both, rest)))
      return false;
  }
  verified.insert({rootOf(value), {k, component}});
  return true;
}

std::optional<ScanRecursion> ScanRecursion::find(Value value) {
  ScanRecursion scan;
  auto both = interleavedOf(value);
  if (!both || both->size < kFewest || !scan.readLevels(value) ||
      !scan.closeLevels() || !scan.verify(0, 0, value) || !scan.closeLevels())
    return std::nullopt;
  scan.addsZero = both->addsZero;
  scan.results.push_back({value, 0});
  auto type = typeOf(value);
  for (Value tensor : scan.levels[0].elements) {
    if (!tensor || typeOf(tensor).getShape() != type.getShape())
      return std::nullopt;
    scan.elements.push_back(tensor);
  }
  return scan;
}

bool ScanRecursion::addResult(Value value) {
  auto both = interleavedOf(value);
  if (!both || both->dim != dim || both->size != size ||
      both->addsZero != addsZero)
    return false;
  Value first = rootOf(both->even);
  if (ConcatenationOpInterface cat = catOf(first))
    first = cat->getOperand(0);
  auto part = partOf(first, dim);
  for (unsigned i = 0; part && i < elements.size(); ++i) {
    if (!isSame(elements[i], part->source))
      continue;
    // Another scan of the same elements must not change what is known.
    ScanRecursion trial = *this;
    if (!trial.verify(0, i, value) || !trial.closeLevels() ||
        trial.functions.size() != functions.size())
      continue;
    *this = std::move(trial);
    results.push_back({value, i});
    return true;
  }
  return false;
}

llvm::SetVector<Operation *> ScanRecursion::operations() const {
  llvm::SetVector<Operation *> found;
  SmallVector<Value> work;
  for (auto &[value, component] : results)
    work.push_back(value);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op ||
        llvm::any_of(elements,
                     [&](Value tensor) {
                       return tensor.getType() == value.getType() &&
                              isSame(tensor, value);
                     }) ||
        !found.insert(op))
      continue;
    llvm::append_range(work, op->getOperands());
  }
  return found;
}
