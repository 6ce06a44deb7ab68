// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller says of the arguments of a model before it is compiled.
#ifndef KILN_CONVERSIONS_ONNXTOPRIM_ARGUMENTS_H
#define KILN_CONVERSIONS_ONNXTOPRIM_ARGUMENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::onnx_to_prim {

/// Takes sequences among the arguments of a module's functions apart, and puts
/// constants in the place of arguments. `lengths` are texts NAME:LENGTH,
/// `fixed` are NAME:NUMBERS with `x` between the numbers. LENGTHxRANK also says
/// what rank the elements have. A sequence is passed as its elements, one
/// behind the other, an optional as 0 or 1 of them. Reports sequences whose
/// length is not given, and texts that fit no argument.
llvm::LogicalResult specialize(mlir::ModuleOp module,
                               llvm::ArrayRef<std::string> lengths,
                               llvm::ArrayRef<std::string> fixed);

} // namespace kiln::onnx_to_prim

#endif // KILN_CONVERSIONS_ONNXTOPRIM_ARGUMENTS_H
