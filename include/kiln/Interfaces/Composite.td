// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that others of the same level define.
#ifndef KILN_INTERFACES_COMPOSITE_TD
#define KILN_INTERFACES_COMPOSITE_TD

include "mlir/IR/OpBase.td"

def CompositeOpInterface : OpInterface<"CompositeOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An operation of the tile level that other operations of that level compute. `tile-expand-reductions` replaces it, in
    each code generator, unless a lowering of the target takes it as it is; so does what is written for targets that run
    in a program of their own, if they do not read the operation. It needs an evaluation of its own.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds what computes the operation, and appends one value for each of its results, of its type. The builder stands
      in front of the operation.
    }], "void", "buildExpansion",
      (ins "::mlir::OpBuilder &":$builder, "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
  ];
}

#endif
