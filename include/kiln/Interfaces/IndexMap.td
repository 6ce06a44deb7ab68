// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements of its operands an operation combines to an element of its result.
#ifndef KILN_INTERFACES_INDEXMAP_TD
#define KILN_INTERFACES_INDEXMAP_TD

include "mlir/IR/OpBase.td"

def IndexMapOpInterface : OpInterface<"IndexMapOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    For an operation on tiles: at which coordinates an element of the result reads each operand. A
    read is an affine map whose dimensions are the coordinates of the result, followed by those that
    the operation sums (or otherwise reduces) over, and whose symbols are `getIndexSymbols()`; it has
    one result per dimension of the operand. A domain, where it is set, says for which coordinates
    the operand is read at all; coordinates outside of it read another operand.

    Elementwise operations (ElementwiseMappable) need not implement this: they read their operands
    at the coordinates of the result. See getOperandRead in IndexMap.h, which knows both.

    Contract: a dimension of the result that appears in no map may change its size with the type of
    the result alone; dimensions that a map ties together change their sizes together.
  }];
  let methods = [
    InterfaceMethod<"How many dimensions the operation sums over.",
      "unsigned", "getNumSummedDims", (ins), "", "return 0;">,
    InterfaceMethod<[{
      Where `operand`, a tile, is read for an element of result `result`. A null map says that the
      coordinates do not follow from those of the result: any element may be read.
    }], "::kiln::OperandRead", "getIndexMap",
      (ins "::mlir::OpOperand &":$operand, "unsigned":$result), "", "return {};">,
    InterfaceMethod<"Appends the scalars that the symbols of the maps stand for.",
      "void", "getIndexSymbols", (ins "::llvm::SmallVectorImpl<::mlir::Value> &":$symbols), "", "return;">,
    InterfaceMethod<[{
      For an operation that makes a tile from coordinates and scalars alone: an affine map with one
      result, the element. A map that is a single symbol fills the tile with that scalar, of whatever
      type. Null for other operations. Such a tile may get any shape.
    }], "::mlir::AffineMap", "getGeneratedElement", (ins), "", "return {};">,
    InterfaceMethod<[{
      True if each element of a result is an element of an operand as it is, at the place that the
      map says.
    }], "bool", "movesElements", (ins), "", "return false;">,
  ];
}

#endif
