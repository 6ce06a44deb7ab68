// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where no matrix instruction multiplies what a loop loads, threads read the slots of its ring by themselves: nothing is stored a second time.
// DEFINE: %{staged} = simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate
// DEFINE: %{for} = builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel
// RUN: kiln-opt %s --pass-pipeline='%{for}(simt-assign-layouts))' --mlir-print-local-scope | FileCheck %s --check-prefix=LAYOUT
// RUN: kiln-opt %s --pass-pipeline='%{for}(%{staged},simt-stage-products))' --mlir-print-local-scope | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='%{for}(%{staged},simt-stage-products,simt-insert-barriers))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: kiln-compile %s --entry=rows --target=nvidia:sm_90a,verify=1 --emit=asm -o - | FileCheck %s --check-prefix=CODE
// RUN: kiln-compile %s --target=nvidia:sm_80,verify=1 --emit=asm -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=QUIET
// RUN: for seed in 0 1 2; do kiln-run %s --entry=rows --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=2,2 --arg=random:1:f32:70x100 --arg=random:2:f32:100x76 --arg=zeros:f32:70x76 --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RUN: for seed in 0 1 2; do kiln-run %s --entry=columns --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=2,2 --arg=random:1:f32:70x100 --arg=random:2:f32:76x100 --arg=zeros:f32:70x76 --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RUN: kiln-run %s --entry=turned --target=reference,threads=nvidia:sm_90a,seed=1 --grid=2,2 --arg=random:1:f32:100x72 --arg=random:2:f32:100x76 --arg=zeros:f32:72x76 --check | FileCheck %s --check-prefix=TURNED
// RUN: kiln-run %s --entry=whole --target=reference,threads=nvidia:sm_90a,seed=1 --grid=2,2 --arg=random:1:i32:70x100 --arg=random:2:i32:100x76 --arg=zeros:i32:70x76 --check | FileCheck %s --check-prefix=WHOLE
// RUN: kiln-run %s --entry=computed --target=reference,threads=nvidia:sm_90a,seed=1 --grid=2,2 --arg=random:1:f32:70x100 --arg=random:2:f32:100x76 --arg=zeros:f32:70x76 --check | FileCheck %s --check-prefix=COMPUTED
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed
// QUIET-NOT: unverified
// RIGHT-COUNT-3: argument 2 ({{.*}}): ok: 70x76xf32
// TURNED: argument 2 (z): ok: 72x76xf32
// WHOLE: argument 2 (z): ok: 70x76xi32
// COMPUTED: argument 2 (z): ok: 70x76xf32

// The left factor has steps side by side, the right one columns: a thread has columns side by side. Of lanes 0 and 1 the columns are the same, of lanes 0 and 2 the rows.
// Rows of the left slot are permuted, which lanes with other rows read. Those of the right slot, which all lanes read alike, are not.
// LAYOUT-LABEL: tile.kernel @rows
// LAYOUT: tile.dot {{.*}}, tensor<64x64xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [0, 2], [16, 0], [32, 0], [0, 32]], lane = {{\[\[}}1, 0], [0, 4], [0, 8], [0, 16], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]]>>
// CHECK-LABEL: tile.kernel @rows
// CHECK: %[[SLOT:.*]]:2 = stage.consume
// CHECK-NOT: stage.read
// CHECK: stage.product %[[SLOT]]#0, %[[SLOT]]#1, %{{[a-z0-9]+}} : memref<64x32xf32, #stage.space<"shared", permute = 1 : i64>>, memref<32x64xf32, #stage.space<"shared", permute = array<i64: 1, 128>>>, tensor<64x64xf32, #simt.layout<
// CHECK-NEXT: stage.release
// What a round of eight steps reads: four rows of the left factor and sixteen pieces of the right one, each of 16 bytes; nothing is stored in the loop.
// CODE-LABEL: .entry rows(
// CODE: cp.async
// CODE: bar.sync
// CODE-NOT: st.shared
// CODE: ld.shared.v4.b32
// CODE: fma.rn.f32
// CODE: ret
tile.kernel @rows(%x: !tile.view<70x100xf32> {tile.facts = {align = 16 : i64, readonly}}, %y: !tile.view<100x76xf32> {tile.facts = {align = 16 : i64, readonly}}, %z: !tile.view<70x76xf32> {tile.facts = {align = 16 : i64, noalias}}) attributes {warps = 4 : i64} {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
    %a = tile.load %x[%i, %k] : !tile.view<70x100xf32> -> tensor<64x32xf32>
    %b = tile.load %y[%k, %j] : !tile.view<100x76xf32> -> tensor<32x64xf32>
    %d = tile.dot %a, %b, %s : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %z[%i, %j] : tensor<64x64xf32>, !tile.view<70x76xf32>
}

// A transpose on the way from storage is the product's. Both factors have steps side by side: a thread has no neighbouring columns.
// LAYOUT-LABEL: tile.kernel @columns
// LAYOUT: tile.dot {{.*}}, tensor<64x64xf32, #simt.layout<rank = 2, register = {{\[\[}}16, 0], [32, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}1, 0], [0, 1], [0, 2], [0, 4], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]]>>
// CHECK-LABEL: tile.kernel @columns
// CHECK-NOT: stage.read
// CHECK: stage.product {{.*}} : memref<64x32xf32, #stage.space<"shared", permute = 1 : i64>>, memref<64x32xf32, #stage.space<"shared", permute = 1 : i64>>, tensor<64x64xf32, #simt.layout<
tile.kernel @columns(%x: !tile.view<70x100xf32> {tile.facts = {align = 16 : i64, readonly}}, %y: !tile.view<76x100xf32> {tile.facts = {align = 16 : i64, readonly}}, %z: !tile.view<70x76xf32> {tile.facts = {align = 16 : i64, noalias}}) attributes {warps = 4 : i64} {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
    %a = tile.load %x[%i, %k] : !tile.view<70x100xf32> -> tensor<64x32xf32>
    %t = tile.load %y[%j, %k] : !tile.view<76x100xf32> -> tensor<64x32xf32>
    %b = tile.transpose %t [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
    %d = tile.dot %a, %b, %s : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %z[%i, %j] : tensor<64x64xf32>, !tile.view<70x76xf32>
}

// Neither has: a thread has neighbouring rows, too.
// LAYOUT-LABEL: tile.kernel @turned
// LAYOUT: tile.dot {{.*}}, tensor<64x64xf32, #simt.layout<rank = 2, register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [0, 32]], lane = {{\[\[}}4, 0], [0, 4], [0, 8], [0, 16], [8, 0]], warp = {{\[\[}}16, 0], [32, 0]]>>
// CHECK-LABEL: tile.kernel @turned
// CHECK-NOT: tile.transpose
// CHECK: stage.product {{.*}} {lhs_as = tensor<64x32xf32>, lhs_transposed} : memref<32x64xf32, {{.*}}>, memref<32x64xf32, {{.*}}>, tensor<64x64xf32, #simt.layout<
tile.kernel @turned(%x: !tile.view<100x72xf32> {tile.facts = {align = 16 : i64, readonly}}, %y: !tile.view<100x76xf32> {tile.facts = {align = 16 : i64, readonly}}, %z: !tile.view<72x76xf32> {tile.facts = {align = 16 : i64, noalias}}) attributes {warps = 4 : i64} {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
    %t = tile.load %x[%k, %i] : !tile.view<100x72xf32> -> tensor<32x64xf32>
    %a = tile.transpose %t [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
    %b = tile.load %y[%k, %j] : !tile.view<100x76xf32> -> tensor<32x64xf32>
    %d = tile.dot %a, %b, %s : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %z[%i, %j] : tensor<64x64xf32>, !tile.view<72x76xf32>
}

// Integers as well.
// CHECK-LABEL: tile.kernel @whole
// CHECK: stage.product {{.*}} : memref<64x32xi32, {{.*}}>, memref<32x64xi32, {{.*}}>, tensor<64x64xi32, #simt.layout<
tile.kernel @whole(%x: !tile.view<70x100xi32> {tile.facts = {align = 16 : i64, readonly}}, %y: !tile.view<100x76xi32> {tile.facts = {align = 16 : i64, readonly}}, %z: !tile.view<70x76xi32> {tile.facts = {align = 16 : i64, noalias}}) attributes {warps = 4 : i64} {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> tensor<64x64xi32> {
    %a = tile.load %x[%i, %k] : !tile.view<70x100xi32> -> tensor<64x32xi32>
    %b = tile.load %y[%k, %j] : !tile.view<100x76xi32> -> tensor<32x64xi32>
    %d = tile.dot %a, %b, %s : tensor<64x32xi32>, tensor<32x64xi32>, tensor<64x64xi32>
    scf.yield %d : tensor<64x64xi32>
  }
  tile.store %sum, %z[%i, %j] : tensor<64x64xi32>, !tile.view<70x76xi32>
}

// A factor that threads compute is stored by the product, and so is the other one.
// CHECK-LABEL: tile.kernel @computed
// CHECK: stage.product {{.*}} {simt.decided = {padded}} : tensor<64x32xf32, #simt.layout<{{.*}}>>, tensor<32x64xf32, #simt.layout<
tile.kernel @computed(%x: !tile.view<70x100xf32> {tile.facts = {align = 16 : i64, readonly}}, %y: !tile.view<100x76xf32> {tile.facts = {align = 16 : i64, readonly}}, %z: !tile.view<70x76xf32> {tile.facts = {align = 16 : i64, noalias}}) attributes {warps = 4 : i64} {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
    %l = tile.load %x[%i, %k] : !tile.view<70x100xf32> -> tensor<64x32xf32>
    %b = tile.load %y[%k, %j] : !tile.view<100x76xf32> -> tensor<32x64xf32>
    %a = math.absf %l : tensor<64x32xf32>
    %d = tile.dot %a, %b, %s : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %z[%i, %j] : tensor<64x64xf32>, !tile.view<70x76xf32>
}
