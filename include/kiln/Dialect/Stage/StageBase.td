// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stage dialect itself and the base class of its operations.
#ifndef KILN_DIALECT_STAGE_STAGEBASE_TD
#define KILN_DIALECT_STAGE_STAGEBASE_TD

include "mlir/IR/OpBase.td"

def Stage_Dialect : Dialect {
  let name = "stage";
  let cppNamespace = "::kiln::stage";
  let summary = "Where tiles live, when they move, which values are kept or rematerialised";
  let description = [{
    The level between legal `tile` and the code generators. It states where tiles live and when they move. There are three kinds of
    tiles:

    - An *expression* is a `tensor` without encoding. It has no storage and exists only inside of `stage.compute`.
    - A *fragment* is a `tensor` with an encoding. It is in registers: it is evaluated once, at its definition,
      and loops of `scf` may carry it. The code generator defines the encoding; this dialect does not interpret it.
    - *Storage* is a `memref` of static shape. Its space, `#stage.space<"name">`, names a memory of the target's
      description. Its layout maps elements to addresses: strided, or panels by an affine map with several results.

    Global memory stays `!tile.view`, with its facts, its padding and its dropped stores.

    Operations execute in program order, except copies and matmuls with `async`. Each element of storage is *unwritten* (at first), *written*, or *pending* (an asynchronous operation in
    flight writes it). These are errors, which `reference` reports at the operation:

    - to read an unwritten or pending element;
    - to write an element that is pending, or that an operation in flight reads;
    - to end an instance while an asynchronous operation is in flight.

    Constraints are numbered (C1, C2, ...) in each description; verifiers and tests use the same numbers.
    Numerics are those of the tile operations that an operation stands for.
  }];
  let dependentDialects = [
    "::kiln::tile::TileDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
    void registerStorageOps();
    void registerComputeOps();
    void registerCopyOps();
    void registerRingOps();
    void registerProductOps();
  }];
}

class Stage_Op<string mnemonic, list<Trait> traits = []>
    : Op<Stage_Dialect, mnemonic, traits>;

def Stage_Element : AnyTypeOf<[AnyFloat, AnySignlessInteger, Index]>;
/// An expression or a fragment.
def Stage_Tile : StaticShapeTensorOf<[Stage_Element]>;
def Stage_Fragment : Type<And<[Stage_Tile.predicate,
    CPred<"static_cast<bool>(::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding())">]>,
    "tile of static shape with an encoding", "::mlir::RankedTensorType">;
def Stage_Storage : StaticShapeMemRefOf<[Stage_Element]>;
def Stage_Scalar : AnyTypeOf<[AnyFloat, AnySignlessInteger, Index]>;

#endif
