// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells whether sizes of the function that is being converted are equal.
#ifndef KILN_CONVERSIONS_STABLEHLOTOPRIM_FUNCTIONSIZES_H
#define KILN_CONVERSIONS_STABLEHLOTOPRIM_FUNCTIONSIZES_H

#include "../TensorToPrim/SizeForms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::stablehlo_to_prim {

/// Normal forms of sizes, which broadcasts of one function share: a chain of
/// them is followed once. Conversions erase operations of prim between
/// functions only; no other function's forms are kept.
class FunctionSizes {
public:
  /// The forms for the function that contains `source`.
  tensor_to_prim::SizeForms &of(mlir::Operation *source) {
    auto parent = source->getParentOfType<mlir::func::FuncOp>();
    if (parent != function)
      forms.forget();
    function = parent;
    return forms;
  }

private:
  mlir::func::FuncOp function;
  tensor_to_prim::SizeForms forms;
};

} // namespace kiln::stablehlo_to_prim

#endif // KILN_CONVERSIONS_STABLEHLOTOPRIM_FUNCTIONSIZES_H
