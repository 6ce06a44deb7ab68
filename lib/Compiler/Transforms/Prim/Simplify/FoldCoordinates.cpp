//===- FoldCoordinates.cpp - Integers that follow from coordinates --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frameworks compute masks and positions from ranges of integers, by gathers,
// differences and prefix sums whose result does not depend on any argument. An
// integer tensor of known sizes may be an affine function of the coordinates of
// its elements. The pass follows such functions forwards through the program,
// in one walk, and replaces what computes them by ranges and constants.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Transforms/Prim/Passes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::prim {
#define GEN_PASS_DEF_PRIMFOLDCOORDINATES
#include "kiln/Transforms/Prim/Passes.h.inc"
} // namespace kiln::prim

using namespace mlir;
using namespace kiln;
using namespace kiln::prim;

namespace {

/// base + sum of steps[d] * (coordinate d). Along dimensions of at most one
/// element the step is 0. All elements are numbers of the element type; true
/// is 1.
struct Form {
  int64_t base = 0;
  SmallVector<int64_t> steps;

  bool isConstant() const {
    return llvm::all_of(steps, [](int64_t step) { return step == 0; });
  }
  bool operator==(const Form &other) const {
    return base == other.base && steps == other.steps;
  }
};

/// The least and the largest element.
struct Extremes {
  int64_t least, most;
};

using MaybeForm = std::optional<Form>;

class CoordinateForms {
public:
  /// Finds the form of an operation's result, from those of its operands.
  void visit(Operation *op);
  const Form *get(Value value) const {
    auto found = forms.find(value);
    return found == forms.end() ? nullptr : &found->second;
  }

  void set(Value value, Form form) { forms[value] = std::move(form); }

private:
  MaybeForm formOf(Operation *op);
  MaybeForm ofCreation(CreationOpInterface op);
  MaybeForm ofRepeat(RepeatOpInterface op);
  MaybeForm ofReshape(ReshapeOpInterface op);
  MaybeForm ofSlice(SliceOpInterface op);
  MaybeForm ofConcatenation(ConcatenationOpInterface op);
  MaybeForm ofFunction(ElementFunctionOpInterface op);
  MaybeForm ofSelect(Operation *op);
  MaybeForm ofLogic(Operation *op, bool isAnd);
  MaybeForm ofComparison(ElementFunctionOpInterface op);
  MaybeForm ofRead(ScanOp op);
  MaybeForm ofRead(GatherOp op);
  MaybeForm ofConversion(ElementConversionOpInterface op);
  MaybeForm ofElements(Value operand, const Form &indices,
                       ArrayRef<int64_t> shape);

  llvm::DenseMap<Value, Form> forms;
};

} // namespace

/// The type of a tensor of integers and known sizes; null for others.
static RankedTensorType integerTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getElementType().isInteger() &&
                 type.getNumElements() > 0
             ? type
             : RankedTensorType();
}

/// a + b * c; none where that needs more bits than numbers here may have.
static std::optional<int64_t> addProduct(int64_t a, int64_t b, int64_t c) {
  int64_t product, sum;
  constexpr int64_t kMost = int64_t(1) << 53;
  if (llvm::MulOverflow(b, c, product) || llvm::AddOverflow(a, product, sum) ||
      sum > kMost || sum < -kMost)
    return std::nullopt;
  return sum;
}

static std::optional<Extremes> rangeOf(const Form &form,
                                       ArrayRef<int64_t> shape) {
  Extremes range{form.base, form.base};
  for (auto [step, size] : llvm::zip_equal(form.steps, shape)) {
    int64_t &end = step < 0 ? range.least : range.most;
    std::optional<int64_t> moved = addProduct(end, step, size - 1);
    if (!moved)
      return std::nullopt;
    end = *moved;
  }
  return range;
}

/// left + factor * right.
static MaybeForm combine(const Form &left, int64_t factor, const Form &right) {
  Form made;
  std::optional<int64_t> base = addProduct(left.base, factor, right.base);
  if (!base)
    return std::nullopt;
  made.base = *base;
  for (auto [a, b] : llvm::zip_equal(left.steps, right.steps)) {
    std::optional<int64_t> step = addProduct(a, factor, b);
    if (!step)
      return std::nullopt;
    made.steps.push_back(*step);
  }
  return made;
}

static Form constantForm(int64_t value, int64_t rank) {
  return Form{value, SmallVector<int64_t>(rank, 0)};
}

MaybeForm CoordinateForms::ofCreation(CreationOpInterface op) {
  RankedTensorType type = integerTensor(op->getResult(0));
  if (auto splat = dyn_cast_or_null<IntegerAttr>(op.getSplatValue())) {
    const APInt &bits = splat.getValue();
    if (bits.getBitWidth() > 64)
      return std::nullopt;
    return constantForm(bits.getBitWidth() == 1 ? int64_t(bits.isOne())
                                                : bits.getSExtValue(),
                        type.getRank());
  }
  std::optional<int64_t> counted = op.getCountedDim();
  if (!counted || type.getElementType().isInteger(1))
    return std::nullopt;
  Form form = constantForm(0, type.getRank());
  form.steps[*counted] = type.getDimSize(*counted) > 1;
  return form;
}

MaybeForm CoordinateForms::ofRepeat(RepeatOpInterface op) {
  const Form *moved = get(op.getMoved());
  if (!moved)
    return std::nullopt;
  Form form =
      constantForm(moved->base, integerTensor(op->getResult(0)).getRank());
  for (auto [dim, step] : llvm::zip_equal(op.getKeptDims(), moved->steps))
    form.steps[dim] = step;
  return form;
}

/// Only dimensions of one element may come or go, unless all elements are one.
MaybeForm CoordinateForms::ofReshape(ReshapeOpInterface op) {
  const Form *moved = get(op.getMoved());
  if (!moved)
    return std::nullopt;
  ArrayRef<int64_t> from = integerTensor(op.getMoved()).getShape(),
                    to = integerTensor(op->getResult(0)).getShape();
  Form form = constantForm(moved->base, to.size());
  if (moved->isConstant())
    return form;
  size_t next = 0;
  for (auto [dim, size] : llvm::enumerate(to)) {
    if (size == 1)
      continue;
    while (next < from.size() && from[next] == 1)
      ++next;
    if (next == from.size() || from[next] != size)
      return std::nullopt;
    form.steps[dim] = moved->steps[next++];
  }
  return form;
}

MaybeForm CoordinateForms::ofSlice(SliceOpInterface op) {
  const Form *moved = get(op.getMoved());
  if (!moved)
    return std::nullopt;
  Form form = *moved;
  ArrayRef<int64_t> sizes = integerTensor(op->getResult(0)).getShape();
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    std::optional<int64_t> base =
        addProduct(form.base, op.getStarts()[dim], form.steps[dim]);
    std::optional<int64_t> step =
        addProduct(0, op.getStrides()[dim], form.steps[dim]);
    if (!base || !step)
      return std::nullopt;
    form.base = *base;
    form.steps[dim] = sizes[dim] > 1 ? *step : 0;
  }
  return form;
}

/// One function goes on through all parts; a part of one element may belong to
/// any step.
MaybeForm CoordinateForms::ofConcatenation(ConcatenationOpInterface op) {
  int64_t joined = op.getJoinedDim(), begin = 0;
  std::optional<int64_t> step;
  SmallVector<std::pair<Form, int64_t>> parts; // and where they begin
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !type.hasStaticShape())
      return std::nullopt;
    int64_t size = type.getDimSize(joined);
    if (size == 0)
      continue;
    const Form *form = get(operand);
    if (!form || (size > 1 && step && *step != form->steps[joined]))
      return std::nullopt;
    if (size > 1)
      step = form->steps[joined];
    parts.push_back({*form, begin});
    begin += size;
  }
  if (parts.empty())
    return std::nullopt;
  if (!step)
    step = parts.size() > 1 ? parts[1].first.base - parts[0].first.base : 0;
  MaybeForm all;
  for (auto &[form, first] : parts) {
    std::optional<int64_t> base = addProduct(form.base, -first, *step);
    if (!base)
      return std::nullopt;
    form.base = *base;
    form.steps[joined] = *step;
    if (all && !(*all == form))
      return std::nullopt;
    all = form;
  }
  if (begin == 1)
    all->steps[joined] = 0;
  return all;
}

/// The operand that a condition which is known chooses, or what both are.
MaybeForm CoordinateForms::ofSelect(Operation *op) {
  const Form *condition = get(op->getOperand(0)),
             *onTrue = get(op->getOperand(1)),
             *onFalse = get(op->getOperand(2));
  if (condition && condition->isConstant()) {
    const Form *chosen = condition->base ? onTrue : onFalse;
    return chosen ? MaybeForm(*chosen) : std::nullopt;
  }
  if (onTrue && onFalse && *onTrue == *onFalse)
    return *onTrue;
  return std::nullopt;
}

MaybeForm CoordinateForms::ofLogic(Operation *op, bool isAnd) {
  RankedTensorType type = integerTensor(op->getResult(0));
  if (!type.getElementType().isInteger(1))
    return std::nullopt;
  // What decides the result alone.
  int64_t strong = isAnd ? 0 : 1;
  bool areBoth = true;
  for (Value operand : op->getOperands()) {
    const Form *form = get(operand);
    bool isKnown = form && form->isConstant();
    if (isKnown && form->base == strong)
      return constantForm(strong, type.getRank());
    areBoth &= isKnown;
  }
  return areBoth ? MaybeForm(constantForm(1 - strong, type.getRank()))
                 : std::nullopt;
}

MaybeForm CoordinateForms::ofComparison(ElementFunctionOpInterface op) {
  const Form *left = get(op->getOperand(0)), *right = get(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  RankedTensorType type = integerTensor(op->getOperand(0));
  MaybeForm difference = combine(*left, -1, *right);
  std::optional<Extremes> of =
      difference ? rangeOf(*difference, type.getShape()) : std::nullopt;
  if (!of)
    return std::nullopt;
  if (op.isOfUnsigned()) {
    std::optional<Extremes> a = rangeOf(*left, type.getShape()),
                            b = rangeOf(*right, type.getShape());
    if (!a || !b || a->least < 0 || b->least < 0)
      return std::nullopt;
  }
  auto decided = [&](bool isTrue, bool isFalse) -> MaybeForm {
    if (!isTrue && !isFalse)
      return std::nullopt;
    return constantForm(isTrue, type.getRank());
  };
  bool isZero = of->least == 0 && of->most == 0,
       isNever = of->least > 0 || of->most < 0;
  switch (op.getElementFunction()) {
  case ElementFunction::Equal:
    return decided(isZero, isNever);
  case ElementFunction::NotEqual:
    return decided(isNever, isZero);
  case ElementFunction::Less:
    return decided(of->most < 0, of->least >= 0);
  case ElementFunction::LessOrEqual:
    return decided(of->most <= 0, of->least > 0);
  case ElementFunction::Greater:
    return decided(of->least > 0, of->most <= 0);
  case ElementFunction::GreaterOrEqual:
    return decided(of->least >= 0, of->most < 0);
  default:
    return std::nullopt;
  }
}

MaybeForm CoordinateForms::ofFunction(ElementFunctionOpInterface op) {
  ElementFunction function = op.getElementFunction();
  if (function == ElementFunction::Select)
    return ofSelect(op);
  if (function == ElementFunction::And || function == ElementFunction::Or)
    return ofLogic(op, function == ElementFunction::And);
  if (op->getNumOperands() != 2)
    return std::nullopt;
  const Form *left = get(op->getOperand(0)), *right = get(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  if (integerTensor(op->getResult(0)).getElementType().isInteger(1))
    return integerTensor(op->getOperand(0)).getElementType().isInteger(1)
               ? std::nullopt
               : ofComparison(op);
  if (function == ElementFunction::Add || function == ElementFunction::Subtract)
    return combine(*left, function == ElementFunction::Add ? 1 : -1, *right);
  if (function != ElementFunction::Multiply)
    return std::nullopt;
  if (!left->isConstant())
    std::swap(left, right);
  if (!left->isConstant())
    return std::nullopt;
  return combine(constantForm(0, left->steps.size()), left->base, *right);
}

/// Sums of one number along a dimension.
MaybeForm CoordinateForms::ofRead(ScanOp op) {
  const Form *summed = get(op.getOperand());
  if (!summed || !summed->isConstant() || op.getKind() != ScanKind::sum)
    return std::nullopt;
  if (summed->base && op.getReverse())
    return std::nullopt;
  Form form = *summed;
  if (integerTensor(op.getResult()).getDimSize(op.getDim()) > 1)
    form.steps[op.getDim()] = summed->base;
  if (op.getExclusive())
    form.base = 0;
  return form;
}

/// The elements of a line at places inside of it.
MaybeForm CoordinateForms::ofElements(Value operand, const Form &indices,
                                      ArrayRef<int64_t> shape) {
  if (const Form *line = get(operand))
    return combine(constantForm(line->base, indices.steps.size()),
                   line->steps[0], indices);
  // A line that was a matrix: the place of a row and that in the row.
  auto reshape = operand.getDefiningOp<ReshapeOpInterface>();
  const Form *matrix = reshape ? get(reshape.getMoved()) : nullptr;
  if (!matrix || matrix->steps.size() != 2)
    return std::nullopt;
  int64_t columns = integerTensor(reshape.getMoved()).getDimSize(1);
  auto split = [&](int64_t number) {
    return std::pair{llvm::divideFloorSigned(number, columns),
                     number -
                         llvm::divideFloorSigned(number, columns) * columns};
  };
  Form rows, inRow;
  std::tie(rows.base, inRow.base) = split(indices.base);
  for (int64_t step : indices.steps) {
    auto [row, column] = split(step);
    rows.steps.push_back(row);
    inRow.steps.push_back(column);
  }
  // The place in the row must not go on in the next one.
  std::optional<Extremes> range = rangeOf(inRow, shape);
  if (!range || range->least < 0 || range->most >= columns)
    return std::nullopt;
  MaybeForm all = combine(constantForm(matrix->base, rows.steps.size()),
                          matrix->steps[0], rows);
  if (all)
    all = combine(*all, matrix->steps[1], inRow);
  if (!all)
    return std::nullopt;
  return all;
}

MaybeForm CoordinateForms::ofRead(GatherOp op) {
  RankedTensorType operand = op.getOperand().getType();
  const Form *indices = get(op.getIndices());
  if (!indices || operand.getRank() != 1 || !operand.hasStaticShape())
    return std::nullopt;
  ArrayRef<int64_t> shape = integerTensor(op.getIndices()).getShape();
  std::optional<Extremes> range = rangeOf(*indices, shape);
  if (!range || range->least < 0 || range->most >= operand.getDimSize(0))
    return std::nullopt;
  return ofElements(op.getOperand(), *indices, shape);
}

MaybeForm CoordinateForms::ofConversion(ElementConversionOpInterface op) {
  const Form *from = get(op->getOperand(0));
  if (!from)
    return std::nullopt;
  RankedTensorType type = integerTensor(op->getResult(0));
  std::optional<Extremes> range = rangeOf(*from, type.getShape());
  if (!range ||
      ((op.getFromUnsigned() || op.getToUnsigned()) && range->least < 0))
    return std::nullopt;
  if (!type.getElementType().isInteger(1))
    return *from;
  if (!from->isConstant())
    return std::nullopt;
  return constantForm(from->base != 0, type.getRank());
}

MaybeForm CoordinateForms::formOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, MaybeForm>(op)
      .Case([&](CreationOpInterface op) { return ofCreation(op); })
      .Case([&](RepeatOpInterface op) { return ofRepeat(op); })
      .Case([&](ReshapeOpInterface op) { return ofReshape(op); })
      .Case([&](SliceOpInterface op) { return ofSlice(op); })
      .Case([&](ConcatenationOpInterface op) { return ofConcatenation(op); })
      .Case([&](ElementConversionOpInterface op) { return ofConversion(op); })
      .Case([&](ElementFunctionOpInterface op) { return ofFunction(op); })
      .Case<ScanOp, GatherOp>([&](auto op) { return ofRead(op); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether all elements are numbers of the element type.
static bool fits(const Form &form, RankedTensorType type) {
  std::optional<Extremes> range = rangeOf(form, type.getShape());
  unsigned width = type.getElementTypeBitWidth();
  if (!range)
    return false;
  if (width == 1)
    return range->least >= 0 && range->most <= 1;
  return width >= 64 || (llvm::isIntN(width, range->least) &&
                         llvm::isIntN(width, range->most));
}

void CoordinateForms::visit(Operation *op) {
  if (!isa_and_nonnull<PrimDialect>(op->getDialect()) ||
      op->getNumResults() != 1 || !integerTensor(op->getResult(0)))
    return;
  MaybeForm form = formOf(op);
  if (!form)
    return;
  RankedTensorType type = integerTensor(op->getResult(0));
  // Along one element nothing changes.
  for (auto [step, size] : llvm::zip_equal(form->steps, type.getShape()))
    if (size == 1)
      step = 0;
  if (fits(*form, type))
    forms.insert({op->getResult(0), std::move(*form)});
}

namespace {
/// Makes tensors of forms.
class FormBuilder {
public:
  FormBuilder(Operation *op)
      : b(op), loc(op->getLoc()), type(integerTensor(op->getResult(0))) {}

  Value full(int64_t value) {
    return FullOp::create(b, loc, type, ValueRange(),
                          b.getIntegerAttr(type.getElementType(), value));
  }
  Value make(const Form &form) {
    Value sum;
    for (auto [dim, step] : llvm::enumerate(form.steps)) {
      if (!step)
        continue;
      Value part = IotaOp::create(b, loc, type, ValueRange(), int64_t(dim));
      if (step != 1)
        part = MulOp::create(b, loc, part, full(step));
      sum = sum ? AddOp::create(b, loc, sum, part).getResult() : part;
    }
    if (!sum)
      return full(form.base);
    return form.base ? AddOp::create(b, loc, sum, full(form.base)).getResult()
                     : sum;
  }

private:
  OpBuilder b;
  Location loc;
  RankedTensorType type;
};

struct FoldCoordinates
    : kiln::prim::impl::PrimFoldCoordinatesBase<FoldCoordinates> {
  void runOnOperation() override {
    CoordinateForms forms;
    getOperation()->walk([&](Operation *op) {
      forms.visit(op);
      if (Value simpler = simplify(op, forms))
        op->getResult(0).replaceAllUsesWith(simpler);
    });
  }

private:
  /// What an operation computes, from ranges and constants, or the operand that
  /// it gives; null where it stays.
  Value simplify(Operation *op, CoordinateForms &forms);
};
} // namespace

/// The operand of a logical operation, or of a selection, that the other ones
/// leave as it is; null if there is none.
static Value chosenOperand(Operation *op, const CoordinateForms &forms) {
  auto constant = [&](unsigned i) -> std::optional<int64_t> {
    const Form *form = forms.get(op->getOperand(i));
    return form && form->isConstant() ? std::optional(form->base)
                                      : std::nullopt;
  };
  ElementFunction function = getElementFunction(op);
  if (function == ElementFunction::Select) {
    std::optional<int64_t> condition = constant(0);
    return condition ? op->getOperand(*condition ? 1 : 2) : Value();
  }
  bool isAnd = function == ElementFunction::And;
  if (!isAnd && function != ElementFunction::Or)
    return Value();
  RankedTensorType type = integerTensor(op->getResult(0));
  if (!type || !type.getElementType().isInteger(1))
    return Value();
  for (unsigned i : {0u, 1u})
    if (constant(i) == int64_t(isAnd))
      return op->getOperand(1 - i);
  return Value();
}

Value FoldCoordinates::simplify(Operation *op, CoordinateForms &forms) {
  if (!isa_and_nonnull<PrimDialect>(op->getDialect()) ||
      op->getNumResults() != 1 || isa<CreationOpInterface>(op) ||
      op->use_empty())
    return Value();
  const Form *form = forms.get(op->getResult(0));
  // What is computed element by element, or moved, is cheap where it is used.
  bool reads =
      !isa<ElementFunctionOpInterface, ElementConversionOpInterface,
           RepeatOpInterface, ReshapeOpInterface, SliceOpInterface>(op);
  if (form && (form->isConstant() || reads)) {
    Form known = *form;
    Value made = FormBuilder(op).make(known);
    forms.set(made, std::move(known));
    return made;
  }
  Value chosen = chosenOperand(op, forms);
  return chosen && chosen.getType() == op->getResult(0).getType() ? chosen
                                                                  : Value();
}
