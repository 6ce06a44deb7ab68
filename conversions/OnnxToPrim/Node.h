// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A node of a graph of ONNX while it is translated. Private to the conversion.
#ifndef KILN_CONVERSIONS_ONNXTOPRIM_NODE_H
#define KILN_CONVERSIONS_ONNXTOPRIM_NODE_H

#include "../TensorToPrim/SizeForms.h"
#include "../TensorToPrim/Translator.h"

#include "kiln/Dialect/Torch/Torch.h"
#include "kiln/Eval/Evaluator.h"

namespace kiln::onnx_to_prim {

using llvm::ArrayRef;
using llvm::failure;
using llvm::FailureOr;
using llvm::LogicalResult;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::success;
using llvm::Twine;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Type;
using mlir::Value;
using tensor_to_prim::Sizes;
using tensor_to_prim::Translator;

using Ints = SmallVector<int64_t>;

class Node;

/// How the nodes of one operator are translated.
using NodeRule = LogicalResult (*)(Node &);

/// The rules by the operator's name, with how many inputs must be there.
class NodeRules {
public:
  struct Entry {
    NodeRule rule;
    unsigned inputs;
  };
  void add(StringRef name, NodeRule rule, unsigned inputs = 1) {
    table[name] = {rule, inputs};
  }
  /// The rule of an operator. Text of torch-mlir leaves out the domain of its
  /// name.
  const Entry *find(StringRef name) const {
    if (name.consume_front("ai.onnx.preview."))
      name.consume_front("training.");
    for (StringRef domain : {"", "com.microsoft."}) {
      auto it = table.find((domain + name).str());
      if (it != table.end())
        return &it->second;
    }
    return nullptr;
  }

private:
  llvm::StringMap<Entry> table;
};

/// What the nodes of a module share: their rules, and what is known of values.
class Graph {
public:
  explicit Graph(mlir::ModuleOp module) : module(module) {}

  NodeRules rules;
  /// Which sizes of the function are equal.
  tensor_to_prim::SizeForms sizes;

  /// A tensor of prim that does not depend on arguments, if it is small.
  std::optional<eval::Value> evaluate(Value value);
  /// Called before operations are erased, whose values others may become.
  void forget() {
    known.clear();
    sizes.forget();
  }
  /// Called before each node: what is known is that of one function.
  void enter(mlir::func::FuncOp function, Translator &e);

private:
  mlir::ModuleOp module;
  mlir::func::FuncOp current;
  llvm::DenseMap<Value, std::optional<eval::Value>> known;
};

/// A node: what it is given, what it makes, and formulas on tensors that
/// repeat sizes of 1 as ONNX and NumPy do. What goes wrong in a formula is
/// reported once and makes `set` fail.
class Node {
public:
  Node(torch::OperatorOp op, Translator &e, Graph &graph)
      : op(op), e(e), graph(graph) {}

  torch::OperatorOp op;
  Translator &e;
  Graph &graph;
  bool broken = false;

  StringRef name() { return op.getName().drop_front(5); }
  /// The version of the operators of ONNX that the model is written in.
  int64_t opset();
  /// Reports why the node is not translated.
  LogicalResult fail(const Twine &reason);
  /// Reports it from a formula.
  Value refuse(const Twine &reason);

  //===--- inputs ---------------------------------------------------------===//

  unsigned numInputs() { return op.getOperands().size(); }
  bool has(unsigned i) { return i < numInputs() && in(i); }
  /// The tensor of an input; null if it is left out.
  Value in(unsigned i);
  /// Takes another tensor for an input, of which more is known.
  void replace(unsigned i, Value value) { replaced[i] = value; }
  /// Its element type as ONNX has it: integers say whether they are signed.
  Type elementIn(unsigned i) { return elementOf(op.getOperands()[i]); }
  Type elementOf(Value source);
  bool isUnsigned(unsigned i) { return elementIn(i).isUnsignedInteger(); }
  bool isFloat(unsigned i) {
    return mlir::isa<mlir::FloatType>(e.elementOf(in(i)));
  }
  int64_t rank(unsigned i) { return e.typeOf(in(i)).getRank(); }
  ArrayRef<int64_t> shape(Value x) { return e.typeOf(x).getShape(); }

  /// The numbers of an input that does not depend on arguments.
  std::optional<Ints> ints(unsigned i) { return intsOf(in(i)); }
  std::optional<Ints> intsOf(Value x);
  std::optional<SmallVector<double>> numbers(unsigned i) {
    return numbersOf(in(i));
  }
  std::optional<SmallVector<double>> numbersOf(Value x);
  /// The numbers of an input that stand for sizes, some known at run time only.
  std::optional<Sizes> sizes(unsigned i) { return readSizes(in(i)); }
  std::optional<Sizes> readSizes(Value x);
  std::optional<Sizes> readSelected(mlir::Operation *where);

  /// A sequence of tensors: a value that stands for its elements while the
  /// model is translated, and is gone afterwards.
  Value sequence(mlir::ValueRange elements);
  /// The elements of an input that is a sequence.
  std::optional<SmallVector<Value>> elements(unsigned i);

  //===--- attributes -----------------------------------------------------===//

  mlir::Attribute attr(StringRef name) {
    return op->getAttr(("torch.onnx." + name).str());
  }
  bool hasAttr(StringRef name) { return bool(attr(name)); }
  int64_t getInt(StringRef name, int64_t otherwise);
  double getFloat(StringRef name, double otherwise);
  StringRef getString(StringRef name, StringRef otherwise = "");
  std::optional<Ints> getInts(StringRef name);
  std::optional<SmallVector<double>> getFloats(StringRef name);
  /// The graph that an attribute of the node is; null where it is left out.
  mlir::Region *graphAttr(StringRef name);
  /// A list with an entry for each of `count`, all `otherwise` if it is left
  /// out; reports another length.
  Ints getInts(StringRef name, size_t count, int64_t otherwise);
  /// An axis of `rank` dimensions that is counted from the end if it is
  /// negative; reports one that is not there.
  int64_t axis(int64_t given, int64_t rank);
  int64_t axisAttr(StringRef name, int64_t otherwise, int64_t rank) {
    return axis(getInt(name, otherwise), rank);
  }
  Ints axes(ArrayRef<int64_t> given, int64_t rank);
  /// The element type with this number among ONNX's data types; null after a
  /// report.
  Type dataType(int64_t number);

  //===--- results --------------------------------------------------------===//

  unsigned numResults() { return op.getNumResults(); }
  bool wants(unsigned i) {
    return i < numResults() && !op.getResult(i).use_empty();
  }
  /// The static shape that the type of a result says.
  std::optional<Ints> declared(unsigned i = 0);
  /// The rank that the type of a result says, whose sizes may be open.
  std::optional<int64_t> declaredRank(unsigned i = 0);
  Type elementOut(unsigned i = 0) { return elementOf(op.getResult(i)); }
  LogicalResult set(unsigned i, Value value);
  LogicalResult set(Value value) { return set(0, value); }

  //===--- formulas -------------------------------------------------------===//

  /// Repeats sizes that only the program knows where they are 1 and meet
  /// others; the last `behind` dimensions stay. The program fails where sizes
  /// that meet are neither equal nor 1. Sizes that are equal for certain stay.
  void joinOpenSizes(llvm::MutableArrayRef<Value> values, int64_t behind = 0);
  /// Brings tensors to one shape.
  void together(llvm::MutableArrayRef<Value> values);
  template <typename Op> Value unary(Value x) {
    return x ? e.unary<Op>(x) : refuse("has no operand");
  }
  template <typename Op> Value binary(Value a, Value c) {
    Value both[] = {a, c};
    together(both);
    return e.binary<Op>(both[0], both[1]);
  }
  template <typename Op> Value compare(Value a, Value c, bool less = false) {
    Value both[] = {a, c};
    together(both);
    return e.compare<Op>(both[0], both[1]);
  }
  Value add(Value a, Value c) { return binary<prim::AddOp>(a, c); }
  Value sub(Value a, Value c) { return binary<prim::SubOp>(a, c); }
  Value mul(Value a, Value c) { return binary<prim::MulOp>(a, c); }
  Value div(Value a, Value c) { return binary<prim::DivOp>(a, c); }
  Value max(Value a, Value c) { return binary<prim::MaximumOp>(a, c); }
  Value min(Value a, Value c) { return binary<prim::MinimumOp>(a, c); }
  Value both(Value a, Value c) { return binary<prim::BitwiseAndOp>(a, c); }
  Value either(Value a, Value c) { return binary<prim::BitwiseOrOp>(a, c); }
  Value eq(Value a, Value c) { return compare<prim::EqOp>(a, c); }
  Value lt(Value a, Value c) { return compare<prim::LtOp>(a, c); }
  Value le(Value a, Value c) { return compare<prim::LeOp>(a, c); }
  Value gt(Value a, Value c) { return compare<prim::GtOp>(a, c); }
  Value ge(Value a, Value c) { return compare<prim::GeOp>(a, c); }
  Value no(Value x) { return unary<prim::BitwiseNotOp>(x); }
  Value where(Value condition, Value a, Value c);
  /// A scalar of the element type of `like`, or of another.
  Value number(double value, Value like) {
    return number(value, e.elementOf(like));
  }
  Value number(double value, Type element) {
    return e.full(tensor_to_prim::numberAttr(element, value), {});
  }
  Value integer(int64_t value) {
    return e.full(e.b.getI64IntegerAttr(value), {});
  }
  /// A list of constants, of rank 1.
  Value list(ArrayRef<int64_t> values);
  Value floats(ArrayRef<double> values, ArrayRef<int64_t> shape, Type element);
  /// Elements in another type, of which ONNX says whether it is signed.
  Value cast(Value x, Type element, bool fromUnsigned = false);
  Value f32(Value x) { return cast(x, e.b.getF32Type()); }
  Value i64(Value x, bool fromUnsigned = false) {
    return cast(x, e.b.getI64Type(), fromUnsigned);
  }
  /// In f32 if it is narrower.
  Value wide(Value x);
  Value iota(mlir::OpFoldResult count, Type element);
  Value iota(int64_t count, Type element) {
    return iota(e.size(count), element);
  }

  template <typename Op>
  Value reduce(Value x, ArrayRef<int64_t> dims, bool keep) {
    Ints shape, sorted(dims);
    llvm::sort(sorted);
    Sizes kept;
    Sizes all = e.sizesOf(x);
    for (int64_t d = 0; d < e.typeOf(x).getRank(); ++d) {
      bool gone = llvm::is_contained(sorted, d);
      if (!gone)
        shape.push_back(e.typeOf(x).getDimSize(d));
      if (!gone || keep)
        kept.push_back(gone ? e.size(1) : all[d]);
    }
    if (sorted.empty())
      return x;
    Value result = Op::create(e.b, e.typeOf(x).clone(shape), x, sorted);
    return keep ? e.reshape(result, kept) : result;
  }
  Value sum(Value x, ArrayRef<int64_t> dims, bool keep = false) {
    return reduce<prim::SumOp>(x, dims, keep);
  }
  /// Sum divided by how many there are.
  Value mean(Value x, ArrayRef<int64_t> dims, bool keep = false);
  /// The number of elements along dimensions, as a scalar of `element`.
  Value count(Value x, ArrayRef<int64_t> dims, Type element);

  Value unsqueeze(Value x, ArrayRef<int64_t> dims);
  Value squeeze(Value x, ArrayRef<int64_t> dims);
  /// A tensor of rank 1 as dimension `dim` of `rank`, others of size 1.
  Value along(Value x, int64_t dim, int64_t rank);
  Value expand(Value x, ArrayRef<mlir::OpFoldResult> to);
  Value expand(Value x, ArrayRef<int64_t> to);
  /// The same, where sizes that only the program knows may be 1.
  Value expandOpen(Value x, ArrayRef<mlir::OpFoldResult> to);
  /// Repeats dimension `dim`, whose size only the program knows, to size `to`
  /// where it is 1. The program fails where it is neither 1 nor `to`.
  Value repeatOpen(Value x, int64_t dim, mlir::OpFoldResult to);
  /// `x` with `size` elements along `dim`. The program fails where an open size
  /// is another one.
  Value requireSize(Value x, int64_t dim, int64_t size);
  /// A size that is data: the element of a tensor of rank 0.
  mlir::OpFoldResult sizeFrom(Value number);
  /// Sizes that are the elements of an input of rank 1, which may be data.
  std::optional<Sizes> dataSizes(unsigned i);
  /// The first `count` slices along dimension 0.
  Value first(Value x, mlir::OpFoldResult count);
  /// Elements from `start` on, `count` of them, each `step` behind the last.
  Value slice(Value x, int64_t dim, int64_t start, int64_t count,
              int64_t step = 1);
  Value reverse(Value x, int64_t dim);
  /// Slices of `x` at positions along `dim`, which must lie inside.
  Value take(Value x, Value positions, int64_t dim, int64_t batch = 0);
  /// Positions that are counted from the end where they are negative.
  Value fromEnd(Value positions, mlir::OpFoldResult size);
  /// Elements of `x` at coordinates, one tensor for each dimension, all of one
  /// shape and inside.
  Value takeAt(Value x, ArrayRef<Value> coordinates);
  Value pad(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
            Value value);
  /// Product of matrices in the last two dimensions, those before repeated.
  Value matmul(Value a, Value c, Type element = {});
  Value dot(Value a, Value c, ArrayRef<int64_t> aBatch,
            ArrayRef<int64_t> cBatch, ArrayRef<int64_t> aContract,
            ArrayRef<int64_t> cContract, Type element = {});
  Value softmax(Value x, int64_t dim) {
    return prim::SoftmaxOp::create(e.b, x.getType(), x, dim);
  }
  Value logSoftmax(Value x, int64_t dim);
  Value clamp(Value x, double low, double high);

  /// The results of a graph of this node on values, computed here; null after
  /// a report.
  FailureOr<SmallVector<Value>> run(mlir::Region &graph,
                                    ArrayRef<Value> inputs);

private:
  llvm::SmallDenseMap<unsigned, Value, 4> replaced;
};

/// Whether a value is a sequence, see Node::sequence.
bool isSequence(Value value);

/// In another type; floats of at most 8 bits take their largest numbers for
/// what is beyond, unless the node says that it does not saturate.
Value castTo(Node &n, Value x, Type element, bool fromUnsigned = false);

/// Gives the results of a node that was translated the element types that the
/// model does not say.
void completeElementTypes(Node &n);
/// The same for the arguments of a graph of it from `first` on, which get these
/// operands.
void completeArguments(Node &n, mlir::Region &graph,
                       mlir::OperandRange operands, unsigned first);

/// Completes types of results in a block by those of later ones: shape
/// inference stops where a size is computed, and begins again where a result
/// says it.
void inferBackwards(mlir::Block &block);

void addElementwiseRules(NodeRules &rules);
void addActivationRules(NodeRules &rules);
void addConvertRules(NodeRules &rules);
void addConstantRules(NodeRules &rules);
void addShapeRules(NodeRules &rules);
void addSliceRules(NodeRules &rules);
void addPadRules(NodeRules &rules);
void addReductionRules(NodeRules &rules);
void addProductRules(NodeRules &rules);
void addConvRules(NodeRules &rules);
void addPoolRules(NodeRules &rules);
void addNormRules(NodeRules &rules);
void addGatherRules(NodeRules &rules);
void addScatterRules(NodeRules &rules);
void addSelectRules(NodeRules &rules);
void addResizeRules(NodeRules &rules);
void addSampleRules(NodeRules &rules);
void addQuantRules(NodeRules &rules);
void addControlRules(NodeRules &rules);
void addLossRules(NodeRules &rules);
void addRecurrentRules(NodeRules &rules);
void addAttentionRules(NodeRules &rules);
void addSignalRules(NodeRules &rules);
void addRandomRules(NodeRules &rules);
void addStreamingRules(NodeRules &rules);
void addTextRules(NodeRules &rules);
void addTrainingRules(NodeRules &rules);
void addSequenceRules(NodeRules &rules);
void addContribRules(NodeRules &rules);
void addContribQuantRules(NodeRules &rules);
void addContribAttentionRules(NodeRules &rules);

} // namespace kiln::onnx_to_prim

#endif // KILN_CONVERSIONS_ONNXTOPRIM_NODE_H
