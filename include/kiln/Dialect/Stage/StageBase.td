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
    Between legal `tile` and the families of machines. There are three kinds of tiles:

    - an *expression*, a `tensor` without encoding, has no storage and exists only inside of `stage.compute`;
    - a *fragment*, a `tensor` with an encoding, sits in registers: it is evaluated once, where it is defined,
      and `scf` may carry it. The encoding is of a family and carried as it is;
    - *storage* is a `memref` of static shape. Its space, `#stage.space<"name">`, names a memory of the target's
      description. Its layout says where elements lie: strided, or panels by an affine map of several results.

    Global memory stays `!tile.view`, with its facts, its padding and its dropped stores.

    Program order is the meaning. Only copies and products that are `async` and the regions of `stage.roles` run
    beside it. Storage starts undefined, and an element of it is unwritten, written or pending. It is an error
    to read what is unwritten or pending, to write what is pending or still read, and to reach the end of the
    instance with anything pending; `reference` reports each at the operation.

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
