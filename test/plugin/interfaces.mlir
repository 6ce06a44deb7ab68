// Operations of a plug-in that say by interfaces what they do pass the form check, are analysed, retiled, evaluated and
// lowered on the CPU: the plug-in registers its dialect and how it is evaluated, and not one lowering.
// RUN: rm -rf %t && mkdir -p %t
// RUN: for part in dialect.h:dialect-decls dialect.cpp:dialect-defs attrs.h:attrdef-decls attrs.cpp:attrdef-defs \
// RUN:     ops.h:op-decls ops.cpp:op-defs; do \
// RUN:   mlir-tblgen -gen-${part#*:} $(case $part in ops*|attrs*) ;; *) echo -dialect=mine;; esac) %S/Inputs/mine.td \
// RUN:     $(case $part in ops*) echo -op-include-regex=^mine;; attrs*) echo -attrdefs-dialect=mine;; esac) \
// RUN:     -I %source/include -I %llvm/include -o %t/mine.${part%:*}.inc || exit 1; done
// RUN: %plugin_cxx -I%t %S/Inputs/mine.cpp -o %t/mine.so
//
// Form and analysis.
// RUN: kiln-opt %s --load-target=%t/mine.so -verify-tile-form -tile-raise -o /dev/null 2>&1 | FileCheck %s --check-prefix=RAISE
// RAISE-LABEL: tile.kernel @product
// RAISE-SAME: accesses = ["load arg0[8*d2 : 8, 16*d0 : 16]", "load arg1[8*d2 : 8, 32*d1 : 32]", "store arg2[16*d0 : 16, 32*d1 : 32]"]
// RAISE-SAME: dims = ["d0: parallel, grid 0, block 16, extent arg2[0]", "d1: parallel, grid 1, block 32, extent arg2[1]", "d2: reduction, loop step 1, block 8, extent arg0[0]"]
//
// Other block sizes, and the same result.
// RUN: kiln-opt %s --load-target=%t/mine.so -tile-retile="kernel=product sizes=32,16,4" -o %t/retiled.mlir
// RUN: FileCheck %s --check-prefix=RETILED < %t/retiled.mlir
// RETILED: mine.fetch {{.*}} -> tensor<32x4xf32>
// RETILED: mine.mma {{.*}} : tensor<32x4xf32>, tensor<4x16xf32>, tensor<32x16xf32>
// RETILED: mine.push {{.*}}[%{{.*}}#0, %{{.*}}#1] : tensor<32x16xf32>
// RUN: kiln-run %t/retiled.mlir --load-target=%t/mine.so --target=cpu --entry=product --grid=4,2 --check \
// RUN:   --arg=random:1:f32:40x50 --arg=random:2:f32:40x45 --arg=zeros:f32:50x45 | FileCheck %s --check-prefix=RESULT
//
// On the CPU, against the reference; who lowered what.
// RUN: kiln-compile %s --load-target=%t/mine.so --target=cpu -o %t/mine.kiln --explain | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN-DAG: product: mine.mma -> cpu.dot.packed
// EXPLAIN-DAG: product: mine.push -> cpu.store
// RUN: kiln-run %s --load-target=%t/mine.so --target=cpu --entry=product --grid=4,2 --check \
// RUN:   --arg=random:1:f32:40x50 --arg=random:2:f32:40x45 --arg=zeros:f32:50x45 | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --load-target=%t/mine.so --target=cpu --entry=movement --grid=3,3 --check \
// RUN:   --arg=random:1:f32:40x50 --arg=zeros:f32:50x40 | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --load-target=%t/mine.so --target=reference --entry=product --grid=4,2 --check \
// RUN:   --arg=random:1:f32:40x50 --arg=random:2:f32:40x45 --arg=zeros:f32:50x45 | FileCheck %s --check-prefix=RESULT
// RESULT: ok: 50x4
//
// The definition of the matmul has no attribute for how it is split: the pass that chooses splits it, too.
// RUN: kiln-opt %s --load-target=%t/mine.so -o %t/whole.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3,threads=1},cpu-select-matrix-instructions,tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-split-products))'
// RUN: FileCheck %s --check-prefix=WHOLE < %t/whole.mlir
// RUN: kiln-opt %t/whole.mlir --load-target=%t/mine.so --pass-pipeline='builtin.module(tile.kernel(cpu-split-products))' | FileCheck %s --check-prefix=SPLIT
// WHOLE-NOT: stage.product
// WHOLE: mine.mma %{{.*}} : tensor<16x8xf32>
// SPLIT-LABEL: tile.kernel @product
// SPLIT-NOT: mine.mma
// SPLIT: stage.product {{.*}} by @fma.f32

// An operation that says nothing is refused where it stands.
// RUN: sed 's/mine.window %x from 4/mine.opaque %x/' %s > %t/opaque.mlir
// RUN: not kiln-opt %t/opaque.mlir --load-target=%t/mine.so -verify-tile-form 2>&1 | FileCheck %s --check-prefix=OPAQUE
// OPAQUE: opaque.mlir:[[#]]:{{[0-9]+}}: error: 'mine.opaque' op expected an operation of the tile level

// So is one whose interfaces contradict each other: a map that leaves its operand, an access without an effect, one whose elements
// outside of the view have no value, and one that takes no steps.
// RUN: sed 's/mine.window %x from 4/mine.window %x from 5/' %s > %t/wide.mlir
// RUN: not kiln-opt %t/wide.mlir --load-target=%t/mine.so -verify-tile-form 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: wide.mlir:[[#]]:8: error: 'mine.window' op expected its index map to stay within the 20 elements of operand 0 along dimension 1, found 20
// RUN: for name in quiet unpadded; do printf '%%s\n' 'tile.kernel @k(%%a: !tile.view<?xf32>, %%b: !tile.view<?xf32>) {' '  %%i = tile.program_id : index' \
// RUN:   "  %%x = mine.$name %%a at %%i : !tile.view<?xf32> -> tensor<64xf32>" '  tile.store %%x, %%b[%%i] : tensor<64xf32>, !tile.view<?xf32>' '}' > %t/$name.mlir; \
// RUN:   not kiln-opt %t/$name.mlir --load-target=%t/mine.so -verify-tile-form; done 2> %t/wrong
// RUN: FileCheck %s --check-prefix=WRONG < %t/wrong
// WRONG: quiet.mlir:3:8: error: 'mine.quiet' op expected its access to be declared as an effect, MemRead on its view, found none
// RUN: sed 's/ at %%i :/ at %%i {step = 0 : i64} :/' %t/unpadded.mlir > %t/step.mlir
// RUN: not kiln-opt %t/step.mlir --load-target=%t/mine.so -verify-tile-form 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: step.mlir:3:8: error: 'mine.unpadded' op expected axis 0 to have a step of at least 1, found 0
// WRONG: unpadded.mlir:3:8: error: 'mine.unpadded' op expected a scalar for elements outside of the view, found null

// One without a lowering is named with its plug-in, and what to register.
// RUN: printf '%%s\n' 'tile.kernel @twisted(%%a: !tile.view<?xf32>, %%b: !tile.view<?xf32>) {' '  %%i = tile.program_id : index' \
// RUN:   '  %%x = tile.load %%a[%%i] : !tile.view<?xf32> -> tensor<64xf32>' '  %%y = mine.twist %%x : tensor<64xf32>' \
// RUN:   '  tile.store %%y, %%b[%%i] : tensor<64xf32>, !tile.view<?xf32>' '}' > %t/twist.mlir
// RUN: not kiln-compile %t/twist.mlir --load-target=%t/mine.so --target=cpu -o %t/twist.kiln 2>&1 | FileCheck %s --check-prefix=TWIST
// RUN: not kiln-compile %t/twist.mlir --load-target=%t/mine.so --target=nvidia:sm_90a --no-fallback -o %t/twist.kiln 2>&1 \
// RUN:   | FileCheck %s --check-prefix=THREADS
// TWIST: twist.mlir:4:8: error: {{.*}}operation 'mine.twist' of plug-in 'mine' has no lowering for 'cpu': register one by addLowering({NAME, "cpu", "mine.twist", ...}), or implement CompositeOpInterface
// THREADS: nvidia declined: operation 'mine.twist' of plug-in 'mine' has no lowering for 'nvidia': register one by addLowering({NAME, "nvidia", "mine.twist", ...}), or implement CompositeOpInterface (at {{.*}}twist.mlir:4:8)

// C[m, n] = sum over k of A[k, m] * B[k, n]
tile.kernel @product(%a: !tile.view<?x?xf32> {tile.readonly}, %b: !tile.view<?x?xf32> {tile.readonly}, %c: !tile.view<?x?xf32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %n = tile.num_blocks %a[0] by 8 : !tile.view<?x?xf32>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %column = arith.muli %i, %c16 : index
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32>) {
    %row = arith.muli %k, %c8 : index
    %x = mine.fetch %a at [%row, %column] : !tile.view<?x?xf32> -> tensor<16x8xf32>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf32> -> tensor<8x32xf32>
    %d = mine.mma %x, %y, %acc : tensor<16x8xf32>, tensor<8x32xf32>, tensor<16x32xf32>
    scf.yield %d : tensor<16x32xf32>
  }
  mine.push %sum, %c[%i, %j] : tensor<16x32xf32>, !tile.view<?x?xf32>
}

// A tile in a layout of the plug-in's, read and moved by its operations.
tile.kernel @movement(%a: !tile.view<?x?xf32> {tile.readonly}, %b: !tile.view<?x?xf32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c16 = arith.constant 16 : index
  %row = arith.muli %j, %c16 : index
  %column = arith.muli %i, %c16 : index
  %x = mine.fetch %a at [%row, %column] : !tile.view<?x?xf32> -> tensor<16x20xf32, #mine.lanes<16>>
  %w = mine.window %x from 4 : tensor<16x20xf32, #mine.lanes<16>> -> tensor<16x16xf32>
  %y = arith.addf %w, %w : tensor<16x16xf32>
  mine.push %y, %b[%i, %j] : tensor<16x16xf32>, !tile.view<?x?xf32>
}
