// Spaces, alignment and strides of storage, from the description.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile.kernel(stage-place{conflict=1024},verify-stage-form))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:armv9-a,vector_bits=2048},tile.kernel(stage-place))' | FileCheck %s --check-prefix=LONG
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(stage-place{space=pad}))' | FileCheck %s --check-prefix=PAD
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(stage-place))' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile.kernel(stage-place{space=l9}))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// NONE: error: expected a description with a memory for storage, or the option 'space'
// UNKNOWN: error: expected target '{{.+}}' to store in a memory of its description, found 'l9'

#panels = affine_map<(r, k) -> (r floordiv 6, k, r mod 6)>

// CHECK-LABEL: tile.kernel @k
// Rows start at lines.
// CHECK: stage.alloc {align = 64 : i64, slack = 64 : i64} : memref<8x10xf32, strided<[16, 1]>, #stage.space<"l1">>
// CHECK: stage.alloc {align = 64 : i64, slack = 64 : i64} : memref<8x16xf32, #stage.space<"l1">>
// What others see through a cast keeps its strides.
// CHECK: %[[flat:.*]] = stage.alloc {align = 64 : i64, slack = 64 : i64} : memref<80xf32, #stage.space<"l1">>
// CHECK: memref.reinterpret_cast %[[flat]] {{.*}} to memref<8x10xf32, strided<[10, 1]>, #stage.space<"l1">>
// CHECK: stage.alloc {align = 64 : i64, slack = 64 : i64} : memref<12x24xf32, #{{.*}}, #stage.space<"l1">>
// Room for whole blocks, and rows that do not share the sets of a cache.
// CHECK: stage.alloc {align = 64 : i64, slack = {{[0-9]+}} : i64} : memref<10x256xf32, strided<[272, 1]>, #stage.space<"l1">>
// What has a space stays.
// CHECK: stage.alloc : memref<4xf32, #stage.space<"l2">>
// A register that is longer than a line may be written behind the end.
// LONG: stage.alloc {align = 64 : i64, slack = 256 : i64} : memref<8x10xf32, strided<[16, 1]>, #stage.space<"l1">>
// PAD-LABEL: tile.kernel @k
// PAD: stage.alloc : memref<8x10xf32, #stage.space<"pad">>
tile.kernel @k() {
  %c0 = arith.constant 0 : index
  %rows = stage.alloc : memref<8x10xf32>
  %dense = stage.alloc : memref<8x16xf32>
  %flat = stage.alloc : memref<80xf32>
  %seen = memref.reinterpret_cast %flat to offset: [0], sizes: [8, 10], strides: [10, 1] : memref<80xf32> to memref<8x10xf32, strided<[10, 1]>>
  %a = stage.alloc : memref<12x24xf32, #panels>
  %b = stage.alloc : memref<24x16xf32>
  %c = stage.alloc : memref<10x256xf32>
  stage.product %a[%c0, %c0], %b[%c0, %c0], %c[%c0, %c0] block [6, 16, 24] : memref<12x24xf32, #panels>, memref<24x16xf32>, memref<10x256xf32>
  %other = stage.alloc : memref<4xf32, #stage.space<"l2">>
}
