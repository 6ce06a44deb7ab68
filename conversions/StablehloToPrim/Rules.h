// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of StableHLO by family. Private to the conversion.
#ifndef KILN_CONVERSIONS_STABLEHLOTOPRIM_RULES_H
#define KILN_CONVERSIONS_STABLEHLOTOPRIM_RULES_H

#include "../TensorToPrim/Translator.h"

#include "kiln/Dialect/Stablehlo/Stablehlo.h"

#include <memory>

namespace kiln::stablehlo_to_prim {

using tensor_to_prim::Rules;
using tensor_to_prim::Sizes;
using tensor_to_prim::Translator;

class FunctionSizes;

/// All of them.
void addStablehloRules(Rules &rules, bool dropsWindows = false);

void addElementwiseRules(Rules &rules);
void addConversionRules(Rules &rules);
void addFunctionRules(Rules &rules);
void addMovementRules(Rules &rules,
                      const std::shared_ptr<FunctionSizes> &sizes);
void addDynamicRules(Rules &rules, const std::shared_ptr<FunctionSizes> &sizes);
void addIndexRules(Rules &rules, bool dropsWindows);
void addReductionRules(Rules &rules);
void addWindowRules(Rules &rules);
void addSortRules(Rules &rules);
void addProductRules(Rules &rules);
void addConvolutionRules(Rules &rules);
void addFourierRules(Rules &rules);
void addEquationRules(Rules &rules);
void addNormRules(Rules &rules);
void addRandomRules(Rules &rules);
void addControlFlowRules(Rules &rules);
void addShardingRules(Rules &rules);
void addChloRules(Rules &rules);

//===--- values that are several tensors ------------------------------------//

/// Tensors of prim: one for most tensors, two for complex ones (the real part
/// and the imaginary one), the members of a tuple, none for a token.
using Tensors = llvm::SmallVector<mlir::Value>;

bool isComplex(mlir::Type type);

/// A call of a function of the host, "kiln.NAME FLAG...": the operation of prim
/// of that name.
llvm::LogicalResult hostCall(stablehlo::CustomCallOp op, Translator &e);

/// What a value of the source stands for.
Tensors tensorsOf(mlir::Value source, Translator &e);
/// What several of them stand for, in order.
Tensors tensorsOf(mlir::ValueRange sources, Translator &e);
/// Records what a value stands for; several results of one operation at once.
llvm::LogicalResult bind(mlir::Value source, llvm::ArrayRef<mlir::Value> to,
                         Translator &e);
llvm::LogicalResult bindAll(mlir::ValueRange sources,
                            llvm::ArrayRef<mlir::Value> to, Translator &e);
/// The types of the tensors that values of these types stand for; reports at
/// `op` what prim lacks.
llvm::FailureOr<llvm::SmallVector<mlir::Type>>
typesOf(mlir::Operation *op, mlir::TypeRange types, Translator &e);
/// The type of each tensor that a result stands for.
llvm::FailureOr<mlir::RankedTensorType>
partType(mlir::Operation *op, mlir::Type type, Translator &e);

/// Makes each tensor of the one result from the tensors of the operands, part
/// by part: for operations that only move elements.
llvm::LogicalResult
eachPart(mlir::Operation *op, mlir::ValueRange operands, Translator &e,
         llvm::function_ref<mlir::Value(mlir::RankedTensorType type,
                                        llvm::ArrayRef<mlir::Value> operands)>
             make);

/// Checks that a list of numbers has as many entries as there are dimensions.
llvm::LogicalResult checkCount(mlir::Operation *op, llvm::StringRef name,
                               size_t found, size_t expected, Translator &e);
/// Checks that they are distinct dimensions below `rank`.
llvm::LogicalResult checkDims(mlir::Operation *op, llvm::StringRef name,
                              llvm::ArrayRef<int64_t> dims, int64_t rank,
                              Translator &e);

/// `x` between and around copies of a tensor of rank 0, as stablehlo.pad says;
/// negative padding cuts off.
mlir::Value pad(mlir::Value x, mlir::Value value, llvm::ArrayRef<int64_t> low,
                llvm::ArrayRef<int64_t> high, llvm::ArrayRef<int64_t> interior,
                Translator &e);
llvm::LogicalResult translatePad(mlir::Operation *op, mlir::Value operand,
                                 mlir::Value value, llvm::ArrayRef<int64_t> low,
                                 llvm::ArrayRef<int64_t> high,
                                 llvm::ArrayRef<int64_t> interior,
                                 Translator &e);

/// Puts the operand's dimension i at dims[i] of the result, and repeats it in
/// the result's sizes; those that its type leaves open are `computed`, or those
/// of the operand.
llvm::LogicalResult translateBroadcast(mlir::Operation *op, mlir::Value operand,
                                       llvm::ArrayRef<int64_t> dims,
                                       const Sizes &computed,
                                       FunctionSizes &known, Translator &e);

/// A tensor of rank 0 repeated in a shape.
mlir::Value spread(mlir::Value scalar, mlir::Value like, Translator &e);

//===--- building -----------------------------------------------------------//

/// Makes an operation of prim by its name. One that prim lacks, or lacks an
/// attribute of, is reported at `op` as not supported.
llvm::FailureOr<mlir::Operation *>
make(mlir::Operation *op, llvm::StringRef name, mlir::ValueRange operands,
     mlir::TypeRange results, Translator &e,
     llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
     unsigned regions = 0);
/// The same with one result, that has the type of the first operand unless one
/// is given; null after a report.
mlir::Value call(mlir::Operation *op, llvm::StringRef name,
                 mlir::ValueRange operands, Translator &e,
                 mlir::Type result = {});
/// `unsigned` as an attribute, or nothing.
llvm::SmallVector<mlir::NamedAttribute> unsignedFlag(bool isUnsigned,
                                                     Translator &e);

//===--- regions ------------------------------------------------------------//

/// What a function of two elements does, if it is one operation.
enum class Combiner { Other, Add, Mul, Min, Max, And, Or, Xor, First, Second };
Combiner combinerOf(mlir::Region &region);

/// Translates a region of the source into a block of prim that ends with
/// `prim.yield` and has an argument for each tensor of the region's arguments.
llvm::LogicalResult translateRegion(mlir::Operation *op, mlir::Region &source,
                                    mlir::Region &target, Translator &e);
/// The results of a region whose arguments stand for `arguments`, computed at
/// the insertion point.
llvm::FailureOr<Tensors> inlineRegion(mlir::Region &source,
                                      llvm::ArrayRef<mlir::Value> arguments,
                                      Translator &e);

//===--- complex numbers ----------------------------------------------------//

struct Complex {
  mlir::Value re, im;
};
Complex complexOf(mlir::Value source, Translator &e);

/// Formulas on complex numbers, made for one operation of the source. What
/// prim lacks is reported there once, and `good` says that nothing was.
class ComplexMath {
public:
  ComplexMath(mlir::Operation *op, Translator &e) : e(e), op(op) {}

  bool good = true;

  Complex add(Complex a, Complex b);
  Complex sub(Complex a, Complex b);
  Complex mul(Complex a, Complex b);
  Complex div(Complex a, Complex b);
  Complex conj(Complex z);
  /// i z and -i z.
  Complex turn(Complex z);
  Complex turnBack(Complex z);
  /// The distance from zero, without overflow on the way.
  mlir::Value abs(Complex z);
  Complex exp(Complex z);
  Complex log(Complex z);
  Complex sqrt(Complex z);
  Complex pow(Complex a, Complex b);
  /// The function that StableHLO or CHLO gives this name, or nothing.
  std::optional<Complex> named(llvm::StringRef name, Complex z);

private:
  /// A number times an even power of 2, so that its length neither overflows
  /// nor has few bits. `root` times the root of `z` is the root of the number;
  /// `power` and the logarithm of `z` are its logarithm.
  struct Scaled {
    Complex z;
    mlir::Value root, power;
  };
  Scaled scaled(Complex z);
  mlir::Value isInfinite(mlir::Value x);
  /// sinh or cosh of `x` times a number of at most 1, which may be finite
  /// where the function is not.
  mlir::Value grown(llvm::StringRef name, mlir::Value x, mlir::Value by);

  // Functions that `named` gives.
  Complex expm1(Complex z);
  Complex log1p(Complex z);
  Complex rsqrt(Complex z);
  Complex cbrt(Complex z);
  Complex logistic(Complex z);
  Complex sin(Complex z);
  Complex cos(Complex z);
  Complex sinh(Complex z);
  Complex cosh(Complex z);
  Complex tanh(Complex z);
  Complex asin(Complex z);
  Complex acos(Complex z);
  Complex acosh(Complex z);
  Complex atanh(Complex z);

  Complex scale(Complex a, mlir::Value by);
  /// A function of prim on real numbers; `a` itself if prim lacks it.
  mlir::Value real(llvm::StringRef name, mlir::Value a, mlir::Value b = {});
  mlir::Value number(double value, Complex like);
  Complex plus(Complex z, double value);

  Translator &e;
  mlir::Operation *op;
};

} // namespace kiln::stablehlo_to_prim

#endif // KILN_CONVERSIONS_STABLEHLOTOPRIM_RULES_H
