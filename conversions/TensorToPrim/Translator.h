// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a function of prim while it reads one of tensors or buffers. Private
// to the conversions of such functions.
#ifndef KILN_CONVERSIONS_TENSORTOPRIM_TRANSLATOR_H
#define KILN_CONVERSIONS_TENSORTOPRIM_TRANSLATOR_H

#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Index/ScalarBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <memory>
#include <optional>

namespace kiln::tensor_to_prim {

class Translator;

/// The sizes of a tensor: attributes where they are static, else index values.
using Sizes = llvm::SmallVector<mlir::OpFoldResult>;

/// How one operation is translated. It has reported the reason if it fails.
using Rule =
    std::function<llvm::LogicalResult(mlir::Operation *, Translator &)>;

/// A buffer of the source: what it holds now, or the part of another buffer
/// that it stands for. Programs on buffers are read in their order, so that
/// each read sees what was written before it.
struct Place {
  /// What a buffer of its own holds.
  mlir::Value value;
  /// What a view is a part of, and how it is read and written there.
  std::shared_ptr<Place> base;
  std::function<llvm::FailureOr<mlir::Value>(mlir::Value)> read;
  std::function<llvm::FailureOr<mlir::Value>(mlir::Value, mlir::Value)> write;
  /// The block of the buffer that a view is, where it is known.
  std::optional<std::pair<llvm::SmallVector<int64_t>,
                          llvm::SmallVector<int64_t>>>
      box; // [first, limit)
  bool written = false;
  /// A call that may have written to it.
  mlir::Operation *call = nullptr;

  Place &root() { return base ? base->root() : *this; }
};

/// The rules by the name of the operation.
class Rules {
public:
  template <typename Op>
  void add(llvm::LogicalResult (*rule)(Op, Translator &)) {
    table[Op::getOperationName()] = [rule](mlir::Operation *op,
                                           Translator &translator) {
      return rule(mlir::cast<Op>(op), translator);
    };
  }
  void add(llvm::StringRef name, Rule rule) { table[name] = std::move(rule); }
  const Rule *find(llvm::StringRef name) const {
    auto it = table.find(name);
    return it == table.end() ? nullptr : &it->second;
  }

private:
  llvm::StringMap<Rule> table;
};

void addConstantRules(Rules &rules);
void addControlRules(Rules &rules);
void addTensorRules(Rules &rules);
void addSliceRules(Rules &rules);
void addArithRules(Rules &rules);
void addBitRules(Rules &rules);
void addConvertRules(Rules &rules);
void addMathRules(Rules &rules);
void addMemoryRules(Rules &rules);

/// A constant, in a type that prim has.
llvm::LogicalResult translateElements(mlir::Operation *op,
                                      mlir::ElementsAttr value, Translator &e);
/// One side if it is known which. Else both are computed, and one is taken:
/// what only the side that is taken keeps inside of a tensor is kept inside
/// here.
llvm::LogicalResult translateBranch(mlir::Operation *op, mlir::Value condition,
                                    mlir::ValueRange inputs, mlir::Region &yes,
                                    mlir::Region &no, Translator &e);
/// Loops whose conditions do not depend on data end after a known number of
/// steps. `before` gives the condition, and what goes on from there, unless
/// that is what it was given (`keepsArguments`).
llvm::LogicalResult translateLoop(mlir::Operation *op, mlir::ValueRange inits,
                                  mlir::Region &before, mlir::Region &after,
                                  bool keepsArguments, Translator &e);

/// A part of a tensor or of a buffer. Each entry is a number, a size that is
/// known at run time only, or an element of a tensor (of rank 0).
struct Part {
  Sizes offsets, sizes, strides;
  llvm::SmallBitVector dropped; // dimensions that the part does not have
};

/// Offsets, sizes and strides as they are known now.
Part partOf(llvm::ArrayRef<mlir::OpFoldResult> offsets,
            llvm::ArrayRef<mlir::OpFoldResult> sizes,
            llvm::ArrayRef<mlir::OpFoldResult> strides,
            const llvm::SmallBitVector &dropped, Translator &e);
/// Reads the part of `x`; `op` is where errors are reported.
llvm::FailureOr<mlir::Value> readPart(mlir::Operation *op, mlir::Value x,
                                      const Part &block, Translator &e);
/// `x` with other elements in the part.
llvm::FailureOr<mlir::Value> writePart(mlir::Operation *op, mlir::Value x,
                                       mlir::Value part, const Part &block,
                                       Translator &e);

/// Reads elements of `x` at positions (one for each dimension, tensors of i64
/// of one shape): of one shape with them.
mlir::Value readElements(mlir::Value x, llvm::ArrayRef<mlir::Value> indices,
                         Translator &e);
/// The upper half of the product of integers of at least 8 bits.
mlir::Value highProduct(mlir::Value x, mlir::Value y, bool isUnsigned,
                        Translator &e);
/// The rule for operations that read one element.
llvm::LogicalResult element(mlir::Operation *op, mlir::Value source,
                            mlir::ValueRange at, Translator &e);
/// `x` with another element at one position.
mlir::Value writeElement(mlir::Value x, llvm::ArrayRef<mlir::Value> indices,
                         mlir::Value element, Translator &e);

/// A constant of the source; `op` is where errors are reported.
llvm::FailureOr<mlir::Value>
constantValue(mlir::Operation *op, mlir::ElementsAttr value, Translator &e);

/// A type or a map as it is printed.
template <typename T> std::string text(const T &value) {
  std::string result;
  llvm::raw_string_ostream(result) << value;
  return result;
}

/// The element type that stands for `type` in prim, or null.
mlir::Type primElement(mlir::Type type);

/// Whether values of `type` are read as unsigned.
bool isUnsigned(mlir::Type type);

/// A scalar attribute of `element` for a number.
mlir::TypedAttr numberAttr(mlir::Type element, double value);
mlir::TypedAttr integerAttr(mlir::Type element, int64_t value);

/// Translates the operations of one function, calls included.
class Translator {
public:
  Translator(mlir::ModuleOp module, const Rules &rules);

  mlir::ImplicitLocOpBuilder b;

  /// What stands for elements that the file leaves out: "zeros", "random", or
  /// empty if that is an error; and for how many constants it did.
  std::string elided;
  int64_t numElided = 0;

  /// Whether a reason for a failure was given.
  bool reported = false;

  /// Reports why `op` is not translated.
  llvm::LogicalResult unsupported(mlir::Operation *op,
                                  const llvm::Twine &reason);

  //===--- what values of the source stand for ---------------------------===//

  /// The tensor of prim that stands for a tensor or a scalar.
  mlir::Value get(mlir::Value source);
  /// The sizes that a `!tosa.shape` holds, or the one size of an `index`.
  Sizes getSizes(mlir::Value source);
  /// The sizes as numbers, if all of them are known.
  std::optional<llvm::SmallVector<int64_t>>
  getConstantSizes(mlir::Value source);

  /// The same as a tensor of rank 0, or of the iteration space in a body; by a
  /// sum over as many ones where it is known at run time only.
  mlir::Value sizeTensor(mlir::OpFoldResult size);
  /// The size that an index is which is computed from elements.
  mlir::OpFoldResult readSize(mlir::Value source);
  /// The sizes of a type, those that it leaves open from `dynamic` in order.
  Sizes sizesOfType(mlir::RankedTensorType type, mlir::ValueRange dynamic);
  /// Translates an operation that gives the size of a dimension of `source`.
  llvm::LogicalResult setDim(mlir::Operation *op, mlir::Value source,
                             mlir::Value dim);

  /// Records the translation of a result, after a check of its type.
  llvm::LogicalResult set(mlir::Value source, mlir::Value value);
  void setSizes(mlir::Value source, Sizes sizes) {
    shapes[source] = std::move(sizes);
  }
  /// Records that a result cannot be computed because of a call.
  void setOpaque(mlir::Value source, mlir::Operation *call) {
    opaque[source] = call;
  }
  mlir::Operation *getOpaque(mlir::Value source) {
    if (const auto &place = places.lookup(source))
      return place->root().call;
    return opaque.lookup(source);
  }
  bool isKnown(mlir::Value source) {
    return values.count(source) || shapes.count(source) || places.count(source);
  }
  void alias(mlir::Value source, mlir::Value value) { values[source] = value; }
  void forget(mlir::Value source) {
    values.erase(source);
    shapes.erase(source);
    places.erase(source);
  }
  /// Gives values of the source all that others stand for, as if at once.
  void share(mlir::ValueRange from, mlir::ValueRange to);

  //===--- buffers --------------------------------------------------------===//

  /// Makes a buffer of its own that holds `value`.
  std::shared_ptr<Place> newPlace(mlir::Value value);
  void setPlace(mlir::Value source, std::shared_ptr<Place> place) {
    places[source] = std::move(place);
  }
  std::shared_ptr<Place> placeOf(mlir::Value source) {
    return places.lookup(source);
  }
  /// Replaces what a buffer, or the part of one that a view is, holds.
  llvm::LogicalResult write(mlir::Operation *op, mlir::Value source,
                            mlir::Value value);
  /// Buffers of the module.
  llvm::DenseMap<mlir::Operation *, std::shared_ptr<Place>> globalPlaces;
  /// What all buffers hold, to return to after one side of a condition.
  llvm::SmallVector<mlir::Value> saveBuffers();
  void restoreBuffers(llvm::ArrayRef<mlir::Value> saved);
  /// The result of an operation on tensors, or what one on buffers writes.
  llvm::LogicalResult setOrWrite(mlir::Operation *op, unsigned result,
                                 mlir::Value destination, mlir::Value value);

  /// The ranked tensor type of prim for a type of the source, or null.
  mlir::RankedTensorType tensorType(mlir::Type type);

  //===--- operations and functions ---------------------------------------===//

  /// Translates one operation.
  llvm::LogicalResult emit(mlir::Operation *op);
  /// Translates a call of a function with a body.
  llvm::LogicalResult inlineCall(mlir::func::CallOp call,
                                 mlir::func::FuncOp callee);
  /// Translates the operations of a block but for its terminator.
  llvm::LogicalResult emitBlock(mlir::Block &block);
  mlir::Operation *lookupSymbol(llvm::StringRef name) {
    return module.lookupSymbol(name);
  }
  mlir::func::FuncOp lookup(llvm::StringRef name) {
    return module.lookupSymbol<mlir::func::FuncOp>(name);
  }

  /// Notes that values of `indices` below 0 or from `size` on have no meaning.
  void limitIndices(mlir::Value indices, int64_t size);
  /// `indices` of elements to read; between 0 and `size` - 1 where it is not
  /// certain that the program gets there.
  mlir::Value keepInside(mlir::Value indices, mlir::OpFoldResult size);
  /// On a side of a condition that depends on data.
  bool isSpeculative = false;
  /// What is known of the numbers in arguments: [least, largest].
  llvm::DenseMap<mlir::Value, int64_t> largestIndex;

  /// Tensors that were printed, and those that were only prepared for it.
  llvm::SmallVector<mlir::Value> printed, unranked;

  //===--- bodies of structured operations --------------------------------===//

  /// A region that is evaluated for all points of an iteration space at once.
  struct Body {
    mlir::Region *region;
    Sizes sizes;
    llvm::SmallVector<int64_t> dims;        // loop dimension of each of `sizes`
    llvm::SmallVector<int64_t> starts = {}; // first index of each, 0 if none
  };
  Body *body = nullptr;

  //===--- building -------------------------------------------------------===//

  mlir::RankedTensorType typeOf(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
  mlir::Type elementOf(mlir::Value value) {
    return typeOf(value).getElementType();
  }
  Sizes sizesOf(mlir::Value value);
  mlir::RankedTensorType typeFor(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                                 mlir::Type element);
  llvm::SmallVector<mlir::Value>
  dynamicSizes(llvm::ArrayRef<mlir::OpFoldResult> sizes);

  /// The same elements with other sizes.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<mlir::OpFoldResult> to);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> to);
  /// Turns `?` into the sizes known from elsewhere.
  mlir::Value refine(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// Repeats dimensions of size 1 (rank unchanged).
  mlir::Value broadcast(mlir::Value value,
                        llvm::ArrayRef<mlir::OpFoldResult> to);
  /// Puts dimension i of `value` at dims[i] of the result.
  mlir::Value broadcastInDim(mlir::Value value, llvm::ArrayRef<int64_t> dims,
                             llvm::ArrayRef<mlir::OpFoldResult> to);
  /// Brings tensors to one shape, sizes of 1 being repeated.
  llvm::LogicalResult
  broadcastTogether(mlir::Operation *op,
                    llvm::MutableArrayRef<mlir::Value> values);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// Elements [start, limit) along one dimension; a limit of -1 is the end.
  mlir::Value sliceDim(mlir::Value value, int64_t dim, int64_t start,
                       int64_t limit);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> values, int64_t dim);
  mlir::Value full(mlir::TypedAttr value,
                   llvm::ArrayRef<mlir::OpFoldResult> sizes);
  /// A number repeated in the shape of `like`, in its element type or another.
  mlir::Value number(double value, mlir::Value like, mlir::Type element = {});
  mlir::Value integer(int64_t value, mlir::Value like, mlir::Type element = {});
  mlir::Value constant(mlir::DenseElementsAttr value);
  mlir::Value convert(mlir::Value value, mlir::Type element, bool round = false,
                      bool fromUnsigned = false, bool toUnsigned = false);

  template <typename Op> mlir::Value unary(mlir::Value value) {
    return Op::create(b, value.getType(), value);
  }
  template <typename Op> mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    return Op::create(b, lhs.getType(), lhs, rhs);
  }
  template <typename Op> mlir::Value compare(mlir::Value lhs, mlir::Value rhs) {
    return Op::create(b, typeOf(lhs).clone(b.getI1Type()), lhs, rhs);
  }
  mlir::Value where(mlir::Value condition, mlir::Value a, mlir::Value c) {
    return prim::WhereOp::create(b, a.getType(), condition, a, c);
  }
  /// Sum, difference and product; modulo 2 for i1.
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  /// Limits integers to the range of a type with `bits` bits.
  mlir::Value clampTo(mlir::Value value, int64_t low, int64_t high);
  /// Integer division rounded down or, with `up`, up.
  mlir::Value divide(mlir::Value lhs, mlir::Value rhs, bool up);
  mlir::Value isNan(mlir::Value value) {
    return compare<prim::NeOp>(value, value);
  }

  /// A few elements that do not depend on arguments become a constant.
  mlir::Value settle(mlir::Value value);
  /// The value of a tensor that is known, read through reshapes.
  std::optional<mlir::DenseElementsAttr> constantOf(mlir::Value value);
  std::optional<llvm::SmallVector<int64_t>> integersOf(mlir::Value value,
                                                       bool isUnsigned = false);
  /// The one value that all elements have.
  std::optional<mlir::TypedAttr> splatOf(mlir::Value value);

  /// Arithmetic on sizes. One that does not fit is an error at the operation
  /// that is being translated.
  index::ScalarBuilder &sizeMath() {
    sizeBuilder.loc = b.getLoc();
    return sizeBuilder;
  }
  mlir::Value sizeValue(mlir::OpFoldResult size);
  mlir::OpFoldResult size(int64_t value) { return b.getIndexAttr(value); }

private:
  index::ScalarBuilder sizeBuilder{b, b.getLoc()};
  mlir::ModuleOp module;
  const Rules &rules;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Value, Sizes> shapes;
  llvm::DenseMap<mlir::Value, std::shared_ptr<Place>> places;
  llvm::SmallVector<std::shared_ptr<Place>> buffers;
  llvm::DenseMap<mlir::Value, mlir::Operation *> opaque;
  llvm::SmallVector<mlir::func::CallOp> calls;
  int64_t emitted = 0;
};

} // namespace kiln::tensor_to_prim

#endif // KILN_CONVERSIONS_TENSORTOPRIM_TRANSLATOR_H
