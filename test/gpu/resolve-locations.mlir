// Locations of inlined calls whose callee has no place in a file: the caller's remains, and targets compile them. Debug
// scopes need a place on both sides.
// RUN: kiln-opt %s --simt-resolve-locations --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: kiln-compile %s --target=amd:gfx942 --no-fallback -o %t.kiln
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx

// CHECK: tile.load {{.*}} loc("outer.py":7:3)
// CHECK: arith.addf {{.*}} loc("inner.py":5:9)
// CHECK: tile.store {{.*}} loc(callsite("inner.py":6:1 at "outer.py":8:3))
// PTX: .file {{.*}}"outer.py"
tile.kernel @k(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<128xf32> loc(callsite(unknown at "outer.py":7:3))
  %b = arith.addf %a, %a : tensor<128xf32> loc(callsite("inner.py":5:9 at callsite(unknown at unknown)))
  tile.store %b, %y[%i] : tensor<128xf32>, !tile.view<?xf32> loc(callsite("inner.py":6:1 at "outer.py":8:3))
}
