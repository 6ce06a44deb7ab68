// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler makes the copies of constant factors, also of those that a program transposes: no kernel does it at each call. Each constant has all
// 256 bytes. Zeros with a sign and NaN become what a kernel makes of them.
// DEFINE: %{pass} = kiln-set-target{spec=amd:gfx942},amd-recode-factors{uses=1 products=1}
// RUN: kiln-opt %s --pass-pipeline='builtin.module(%{pass})' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: for entry in plain along moved infinite splat; do kiln-run %s --target=reference --entry=$entry --inputs=hurt --result=0:%t.npy && kiln-run %t.mlir --target=reference --entry=$entry --inputs=hurt --expect=0:%t.npy --rtol=0 --atol=0 || exit 1; done
// RUN: kiln-run %t.mlir --target=amd:gfx942,device=sim --entry=plain --inputs=hurt --check

// Half of each number in the format of the chip, with the elements of a column side by side.
// CHECK-LABEL: func.func @plain(
// CHECK-DAG: prim.fusion elementwise(%arg0)
// CHECK-DAG: %[[C:.*]] = prim.constant dense_resource<[[PLAIN:recoded.*]]> : tensor<16x16xf8E4M3FNUZ>
// CHECK-NOT: prim.fusion elementwise
// CHECK: prim.fusion contraction(%{{.*}}, %[[C]])
// CHECK: contract [1] x [1]
func.func @plain(%a: tensor<32x16xf8E4M3FN>) -> tensor<32x16xf32> {
  %c = prim.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF"> : tensor<16x16xf8E4M3FN>
  %d = prim.fusion contraction (%a, %c) : (tensor<32x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<32x16xf32> {
  ^bb0(%x: tensor<32x16xf8E4M3FN>, %y: tensor<16x16xf8E4M3FN>):
    %u = prim.convert_element_type %x : tensor<32x16xf8E4M3FN> -> tensor<32x16xbf16>
    %v = prim.convert_element_type %y : tensor<16x16xf8E4M3FN> -> tensor<16x16xbf16>
    %e = prim.dot_general %u, %v batch [] x [] contract [1] x [0] : tensor<32x16xbf16>, tensor<16x16xbf16> -> tensor<32x16xf32>
    prim.yield %e : tensor<32x16xf32>
  }
  return %d : tensor<32x16xf32>
}

// One that lies along the sum stays so.
// CHECK-LABEL: func.func @along(
// CHECK: %[[C:.*]] = prim.constant dense_resource<[[ALONG:recoded.*]]> : tensor<16x16xf8E4M3FNUZ>
// CHECK: prim.fusion contraction(%{{.*}}, %[[C]])
// CHECK: contract [1] x [1]
func.func @along(%a: tensor<32x16xf8E4M3FN>) -> tensor<32x16xf32> {
  %c = prim.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF"> : tensor<16x16xf8E4M3FN>
  %d = prim.fusion contraction (%a, %c) : (tensor<32x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<32x16xf32> {
  ^bb0(%x: tensor<32x16xf8E4M3FN>, %y: tensor<16x16xf8E4M3FN>):
    %u = prim.convert_element_type %x : tensor<32x16xf8E4M3FN> -> tensor<32x16xbf16>
    %v = prim.convert_element_type %y : tensor<16x16xf8E4M3FN> -> tensor<16x16xbf16>
    %e = prim.dot_general %u, %v batch [] x [] contract [1] x [1] : tensor<32x16xbf16>, tensor<16x16xbf16> -> tensor<32x16xf32>
    prim.yield %e : tensor<32x16xf32>
  }
  return %d : tensor<32x16xf32>
}

// A constant that is transposed before.
// CHECK-LABEL: func.func @moved(
// CHECK: prim.constant dense_resource<[[MOVED:recoded.*]]> : tensor<16x16xf8E4M3FNUZ>
// CHECK: prim.fusion contraction
// CHECK: contract [1] x [1]
func.func @moved(%a: tensor<32x16xf8E4M3FN>) -> tensor<32x16xf32> {
  %c = prim.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF"> : tensor<16x16xf8E4M3FN>
  %m = prim.transpose %c permutation [1, 0] : tensor<16x16xf8E4M3FN> -> tensor<16x16xf8E4M3FN>
  %d = prim.fusion contraction (%a, %m) : (tensor<32x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<32x16xf32> {
  ^bb0(%x: tensor<32x16xf8E4M3FN>, %y: tensor<16x16xf8E4M3FN>):
    %u = prim.convert_element_type %x : tensor<32x16xf8E4M3FN> -> tensor<32x16xbf16>
    %v = prim.convert_element_type %y : tensor<16x16xf8E4M3FN> -> tensor<16x16xbf16>
    %e = prim.dot_general %u, %v batch [] x [] contract [1] x [0] : tensor<32x16xbf16>, tensor<16x16xbf16> -> tensor<32x16xf32>
    prim.yield %e : tensor<32x16xf32>
  }
  return %d : tensor<32x16xf32>
}

// Where the other factor has infinities, the copy has the wider type.
// CHECK-LABEL: func.func @infinite(
// CHECK: prim.constant dense_resource<[[WIDE:recoded.*]]> : tensor<16x16xbf16>
// CHECK: prim.fusion contraction
// CHECK: contract [1] x [0]
func.func @infinite(%a: tensor<32x16xf8E5M2>) -> tensor<32x16xf32> {
  %c = prim.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF"> : tensor<16x16xf8E4M3FN>
  %d = prim.fusion contraction (%a, %c) : (tensor<32x16xf8E5M2>, tensor<16x16xf8E4M3FN>) -> tensor<32x16xf32> {
  ^bb0(%x: tensor<32x16xf8E5M2>, %y: tensor<16x16xf8E4M3FN>):
    %u = prim.convert_element_type %x : tensor<32x16xf8E5M2> -> tensor<32x16xbf16>
    %v = prim.convert_element_type %y : tensor<16x16xf8E4M3FN> -> tensor<16x16xbf16>
    %e = prim.dot_general %u, %v batch [] x [] contract [1] x [0] : tensor<32x16xbf16>, tensor<16x16xbf16> -> tensor<32x16xf32>
    prim.yield %e : tensor<32x16xf32>
  }
  return %d : tensor<32x16xf32>
}

// A single number for all elements.
// CHECK-LABEL: func.func @splat(
// CHECK: prim.constant dense_resource<[[SPLAT:recoded.*]]> : tensor<16x16xf8E4M3FNUZ>
// CHECK: return
func.func @splat(%a: tensor<32x16xf8E4M3FN>) -> tensor<32x16xf32> {
  %c = prim.constant dense<1.5> : tensor<16x16xf8E4M3FN>
  %d = prim.fusion contraction (%a, %c) : (tensor<32x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>) -> tensor<32x16xf32> {
  ^bb0(%x: tensor<32x16xf8E4M3FN>, %y: tensor<16x16xf8E4M3FN>):
    %u = prim.convert_element_type %x : tensor<32x16xf8E4M3FN> -> tensor<32x16xbf16>
    %v = prim.convert_element_type %y : tensor<16x16xf8E4M3FN> -> tensor<16x16xbf16>
    %e = prim.dot_general %u, %v batch [] x [] contract [1] x [0] : tensor<32x16xbf16>, tensor<16x16xbf16> -> tensor<32x16xf32>
    prim.yield %e : tensor<32x16xf32>
  }
  return %d : tensor<32x16xf32>
}

// Columns come first, and -0 (80) is 0.
// CHECK: [[PLAIN]]: "0x4000000000102030405060700090A0B0C0D0E0F00111213141516171
