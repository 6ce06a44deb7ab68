// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile dialect itself and the base class of its operations.
#ifndef KILN_DIALECT_TILE_TILEBASE_TD
#define KILN_DIALECT_TILE_TILEBASE_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::kiln::tile";
  let summary = "Block programs: what one program instance computes on tiles";
  let description = [{
    A kernel is a block program that runs once per point of a grid. A tile is a
    `tensor` of static shape, a scalar is a scalar, and `index` has 64 bits.
    Elementwise work is `arith` and `math` on tiles, control flow is `scf`.
    Memory is reached through views. Program instances are independent units
    of work without an order among them, unless the kernel declares
    `progress = concurrent`.

    Each description below says what the operands, attributes and results are, by name; what an
    element of the result is; which constraints (C1, C2, ...) the verifier checks beyond types, with
    the numbers that verifiers and tests use; the numerics of what is computed; since which version
    of Kiln the operation is there; and gives an example that parses.

    A tile may have an encoding, a layout that a target's passes put there. It says where elements
    are, never what they are: no operation, fold or constraint of this dialect looks at it, and
    where types are compared encodings do not count. Operations whose result type follows from their
    operands infer it without an encoding.

    Numerics: unless a description says otherwise, elements are moved or combined as they are and
    nothing is rounded. An operation of `arith` or `math` on floats rounds the exact result once.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
    void registerKernelOps();
    void registerYieldOps();
    void registerMemoryOps();
    void registerShapeOps();
    void registerDotOps();
    void registerReduceOps();
    void registerPointerOps();
    void registerAtomicOps();
    void registerScanOps();
    void registerExternOps();
  }];
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

#endif
