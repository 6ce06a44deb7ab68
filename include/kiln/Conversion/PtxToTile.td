// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion of inline assembly in PTX to operations on tiles.
#ifndef KILN_CONVERSION_PTXTOTILE_TD
#define KILN_CONVERSION_PTXTOTILE_TD

include "mlir/Pass/PassBase.td"

def TileExpandInlineAsm : Pass<"tile-expand-inline-asm", "::kiln::tile::Kernel"> {
  let summary = "Translates the text of a virtual instruction set by meaning";
  let description = [{
    For targets that do not assemble the text themselves: `tile.inline_asm` of a virtual instruction set becomes
    `arith` and `math`, one tile for each register, one operation or a few for each instruction. Known
    are instructions on registers (docs/triton.md lists them), with predicates and scopes. Instructions that read or write
    memory, jump or depend on threads are not known. An unknown instruction is an error that begins with
    `unsupported:` and names it. With `keep` the pass leaves such an operation as it is instead.
  }];
  let options = [Option<"keep", "keep", "bool", "false", "leave what cannot be translated">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif
