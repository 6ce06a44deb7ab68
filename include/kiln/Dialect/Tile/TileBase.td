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
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
    void registerKernelOps();
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

/// A tile: a ranked tensor of static shape; rank 0 is allowed.
def Tile_AnyTile : StaticShapeTensorOf<[AnyType]>;
def Tile_IntTile : StaticShapeTensorOf<[AnyInteger, Index]>;

#endif
