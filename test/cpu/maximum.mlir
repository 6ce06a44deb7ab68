// A maximum passes NaN on by comparing one of its operands with itself: in a
// reduction what arrives, so that what is carried waits for the maximum alone.
//
// RUN: kiln-compile %s --target=cpu:x86-64-v4 --emit=llvm | FileCheck %s
// RUN: kiln-run %s --target=cpu,threads=1 --entry=largest --grid=3 --arg=hurt:1:f32:3x1003 --arg=zeros:f32:3 --check --no-fallback | FileCheck %s --check-prefix=RESULT

// RESULT: largest error 0,

// CHECK-LABEL: @largest(
// CHECK: %[[CARRIED:.*]] = phi <64 x float>
// CHECK: %[[LOADED:.*]] = load <64 x float>
// CHECK: call <64 x float> @llvm.maximum.v64f32(<64 x float> %[[LOADED]], <64 x float> %[[CARRIED]])
tile.kernel @largest(%x: !tile.view<3x1003xf32> {tile.readonly}, %y: !tile.view<3xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %lowest = arith.constant 0xFF800000 : f32
  %a = tile.load %x[%i, %c0] pad %lowest : f32 : !tile.view<3x1003xf32> -> tensor<1024xf32>
  %m = tile.reduce %a axis 0 : tensor<1024xf32> -> tensor<f32> {
  ^bb0(%p: f32, %q: f32):
    %larger = arith.maximumf %p, %q : f32
    tile.yield %larger : f32
  }
  %r = tile.reshape %m : tensor<f32> -> tensor<1xf32>
  tile.store %r, %y[%i] : tensor<1xf32>, !tile.view<3xf32>
}
