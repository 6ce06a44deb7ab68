// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of what meets a product. What is loaded behind a product, and meets it after a row has been subtracted, has the product's rows in
// each warp: the row may have any layout. No warp loads what another one has, though a reduction meets a right factor, which all warps have.
// What a loop carries through a branch has the product's layout.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts))' | FileCheck %s
// RUN: for k in meets carried; do kiln-run %s --entry=$k --target=reference,threads=nvidia:sm_90a --grid=1 --inputs=random --check || exit 1; done

!A = !tile.view<64x64xbf16>
!C = !tile.view<64x64xf32>

// CHECK-LABEL: tile.kernel @meets(
// CHECK: tile.dot
// CHECK: tile.load %arg3{{.*}} warp = {{\[\[}}16, 0], [32, 0]]>>
// CHECK: tile.load %arg4{{.*}} warp = {{\[\[}}{{[0-9, ]+}}], [{{[0-9, ]+}}]]>>
// CHECK: tile.load %arg5{{.*}} warp = {{\[\[}}{{[0-9, ]+}}], [{{[0-9, ]+}}]]>>
// CHECK: tile.reduce
tile.kernel @meets(%a: !A {tile.align = 16 : i64, tile.readonly}, %b: !A {tile.align = 16 : i64, tile.readonly},
    %r: !tile.view<64xf32> {tile.align = 16 : i64, tile.readonly}, %g: !C {tile.align = 16 : i64, tile.readonly},
    %h: !A {tile.align = 16 : i64, tile.readonly}, %d: !C {tile.align = 16 : i64, tile.readonly},
    %c: !C {tile.align = 16 : i64, tile.noalias}, %e: !C {tile.align = 16 : i64, tile.noalias}, %s: !tile.view<64xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] : !A -> tensor<64x64xbf16>
  %y = tile.load %b[%c0, %c0] : !A -> tensor<64x64xbf16>
  %p = tile.dot %x, %y, %zero : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
  %row = tile.load %r[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  %row1 = tile.expand_dims %row axis 0 : tensor<64xf32> -> tensor<1x64xf32>
  %rows = tile.broadcast %row1 : tensor<1x64xf32> -> tensor<64x64xf32>
  %gate = tile.load %g[%c0, %c0] : !C -> tensor<64x64xf32>
  %less = arith.subf %rows, %gate : tensor<64x64xf32>
  %grown = math.exp2 %less : tensor<64x64xf32>
  %gated = arith.mulf %p, %grown : tensor<64x64xf32>
  tile.store %gated, %c[%c0, %c0] : tensor<64x64xf32>, !C
  %w = tile.load %h[%c0, %c0] : !A -> tensor<64x64xbf16>
  %v = tile.load %d[%c0, %c0] : !C -> tensor<64x64xf32>
  %wide = arith.extf %w : tensor<64x64xbf16> to tensor<64x64xf32>
  %both = arith.mulf %wide, %v : tensor<64x64xf32>
  %sum = tile.reduce %both axis 0 : tensor<64x64xf32> -> tensor<64xf32> {
  ^bb0(%m: f32, %n: f32):
    %o = arith.addf %m, %n : f32
    tile.yield %o : f32
  }
  tile.store %sum, %s[%c0] : tensor<64xf32>, !tile.view<64xf32>
  %q = tile.dot %x, %w, %zero : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
  tile.store %q, %e[%c0, %c0] : tensor<64x64xf32>, !C
}

// CHECK-LABEL: tile.kernel @carried(
// CHECK: scf.for
// CHECK-NOT: simt.convert_layout %{{.*}} : tensor<64x64xf32
// CHECK: arith.mulf
tile.kernel @carried(%a: !A {tile.align = 16 : i64, tile.readonly}, %b: !A {tile.align = 16 : i64, tile.readonly}, %n: index,
    %c: !C {tile.align = 16 : i64, tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%c0, %c0] : !A -> tensor<64x64xbf16>
    %y = tile.load %b[%c0, %c0] : !A -> tensor<64x64xbf16>
    %is = arith.cmpi ult, %i, %n : index
    %t = scf.if %is -> (tensor<64x64xf32>) {
      %p = tile.dot %x, %y, %acc : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
      scf.yield %p : tensor<64x64xf32>
    } else {
      scf.yield %acc : tensor<64x64xf32>
    }
    scf.yield %t : tensor<64x64xf32>
  }
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %u = arith.mulf %s, %half : tensor<64x64xf32>
  tile.store %u, %c[%c0, %c0] : tensor<64x64xf32>, !C
}
