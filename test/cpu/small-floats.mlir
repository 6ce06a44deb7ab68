// Every code of floats of at most 8 bits decoded, numbers near each tie encoded, and what prims do with such elements: as
// the reference does.
// RUN: kiln-run %s --target=cpu --check --entry=codes | FileCheck %s --check-prefix=EXACT
// RUN: kiln-run %s --target=cpu --check --entry=encode | FileCheck %s --check-prefix=EXACT
// RUN: kiln-run %s --target=cpu --check --entry=moves | FileCheck %s --check-prefix=EXACT
// RUN: kiln-run %s --target=cpu --check --entry=computes | FileCheck %s
// EXACT: kernels: ok
// EXACT-NOT: {{FAILED|largest error [^0]}}
// CHECK: kernels: ok
// CHECK-NOT: FAILED

// GPUs keep them, too.
// RUN: for e in codes encode moves computes; do \
// RUN:   kiln-compile %s --entry=$e --target=nvidia:sm_90a,ptxas=none --no-fallback -o %t.kiln || exit 1; done

func.func @codes() -> (tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>) {
  %i = prim.iota dim 0 : tensor<256xi8>
  %c0 = prim.bitcast %i : tensor<256xi8> -> tensor<256xf8E4M3FN>
  %r0f32 = prim.convert_element_type %c0 : tensor<256xf8E4M3FN> -> tensor<256xf32>
  %r0f16 = prim.convert_element_type %c0 : tensor<256xf8E4M3FN> -> tensor<256xf16>
  %r0bf16 = prim.convert_element_type %c0 : tensor<256xf8E4M3FN> -> tensor<256xbf16>
  %r0f64 = prim.convert_element_type %c0 : tensor<256xf8E4M3FN> -> tensor<256xf64>
  %c1 = prim.bitcast %i : tensor<256xi8> -> tensor<256xf8E5M2>
  %r1f32 = prim.convert_element_type %c1 : tensor<256xf8E5M2> -> tensor<256xf32>
  %r1f16 = prim.convert_element_type %c1 : tensor<256xf8E5M2> -> tensor<256xf16>
  %r1bf16 = prim.convert_element_type %c1 : tensor<256xf8E5M2> -> tensor<256xbf16>
  %r1f64 = prim.convert_element_type %c1 : tensor<256xf8E5M2> -> tensor<256xf64>
  %c2 = prim.bitcast %i : tensor<256xi8> -> tensor<256xf8E4M3FNUZ>
  %r2f32 = prim.convert_element_type %c2 : tensor<256xf8E4M3FNUZ> -> tensor<256xf32>
  %r2f16 = prim.convert_element_type %c2 : tensor<256xf8E4M3FNUZ> -> tensor<256xf16>
  %r2bf16 = prim.convert_element_type %c2 : tensor<256xf8E4M3FNUZ> -> tensor<256xbf16>
  %r2f64 = prim.convert_element_type %c2 : tensor<256xf8E4M3FNUZ> -> tensor<256xf64>
  %c3 = prim.bitcast %i : tensor<256xi8> -> tensor<256xf8E5M2FNUZ>
  %r3f32 = prim.convert_element_type %c3 : tensor<256xf8E5M2FNUZ> -> tensor<256xf32>
  %r3f16 = prim.convert_element_type %c3 : tensor<256xf8E5M2FNUZ> -> tensor<256xf16>
  %r3bf16 = prim.convert_element_type %c3 : tensor<256xf8E5M2FNUZ> -> tensor<256xbf16>
  %r3f64 = prim.convert_element_type %c3 : tensor<256xf8E5M2FNUZ> -> tensor<256xf64>
  %c4 = prim.bitcast %i : tensor<256xi8> -> tensor<256xf8E4M3B11FNUZ>
  %r4f32 = prim.convert_element_type %c4 : tensor<256xf8E4M3B11FNUZ> -> tensor<256xf32>
  %r4f16 = prim.convert_element_type %c4 : tensor<256xf8E4M3B11FNUZ> -> tensor<256xf16>
  %r4bf16 = prim.convert_element_type %c4 : tensor<256xf8E4M3B11FNUZ> -> tensor<256xbf16>
  %r4f64 = prim.convert_element_type %c4 : tensor<256xf8E4M3B11FNUZ> -> tensor<256xf64>
  %c5 = prim.bitcast %i : tensor<256xi8> -> tensor<256xf8E4M3>
  %r5f32 = prim.convert_element_type %c5 : tensor<256xf8E4M3> -> tensor<256xf32>
  %r5f16 = prim.convert_element_type %c5 : tensor<256xf8E4M3> -> tensor<256xf16>
  %r5bf16 = prim.convert_element_type %c5 : tensor<256xf8E4M3> -> tensor<256xbf16>
  %r5f64 = prim.convert_element_type %c5 : tensor<256xf8E4M3> -> tensor<256xf64>
  %c6 = prim.bitcast %i : tensor<256xi8> -> tensor<256xf8E3M4>
  %r6f32 = prim.convert_element_type %c6 : tensor<256xf8E3M4> -> tensor<256xf32>
  %r6f16 = prim.convert_element_type %c6 : tensor<256xf8E3M4> -> tensor<256xf16>
  %r6bf16 = prim.convert_element_type %c6 : tensor<256xf8E3M4> -> tensor<256xbf16>
  %r6f64 = prim.convert_element_type %c6 : tensor<256xf8E3M4> -> tensor<256xf64>
  %c7 = prim.bitcast %i : tensor<256xi8> -> tensor<256xf8E8M0FNU>
  %r7f32 = prim.convert_element_type %c7 : tensor<256xf8E8M0FNU> -> tensor<256xf32>
  %r7f16 = prim.convert_element_type %c7 : tensor<256xf8E8M0FNU> -> tensor<256xf16>
  %r7bf16 = prim.convert_element_type %c7 : tensor<256xf8E8M0FNU> -> tensor<256xbf16>
  %r7f64 = prim.convert_element_type %c7 : tensor<256xf8E8M0FNU> -> tensor<256xf64>
  return %r0f32, %r0f16, %r0bf16, %r0f64, %r1f32, %r1f16, %r1bf16, %r1f64, %r2f32, %r2f16, %r2bf16, %r2f64, %r3f32, %r3f16, %r3bf16, %r3f64, %r4f32, %r4f16, %r4bf16, %r4f64, %r5f32, %r5f16, %r5bf16, %r5f64, %r6f32, %r6f16, %r6bf16, %r6f64, %r7f32, %r7f16, %r7bf16, %r7f64 : tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>, tensor<256xf32>, tensor<256xf16>, tensor<256xbf16>, tensor<256xf64>
}

// All ties of up to four bits of mantissa, and the numbers beside them.
func.func @encode() -> (tensor<49152xf8E4M3FN>, tensor<49152xf32>, tensor<49152xf8E4M3FN>, tensor<49152xf8E5M2>, tensor<49152xf32>, tensor<49152xf8E5M2>, tensor<49152xf8E4M3FNUZ>, tensor<49152xf32>, tensor<49152xf8E4M3FNUZ>, tensor<49152xf8E5M2FNUZ>, tensor<49152xf32>, tensor<49152xf8E5M2FNUZ>, tensor<49152xf8E4M3B11FNUZ>, tensor<49152xf32>, tensor<49152xf8E4M3B11FNUZ>, tensor<49152xf8E4M3>, tensor<49152xf32>, tensor<49152xf8E4M3>, tensor<49152xf8E3M4>, tensor<49152xf32>, tensor<49152xf8E3M4>, tensor<49152xf8E8M0FNU>, tensor<49152xf32>, tensor<49152xf8E8M0FNU>, tensor<49152xf6E2M3FN>, tensor<49152xf32>, tensor<49152xf6E2M3FN>, tensor<49152xf6E3M2FN>, tensor<49152xf32>, tensor<49152xf6E3M2FN>, tensor<49152xf4E2M1FN>, tensor<49152xf32>, tensor<49152xf4E2M1FN>) {
  %i = prim.iota dim 0 : tensor<16384xi32>
  %step = prim.full 262144 : i32 : tensor<16384xi32>
  %one = prim.full 1 : i32 : tensor<16384xi32>
  %ties = prim.mul %i, %step : tensor<16384xi32>
  %above = prim.add %ties, %one : tensor<16384xi32>
  %below = prim.sub %ties, %one : tensor<16384xi32>
  %bits = prim.cat %ties, %above, %below dim 0 : tensor<16384xi32>, tensor<16384xi32>, tensor<16384xi32> -> tensor<49152xi32>
  %v = prim.bitcast %bits : tensor<49152xi32> -> tensor<49152xf32>
  %c0 = prim.convert_element_type %v : tensor<49152xf32> -> tensor<49152xf8E4M3FN>
  %b0 = prim.convert_element_type %c0 : tensor<49152xf8E4M3FN> -> tensor<49152xf32>
  %n0 = prim.neg %c0 : tensor<49152xf8E4M3FN>
  %c1 = prim.convert_element_type %v : tensor<49152xf32> -> tensor<49152xf8E5M2>
  %b1 = prim.convert_element_type %c1 : tensor<49152xf8E5M2> -> tensor<49152xf32>
  %n1 = prim.neg %c1 : tensor<49152xf8E5M2>
  %c2 = prim.convert_element_type %v : tensor<49152xf32> -> tensor<49152xf8E4M3FNUZ>
  %b2 = prim.convert_element_type %c2 : tensor<49152xf8E4M3FNUZ> -> tensor<49152xf32>
  %n2 = prim.neg %c2 : tensor<49152xf8E4M3FNUZ>
  %c3 = prim.convert_element_type %v : tensor<49152xf32> -> tensor<49152xf8E5M2FNUZ>
  %b3 = prim.convert_element_type %c3 : tensor<49152xf8E5M2FNUZ> -> tensor<49152xf32>
  %n3 = prim.neg %c3 : tensor<49152xf8E5M2FNUZ>
  %c4 = prim.convert_element_type %v : tensor<49152xf32> -> tensor<49152xf8E4M3B11FNUZ>
  %b4 = prim.convert_element_type %c4 : tensor<49152xf8E4M3B11FNUZ> -> tensor<49152xf32>
  %n4 = prim.neg %c4 : tensor<49152xf8E4M3B11FNUZ>
  %c5 = prim.convert_element_type %v : tensor<49152xf32> -> tensor<49152xf8E4M3>
  %b5 = prim.convert_element_type %c5 : tensor<49152xf8E4M3> -> tensor<49152xf32>
  %n5 = prim.neg %c5 : tensor<49152xf8E4M3>
  %c6 = prim.convert_element_type %v : tensor<49152xf32> -> tensor<49152xf8E3M4>
  %b6 = prim.convert_element_type %c6 : tensor<49152xf8E3M4> -> tensor<49152xf32>
  %n6 = prim.neg %c6 : tensor<49152xf8E3M4>
  %c7 = prim.convert_element_type %v : tensor<49152xf32> -> tensor<49152xf8E8M0FNU>
  %b7 = prim.convert_element_type %c7 : tensor<49152xf8E8M0FNU> -> tensor<49152xf32>
  %n7 = prim.neg %c7 : tensor<49152xf8E8M0FNU>
  %c8 = prim.convert_element_type %v : tensor<49152xf32> -> tensor<49152xf6E2M3FN>
  %b8 = prim.convert_element_type %c8 : tensor<49152xf6E2M3FN> -> tensor<49152xf32>
  %n8 = prim.neg %c8 : tensor<49152xf6E2M3FN>
  %c9 = prim.convert_element_type %v : tensor<49152xf32> -> tensor<49152xf6E3M2FN>
  %b9 = prim.convert_element_type %c9 : tensor<49152xf6E3M2FN> -> tensor<49152xf32>
  %n9 = prim.neg %c9 : tensor<49152xf6E3M2FN>
  %c10 = prim.convert_element_type %v : tensor<49152xf32> -> tensor<49152xf4E2M1FN>
  %b10 = prim.convert_element_type %c10 : tensor<49152xf4E2M1FN> -> tensor<49152xf32>
  %n10 = prim.neg %c10 : tensor<49152xf4E2M1FN>
  return %c0, %b0, %n0, %c1, %b1, %n1, %c2, %b2, %n2, %c3, %b3, %n3, %c4, %b4, %n4, %c5, %b5, %n5, %c6, %b6, %n6, %c7, %b7, %n7, %c8, %b8, %n8, %c9, %b9, %n9, %c10, %b10, %n10 : tensor<49152xf8E4M3FN>, tensor<49152xf32>, tensor<49152xf8E4M3FN>, tensor<49152xf8E5M2>, tensor<49152xf32>, tensor<49152xf8E5M2>, tensor<49152xf8E4M3FNUZ>, tensor<49152xf32>, tensor<49152xf8E4M3FNUZ>, tensor<49152xf8E5M2FNUZ>, tensor<49152xf32>, tensor<49152xf8E5M2FNUZ>, tensor<49152xf8E4M3B11FNUZ>, tensor<49152xf32>, tensor<49152xf8E4M3B11FNUZ>, tensor<49152xf8E4M3>, tensor<49152xf32>, tensor<49152xf8E4M3>, tensor<49152xf8E3M4>, tensor<49152xf32>, tensor<49152xf8E3M4>, tensor<49152xf8E8M0FNU>, tensor<49152xf32>, tensor<49152xf8E8M0FNU>, tensor<49152xf6E2M3FN>, tensor<49152xf32>, tensor<49152xf6E2M3FN>, tensor<49152xf6E3M2FN>, tensor<49152xf32>, tensor<49152xf6E3M2FN>, tensor<49152xf4E2M1FN>, tensor<49152xf32>, tensor<49152xf4E2M1FN>
}

func.func @moves(%x: tensor<12x10xf8E3M4>, %y: tensor<12x10xf8E3M4>, %s: tensor<6x4xf4E2M1FN>)
    -> (tensor<5x24xf8E3M4>, tensor<4x6xf8E3M4>, tensor<14x13xf8E3M4>, tensor<12x20xf8E3M4>, tensor<3x10xf8E3M4>,
        tensor<12x10xf8E3M4>, tensor<12x10xf8E3M4>, tensor<4x8xf4E2M1FN>) {
  %0 = prim.reshape %x : tensor<12x10xf8E3M4> -> tensor<5x24xf8E3M4>
  %1 = prim.slice %x starts [2, 1] limits [10, 7] strides [2, 1] : tensor<12x10xf8E3M4> -> tensor<4x6xf8E3M4>
  %2 = prim.pad %x low [1, 1] high [1, 2] value 1.5 : f8E3M4 : tensor<12x10xf8E3M4> -> tensor<14x13xf8E3M4>
  %3 = prim.cat %x, %y dim 1 : tensor<12x10xf8E3M4>, tensor<12x10xf8E3M4> -> tensor<12x20xf8E3M4>
  %i = prim.constant dense<[7, 0, 11]> : tensor<3xi32>
  %4 = prim.gather %x, %i dim 0 batch_dims 0 : tensor<12x10xf8E3M4>, tensor<3xi32> -> tensor<3x10xf8E3M4>
  %j = prim.constant dense<[[7], [0], [11]]> : tensor<3x1xi32>
  %u = prim.reshape %4 : tensor<3x10xf8E3M4> -> tensor<3x1x10xf8E3M4>
  %5 = prim.scatter set %y, %j, %u dims [0] batch_dims 0 : tensor<12x10xf8E3M4>, tensor<3x1xi32>, tensor<3x1x10xf8E3M4>
  %c = prim.lt %x, %y : tensor<12x10xf8E3M4> -> tensor<12x10xi1>
  %6 = prim.where %c, %x, %y : tensor<12x10xi1>, tensor<12x10xf8E3M4>
  %t = prim.transpose %s permutation [1, 0] : tensor<6x4xf4E2M1FN> -> tensor<4x6xf4E2M1FN>
  %7 = prim.pad %t low [0, 1] high [0, 1] value -6.0 : f4E2M1FN : tensor<4x6xf4E2M1FN> -> tensor<4x8xf4E2M1FN>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<5x24xf8E3M4>, tensor<4x6xf8E3M4>, tensor<14x13xf8E3M4>,
    tensor<12x20xf8E3M4>, tensor<3x10xf8E3M4>, tensor<12x10xf8E3M4>, tensor<12x10xf8E3M4>, tensor<4x8xf4E2M1FN>
}

func.func @computes(%x: tensor<16x32xf8E4M3>, %y: tensor<32x24xf8E4M3>, %f: tensor<16x32xf6E2M3FN>, %i: tensor<16x32xi32>)
    -> (tensor<16x24xf32>, tensor<16x24xf8E4M3>, tensor<16xf8E4M3>, tensor<16xi32>, tensor<16x32xf8E4M3>, tensor<16x32xf8E4M3>,
        tensor<16x32xf6E2M3FN>, tensor<16x32xi8>, tensor<16x32xf8E5M2>, tensor<9x9xf8E4M3B11FNUZ>) {
  %0 = prim.dot_general %x, %y batch [] x [] contract [1] x [0] : tensor<16x32xf8E4M3>, tensor<32x24xf8E4M3> -> tensor<16x24xf32>
  %1 = prim.dot_general %x, %y batch [] x [] contract [1] x [0]
    : tensor<16x32xf8E4M3>, tensor<32x24xf8E4M3> -> tensor<16x24xf8E4M3>
  %2 = prim.amax %x dims [1] : tensor<16x32xf8E4M3> -> tensor<16xf8E4M3>
  %3 = prim.argmax %x dim 1 : tensor<16x32xf8E4M3> -> tensor<16xi32>
  %4 = prim.sort %x dim 1 keys 1 : tensor<16x32xf8E4M3>
  %5 = prim.mul %4, %x : tensor<16x32xf8E4M3>
  %6 = prim.tanh %f : tensor<16x32xf6E2M3FN>
  %7 = prim.convert_element_type %f : tensor<16x32xf6E2M3FN> -> tensor<16x32xi8>
  %8 = prim.convert_element_type %i : tensor<16x32xi32> -> tensor<16x32xf8E5M2>
  %9 = prim.iota dim 1 : tensor<9x9xf8E4M3B11FNUZ>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<16x24xf32>, tensor<16x24xf8E4M3>, tensor<16xf8E4M3>, tensor<16xi32>,
    tensor<16x32xf8E4M3>, tensor<16x32xf8E4M3>, tensor<16x32xf6E2M3FN>, tensor<16x32xi8>, tensor<16x32xf8E5M2>,
    tensor<9x9xf8E4M3B11FNUZ>
}
