// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_INTERFACES_REDUCTION_TD
#define KILN_INTERFACES_REDUCTION_TD

include "mlir/IR/OpBase.td"

def ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An operation that combines the elements along one dimension of tiles. `tile-expand-reductions` makes a `tile.reduce` of
    it, so that every family stages and lowers it, unless a lowering of the target takes the operation as it is.

    What is reduced are the tiles of `buildSources`, one element of each at a time. They have one shape. The result of
    `tile.reduce` has that shape without the dimension; `buildResults` makes the results of the operation from it.
  }];
  let methods = [
    InterfaceMethod<"The dimension of the sources that goes.",
      "int64_t", "getReducedAxis">,
    InterfaceMethod<[{
      Appends what combines two elements of each source, `left` and `right`, to `results`: operations of arith and math on
      scalars. It is taken to be associative and commutative unless the reduction is ordered.
    }], "void", "buildCombination",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$left,
           "::mlir::ValueRange":$right, "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
    InterfaceMethod<"Whether elements are combined from the left, by ascending index.",
      "bool", "isOrderedReduction", (ins), "", "return false;">,
    InterfaceMethod<[{
      Appends the tiles that are reduced: by default the operands that are tiles. Others are made by operations of the tile
      level, such as the squares of an operand.
    }], "void", "buildSources",
      (ins "::mlir::OpBuilder &":$builder, "::llvm::SmallVectorImpl<::mlir::Value> &":$sources), "", [{
        for (::mlir::Value operand : $_op->getOperands())
          if (::llvm::isa<::mlir::RankedTensorType>(operand.getType()))
            sources.push_back(operand);
      }]>,
    InterfaceMethod<[{
      Appends the results of the operation: by default what was reduced, one for each source. A result of as many elements
      may have another shape, such as the reduced dimension with size 1.
    }], "void", "buildResults",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$reduced,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$results), "", [{
        results.append(reduced.begin(), reduced.end());
      }]>,
  ];
}

#endif
