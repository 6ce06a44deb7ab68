// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the stage dialect.
#ifndef KILN_DIALECT_STAGE_STAGETYPES_TD
#define KILN_DIALECT_STAGE_STAGETYPES_TD

include "kiln/Dialect/Stage/StageBase.td"
include "mlir/IR/AttrTypeBase.td"

class Stage_Type<string name, string mnemonic_> : TypeDef<Stage_Dialect, name> {
  let mnemonic = mnemonic_;
}

def Stage_TokenType : Stage_Type<"Token", "token"> {
  let summary = "Identifies an asynchronous operation that writes storage";
  let description = [{
    The result of an asynchronous operation whose effect is in memory. `stage.wait` waits for it, `stage.commit` hands it to the
    consumer of a slot.
  }];
}

def Stage_FutureType : Stage_Type<"Future", "future"> {
  let summary = "A fragment that an asynchronous operation computes";
  let description = [{
    `stage.wait` gives the fragment; there is exactly one wait on every path. Example: `!stage.future<tensor<64x64xf32, {mma = 16 : i64}>>`.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$payload);
  let assemblyFormat = "`<` $payload `>`";
  let genVerifyDecl = 1;
}

def Stage_RingType : Stage_Type<"Ring", "ring"> {
  let summary = "A ring buffer of slots, each empty or full";
  let description = [{
    `depth` slots (stages), each with the same parts. Slots are filled, consumed and released in order.
    Example: `!stage.ring<2 x (memref<64xf32>, memref<8x8xf32>)>`.
  }];
  let parameters = (ins "int64_t":$depth, ArrayRefParameter<"::mlir::MemRefType">:$parts);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif
