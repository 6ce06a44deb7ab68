// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The torch dialect: what torch-mlir's importer of ONNX writes.
#ifndef KILN_DIALECT_TORCH_TORCHBASE_TD
#define KILN_DIALECT_TORCH_TORCHBASE_TD

include "mlir/IR/OpBase.td"

def Torch_Dialect : Dialect {
  let name = "torch";
  let cppNamespace = "::kiln::torch";
  let summary = "Operators of ONNX as torch-mlir imports them, as an input";
  let description = [{
    What torch-mlir's importer writes for a model of ONNX: functions of tensors without identity, whose nodes are
    `torch.operator` with the name of the operator of ONNX. Other operations of torch-mlir's dialect of this name are not
    part of it. The dialect exists to be read. Its text is that of torch-mlir of 2024 to 2026.
  }];
  let useDefaultTypePrinterParser = 1;
}

#endif
