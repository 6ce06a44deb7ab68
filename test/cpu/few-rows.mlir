// Products of few rows, with a right factor along rows or along columns, at edges too. Panels of it are shallow where
// its rows are in memory.
// RUN: for f in columns pair rows eight ints batched; do kiln-run %s --entry=$f --target=cpu,threads=2 --check 2>&1 | FileCheck %s --check-prefix=RIGHT || exit 1; done
// RUN: for n in 1 7; do kiln-run %s --entry=open --target=cpu --dim=$n --check 2>&1 | FileCheck %s --check-prefix=RIGHT || exit 1; done
// RUN: kiln-run %s --entry=columns --target=cpu --check --inputs=hurt 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: ok
// RUN: kiln-compile %s --entry=rows --target=cpu:x86-64-v3 --print-ir-after=cpu-select-matrix-instructions -o %t.kiln 2>&1 | FileCheck %s
// CHECK: split = #cpu.product<row = "fma.f32", rows = {{[0-9]+}}, columns = {{[0-9]+}}, depth = 8
// RUN: kiln-compile %s --entry=far --target=cpu:x86-64-v3 --print-ir-after=cpu-select-matrix-instructions -o %t.kiln 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: split = #cpu.product<row = "fma.f32", rows = {{[0-9]+}}, columns = {{[0-9]+}}, depth = {{[1-9][0-9]+}}

func.func @columns(%x: tensor<1x1030xbf16>, %w: tensor<131x1030xbf16>, %b: tensor<131xbf16>) -> tensor<1x131xbf16> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [1] : tensor<1x1030xbf16>, tensor<131x1030xbf16> -> tensor<1x131xbf16>
  %1 = prim.broadcast_in_dim %b dims [1] : tensor<131xbf16> -> tensor<1x131xbf16>
  %2 = prim.add %0, %1 : tensor<1x131xbf16>
  %3 = prim.tanh %2 : tensor<1x131xbf16>
  return %3 : tensor<1x131xbf16>
}
func.func @pair(%x: tensor<2x4500xf32>, %w: tensor<35x4500xf32>) -> tensor<2x35xf32> {
  %0 = prim.exp %w : tensor<35x4500xf32>
  %1 = prim.dot_general %x, %0 batch [] x [] contract [1] x [1] : tensor<2x4500xf32>, tensor<35x4500xf32> -> tensor<2x35xf32>
  return %1 : tensor<2x35xf32>
}
func.func @rows(%x: tensor<1x333xf32>, %w: tensor<333x5003xf32>) -> tensor<1x5003xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<1x333xf32>, tensor<333x5003xf32> -> tensor<1x5003xf32>
  return %0 : tensor<1x5003xf32>
}
func.func @eight(%x: tensor<8x333xf16>, %w: tensor<333x1003xf16>) -> tensor<8x1003xf16> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<8x333xf16>, tensor<333x1003xf16> -> tensor<8x1003xf16>
  return %0 : tensor<8x1003xf16>
}
func.func @far(%x: tensor<5x333xf32>, %w: tensor<1003x333xf32>) -> tensor<5x1003xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [1] : tensor<5x333xf32>, tensor<1003x333xf32> -> tensor<5x1003xf32>
  return %0 : tensor<5x1003xf32>
}
func.func @ints(%x: tensor<2x333xi8>, %w: tensor<103x333xi8>) -> tensor<2x103xi32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [1] : tensor<2x333xi8>, tensor<103x333xi8> -> tensor<2x103xi32>
  return %0 : tensor<2x103xi32>
}
func.func @open(%x: tensor<?x512xf32>, %w: tensor<300x512xf32>) -> tensor<?x300xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [1] : tensor<?x512xf32>, tensor<300x512xf32> -> tensor<?x300xf32>
  return %0 : tensor<?x300xf32>
}
func.func @batched(%q: tensor<3x1x64xf32>, %k: tensor<3x77x64xf32>) -> tensor<3x1x77xf32> {
  %0 = prim.dot_general %q, %k batch [0] x [0] contract [2] x [2] : tensor<3x1x64xf32>, tensor<3x77x64xf32> -> tensor<3x1x77xf32>
  return %0 : tensor<3x1x77xf32>
}
