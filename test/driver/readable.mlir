// What reaches the reference target can be read there: attributes and debug information of other dialects
// stay behind, operations of other dialects are refused where they stand.

// RUN: split-file %s %t
// RUN: kiln-run %t/prim.mlir --target=reference | FileCheck %s --check-prefix=PRIM
// RUN: not kiln-compile %t/tile.mlir --target=reference -o %t.kiln 2>&1 | FileCheck %s --check-prefix=TILE

//--- prim.mlir
// PRIM: result 0: 4xf32
#di_type = #llvm.di_basic_type<tag = DW_TAG_base_type, name = "float">
func.func @main(%x: tensor<4xf32> {test.layout = #gpu.block<x>} loc(fused<#di_type>["prim.py":1:2]))
    -> (tensor<4xf32> {test.place = #gpu.address_space<global>}) attributes {test.block = #gpu.block<x>} {
  %0 = prim.exp %x {test.kind = #spirv.vce<v1.0, [Shader], []>} : tensor<4xf32> loc(fused<#di_type>["prim.py":2:2])
  return %0 : tensor<4xf32>
}

//--- tile.mlir
// TILE: tile.mlir:4:8: error: unsupported: target 'reference' does not evaluate 'vector.broadcast'
tile.kernel @k(%out: !tile.view<4xf32>) {
  %c = arith.constant 1.0 : f32
  %v = vector.broadcast %c : f32 to vector<4xf32>
  tile.return
}
