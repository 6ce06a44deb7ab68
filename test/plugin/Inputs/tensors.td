// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dialect of operations on whole tensors, which fusion and schedules know by Kiln's interfaces alone.
include "kiln/Dialect/Prim/TensorInterfaces.td"
include "kiln/Interfaces/Movement.td"
include "kiln/Interfaces/Work.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tensors_Dialect : Dialect {
  let name = "tensors";
  let cppNamespace = "::tensors";
}

class Tensors_Op<string mnemonic, list<Trait> traits> : Op<Tensors_Dialect, mnemonic, !listconcat([Pure], traits)>;

def Tensors_TransposeOp : Tensors_Op<"transpose", [PermutationOpInterface]> {
  let summary = "Permutes the dimensions";
  let arguments = (ins AnyRankedTensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `permutation` $permutation attr-dict `:` type($operand) `->` type($result)";
}

def Tensors_SliceOp : Tensors_Op<"slice", [SliceOpInterface]> {
  let summary = "A strided part of a tensor";
  let arguments = (ins AnyRankedTensor:$operand, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $operand `starts` $starts `limits` $limits `strides` $strides attr-dict `:` type($operand) `->` type($result)
  }];
}

class Tensors_ReductionOp<string mnemonic, string function> : Tensors_Op<mnemonic, [Prim_TensorReductionOpInterface, WorkOpInterface]> {
  let arguments = (ins AnyRankedTensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `dims` $dims attr-dict `:` type($operand) `->` type($result)";
  let extraClassDeclaration = [{
    kiln::Work getWork() { return {getOperand(), 1}; }
    llvm::SmallVector<int64_t> getReducedDims() { return llvm::to_vector(getDims()); }
    kiln::prim::ReductionFunction getReductionFunction() { return kiln::prim::ReductionFunction::}] # function # [{; }
  }];
}

def Tensors_SumOp : Tensors_ReductionOp<"sum", "Sum"> { let summary = "Sum over dimensions"; }

def Tensors_AmaxOp : Tensors_ReductionOp<"amax", "Maximum"> { let summary = "Largest element over dimensions"; }

def Tensors_ArgmaxOp : Tensors_ReductionOp<"argmax", "PlaceOfMaximum"> { let summary = "Place of the largest element"; }

def Tensors_PoolOp : Tensors_Op<"pool", [Prim_WindowOpInterface, WorkOpInterface]> {
  let summary = "Largest elements of windows, whose sizes have a name of their own";
  let arguments = (ins AnyRankedTensor:$operand, DenseI64ArrayAttr:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `sizes` $sizes attr-dict `:` type($operand) `->` type($result)";
  let extraClassDeclaration = [{
    kiln::Work getWork() { return {getOperand(), 1}; }
    kiln::prim::ReductionFunction getWindowFunction() { return kiln::prim::ReductionFunction::Maximum; }
  }];
}

def Tensors_CountOp : Tensors_Op<"count", [
    DeclareOpInterfaceMethods<Prim_CreationOpInterface, ["getCountedDim"]>]> {
  let summary = "The index along a dimension";
  let arguments = (ins I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "`dim` $dim attr-dict `:` type($result)";
}
