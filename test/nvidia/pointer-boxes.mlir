// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy unit copies boxes that a kernel reads through pointers: what moves a pointer becomes coordinates in a view that begins at the
// parameter, whose sizes and strides the launch computes. Masks bound its sizes; where nothing is masked there is no end. The kernel's
// condition keeps strides and sizes positive, and numbers from wrapping around.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},canonicalize,cse,tile-vary-views,canonicalize,cse)' -o %t.views
// RUN: FileCheck %s --check-prefix=CONDITION < %t.views
// CONDITION: #[[SET:.*]] = affine_set<()[s0, s1, s2, s3, s4, s5, s6, s7, s8]
// CONDITION-SAME: s5 - 1 >= 0, s3 - 1 >= 0, -s5 + 549755813887 >= 0, s4 * 192 - 1 >= 0, s4 * -192 + 549755813887 >= 0, s4 - 1 >= 0
// CONDITION: tile.kernel private @product_views
// CONDITION-SAME: condition = #[[SET]]
//
// RUN: sed -e '/tile.kernel @product(/,/^  }/d' -e 's/kernel private/kernel/' %t.views > %t.alone
// RUN: kiln-opt %t.alone --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-stage-operands{stages=3},stage-make-rings,stage-schedule,stage-pipeline,simt-choose-bulk-copies,canonicalize,cse))' -o %t.bulk
// RUN: FileCheck %s < %t.bulk
// CHECK: stage.ring
// CHECK: scf.for
// CHECK-DAG: %[[M:.*]] = arith.index_cast %arg3 : i32 to index
// CHECK-DAG: %[[K:.*]] = arith.index_cast %arg5 : i32 to index
// CHECK: tile.make_view %arg0 sizes[%[[M]], %[[K]]] strides[%[[K]]] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, strides = [?, 1]>
// CHECK: %[[FAR:.*]] = arith.muli %[[N:.*]], %c192
// CHECK: tile.make_view %arg1 strides[%[[FAR]], %[[N]]] : !tile.ptr<bf16> -> !tile.view<2147483648x2147483648x2147483648xbf16, strides = [?, ?, 1]>
// CHECK: stage.produce
// CHECK-NEXT: stage.copy async bulk
// CHECK-NEXT: stage.copy async bulk
//
// The code of threads is right, and the verifier objects where something is missing.
// RUN: kiln-opt %t.bulk --pass-pipeline='builtin.module(tile.kernel(stage-allocate,simt-stage-products,simt-insert-barriers))' -o %t.kernels
// RUN: %python %S/../gpu/mutations.py kiln-opt --least=5 < %t.kernels
// RUN: for seed in 0 3; do kiln-run %t.alone --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=2,2,2 --arg=random:1:bf16:80x144 --arg=random:2:bf16:2x192x128 \
// RUN:   --arg=zeros:bf16:2x128x128 --arg=i32:80 --arg=i32:128 --arg=i32:144 --check || exit 1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-2: argument 2: ok: 2x128x128xbf16
//
// A box may begin inside of its view: of 128 rows that begin at the parameter, the second half, and 64 rows of which it leaves the last 32.
// RUN: sed -e 's/tile.ptr_add %%arg0, %%28/tile.ptr_add %%arg0, %%27/; s/sizes.*strides\(.*\)?x?xbf16/strides\1128x64xbf16/' \
// RUN:   -e 's/^.*at .%%c0, %%c0. pad %%.*/%%inner = arith.constant 64 : index\n&/; s/at .%%c0, %%c0. pad %%.*?x?xbf16/at [%%inner, %%c0] padding zero : !tile.view<128x64xbf16/' %t.alone > %t.half
// RUN: grep -q 'view<128x64xbf16' %t.half && kiln-run %t.half --target=reference,threads=nvidia:sm_90a,seed=0 --grid=1,2,2 --arg=random:1:bf16:128x128 --arg=random:2:bf16:2x192x128 \
// RUN:   --arg=zeros:bf16:2x128x128 --arg=i32:128 --arg=i32:128 --arg=i32:128 --check | FileCheck %s --check-prefix=INSIDE
// RUN: sed -e 's/tile.ptr_add %%arg0, %%28/tile.ptr_add %%arg0, %%27/; s/at .%%c0, %%c0. pad %%/at [%%inner, %%c0] pad %%/; s/sizes.%%[0-9]*,/sizes[%%most,/' \
// RUN:   -e 's/^.*sizes.*/%%inner = arith.constant 32 : index\n%%long = arith.index_cast %%arg3 : i32 to index\n%%most = arith.minsi %%long, %%c64 : index\n&/' %t.alone > %t.left
// RUN: grep -q 'arg0, %%27' %t.left && kiln-run %t.left --target=reference,threads=nvidia:sm_90a,seed=0 --grid=1,2,2 --arg=random:1:bf16:128x96 --arg=random:2:bf16:2x192x128 \
// RUN:   --arg=zeros:bf16:2x128x128 --arg=i32:128 --arg=i32:128 --arg=i32:96 --check | FileCheck %s --check-prefix=INSIDE
// INSIDE: argument 2: ok: 2x128x128xbf16
//
// A launch computes the words of the recipe.
// RUN: kiln-compile %t.alone --target=nvidia:sm_90a,ptxas=none --no-fallback -o %t.kpkg && kiln-run %t.kpkg --inspect | FileCheck %s --check-prefix=RECIPE
// RECIPE: encodes arg0 by tensor_map(2, 128, 1, 64, arg(5), 1, 0, 64, arg(3), arg(5))
// RECIPE: encodes arg1 by tensor_map(2, 128, 2, 64, 2147483648, 1, 1, 64, 2147483648, arg(4), 0, 1, 2147483648, mul(arg(4), 192))
//
// Without the condition strides may be negative, and what threads write before a copy the unit may not see.
// RUN: sed -e 's/condition = #[a-z0-9]*, //' -e 's/condition = #[a-z0-9]*//' %t.alone | kiln-opt --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-stage-operands{stages=3},stage-make-rings,stage-schedule,stage-pipeline,simt-choose-bulk-copies))' | FileCheck %s --check-prefix=THREADS
// RUN: sed -e 's/^\(.*\)scf.for /tile.store_ptr %arg2, %zero : !tile.ptr<bf16>, bf16\n&/; s/^\( *\)%c0_i32 = .*/&\n%zero = arith.constant 0.0 : bf16/' %t.alone | kiln-opt --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-stage-operands{stages=3},stage-make-rings,stage-schedule,stage-pipeline,simt-choose-bulk-copies))' | FileCheck %s --check-prefix=THREADS
// THREADS: stage.copy async
// THREADS-NOT: bulk

tile.kernel @product(%a: !tile.ptr<bf16> {tile.facts = {align = 16 : i64}}, %b: !tile.ptr<bf16> {tile.facts = {align = 16 : i64}},
    %c: !tile.ptr<bf16> {tile.facts = {align = 16 : i64}}, %m: i32 {tile.facts = {divisibility = 16 : i64}}, %n: i32 {tile.facts = {divisibility = 16 : i64}},
    %k: i32 {tile.facts = {divisibility = 16 : i64}}) {
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x64xbf16>
  %c0_i32 = arith.constant 0 : i32
  %c192_i64 = arith.constant 192 : i64
  %c64_i32 = arith.constant 64 : i32
  %0 = tile.program_id : index
  %1 = arith.index_cast %0 : index to i32
  %2:2 = tile.program_id : index, index
  %3 = arith.index_cast %2#1 : index to i32
  %4:3 = tile.program_id : index, index, index
  %5 = arith.index_cast %4#2 : index to i32
  %6 = arith.muli %1, %c64_i32 : i32
  %7 = tile.iota 0 : tensor<64xi32>
  %8 = tile.splat %6 : tensor<64xi32>
  %9 = arith.addi %8, %7 : tensor<64xi32>
  %10 = arith.muli %3, %c64_i32 : i32
  %11 = tile.splat %10 : tensor<64xi32>
  %12 = arith.addi %11, %7 : tensor<64xi32>
  %13 = arith.extsi %5 : i32 to i64
  %14 = arith.extsi %n : i32 to i64
  %15 = arith.muli %13, %14 : i64
  %16 = arith.muli %15, %c192_i64 : i64
  %17 = tile.ptr_add %b, %16 : !tile.ptr<bf16>, i64
  %c16384_i64 = arith.constant 16384 : i64
  %far = arith.muli %13, %c16384_i64 : i64
  %result = tile.ptr_add %c, %far : !tile.ptr<bf16>, i64
  %18 = scf.for %i = %c0_i32 to %k step %c64_i32 iter_args(%acc = %cst) -> (tensor<64x64xf32>)  : i32 {
    %29 = tile.splat %i : tensor<64xi32>
    %30 = arith.addi %29, %7 : tensor<64xi32>
    %31 = tile.expand_dims %9 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %32 = tile.splat %m : tensor<64x1xi32>
    %33 = arith.cmpi slt, %31, %32 : tensor<64x1xi32>
    %34 = tile.expand_dims %30 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %35 = tile.splat %k : tensor<1x64xi32>
    %36 = arith.cmpi slt, %34, %35 : tensor<1x64xi32>
    %37 = tile.broadcast %33 : tensor<64x1xi1> -> tensor<64x64xi1>
    %38 = tile.broadcast %36 : tensor<1x64xi1> -> tensor<64x64xi1>
    %39 = arith.andi %37, %38 : tensor<64x64xi1>
    %40 = tile.splat %k : tensor<64x1xi32>
    %41 = arith.muli %31, %40 : tensor<64x1xi32>
    %42 = tile.splat %a : tensor<64x1x!tile.ptr<bf16>>
    %43 = tile.ptr_add %42, %41 : tensor<64x1x!tile.ptr<bf16>>, tensor<64x1xi32>
    %44 = tile.broadcast %43 : tensor<64x1x!tile.ptr<bf16>> -> tensor<64x64x!tile.ptr<bf16>>
    %45 = tile.broadcast %34 : tensor<1x64xi32> -> tensor<64x64xi32>
    %46 = tile.ptr_add %44, %45 : tensor<64x64x!tile.ptr<bf16>>, tensor<64x64xi32>
    %47 = tile.load_ptr %46 mask %39 other %cst_0 : tensor<64x64x!tile.ptr<bf16>> -> tensor<64x64xbf16>
    %48 = tile.expand_dims %30 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %49 = tile.splat %n : tensor<64x1xi32>
    %50 = arith.muli %48, %49 : tensor<64x1xi32>
    %51 = tile.splat %17 : tensor<64x1x!tile.ptr<bf16>>
    %52 = tile.ptr_add %51, %50 : tensor<64x1x!tile.ptr<bf16>>, tensor<64x1xi32>
    %53 = tile.expand_dims %12 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %54 = tile.broadcast %52 : tensor<64x1x!tile.ptr<bf16>> -> tensor<64x64x!tile.ptr<bf16>>
    %55 = tile.broadcast %53 : tensor<1x64xi32> -> tensor<64x64xi32>
    %56 = tile.ptr_add %54, %55 : tensor<64x64x!tile.ptr<bf16>>, tensor<64x64xi32>
    %57 = tile.load_ptr %56 : tensor<64x64x!tile.ptr<bf16>> -> tensor<64x64xbf16>
    %58 = tile.dot %47, %57, %acc : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %58 : tensor<64x64xf32>
  }
  %19 = tile.expand_dims %9 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %20 = tile.splat %n : tensor<64x1xi32>
  %21 = arith.muli %19, %20 : tensor<64x1xi32>
  %22 = tile.splat %result : tensor<64x1x!tile.ptr<bf16>>
  %23 = tile.ptr_add %22, %21 : tensor<64x1x!tile.ptr<bf16>>, tensor<64x1xi32>
  %24 = tile.expand_dims %12 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %25 = tile.broadcast %23 : tensor<64x1x!tile.ptr<bf16>> -> tensor<64x64x!tile.ptr<bf16>>
  %26 = tile.broadcast %24 : tensor<1x64xi32> -> tensor<64x64xi32>
  %27 = tile.ptr_add %25, %26 : tensor<64x64x!tile.ptr<bf16>>, tensor<64x64xi32>
  %28 = arith.truncf %18 : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store_ptr %27, %28 : tensor<64x64x!tile.ptr<bf16>>, tensor<64x64xbf16>
}
