// Sums over places and over the channels of a group, where channels lie innermost: instances read whole lines and keep each channel,
// and a second kernel adds up what they leave and the channels of a group.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=tile --verify-semantics -o /dev/null
// RUN: for entry in groups single ragged largest small; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// RUN: for entry in groups ragged largest; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --inputs=hurt --entry=$entry || exit 1; done

// Each instance has one block, whose elements it loads once; nothing copies the squares to where the last kernel reads them.
// CHECK-LABEL: tile.kernel private @groups_0_sum(
// CHECK-NOT: scf.for
// CHECK: tile.load {{.*}} -> tensor<{{[0-9]+}}x64xf16>
// CHECK-NOT: tile.load
// CHECK-COUNT-3: tile.reduce {{.*}} axis 0
// CHECK-COUNT-4: tile.store {{.*}} : tensor<64xf32>
// The channels of a group are masked to ten.
// CHECK-LABEL: tile.kernel private @groups_0_sum_parts(
// CHECK-COUNT-4: tile.load {{.*}} -> tensor<{{[0-9]+}}x16{{(x2)?}}xf32>
// CHECK: arith.cmpi slt
// CHECK-COUNT-2: tile.reduce {{.*}} axis 0 : tensor<{{[0-9]+}}{{(x2)?}}xf32> -> tensor<{{(2x)?}}f32>
// CHECK-LABEL: program.func @groups
// CHECK-COUNT-3: program.launch
// CHECK-NOT: program.launch
func.func @groups(%a: tensor<2x24x24x40xf16>) -> tensor<2x24x24x40xf16> {
  %t = prim.transpose %a permutation [0, 3, 1, 2] : tensor<2x24x24x40xf16> -> tensor<2x40x24x24xf16>
  %x = prim.convert_element_type %t : tensor<2x40x24x24xf16> -> tensor<2x40x24x24xf32>
  %r = prim.reshape %x : tensor<2x40x24x24xf32> -> tensor<2x4x10x576xf32>
  %sum = prim.sum %r dims [2, 3] : tensor<2x4x10x576xf32> -> tensor<2x4xf32>
  %n = prim.full 5760.0 : f32 : tensor<2x4xf32>
  %mean = prim.div %sum, %n : tensor<2x4xf32>
  %m = prim.broadcast_in_dim %mean dims [0, 1] : tensor<2x4xf32> -> tensor<2x4x10x576xf32>
  %apart = prim.sub %r, %m : tensor<2x4x10x576xf32>
  %square = prim.mul %apart, %apart : tensor<2x4x10x576xf32>
  %squares = prim.sum %square dims [2, 3] : tensor<2x4x10x576xf32> -> tensor<2x4xf32>
  %variance = prim.div %squares, %n : tensor<2x4xf32>
  %factor = prim.rsqrt %variance : tensor<2x4xf32>
  %f = prim.broadcast_in_dim %factor dims [0, 1] : tensor<2x4xf32> -> tensor<2x4x10x576xf32>
  %y = prim.mul %apart, %f : tensor<2x4x10x576xf32>
  %o = prim.reshape %y : tensor<2x4x10x576xf32> -> tensor<2x40x24x24xf32>
  %b = prim.convert_element_type %o : tensor<2x40x24x24xf32> -> tensor<2x40x24x24xf16>
  %z = prim.transpose %b permutation [0, 2, 3, 1] : tensor<2x40x24x24xf16> -> tensor<2x24x24x40xf16>
  return %z : tensor<2x24x24x40xf16>
}
// A reshape of a transpose that needs no copy is a view: nothing brings the channels first.
// CHECK-LABEL: program.func @single
// CHECK-NOT: _copy
// CHECK-COUNT-3: program.launch
// CHECK-NOT: program.launch
func.func @single(%a: tensor<2x24x24x40xf32>) -> tensor<2x24x24x40xf32> {
  %t = prim.transpose %a permutation [0, 3, 1, 2] : tensor<2x24x24x40xf32> -> tensor<2x40x24x24xf32>
  %r = prim.reshape %t : tensor<2x40x24x24xf32> -> tensor<2x4x10x576xf32>
  %sum = prim.sum %r dims [2, 3] : tensor<2x4x10x576xf32> -> tensor<2x4xf32>
  %n = prim.full 5760.0 : f32 : tensor<2x4xf32>
  %mean = prim.div %sum, %n : tensor<2x4xf32>
  %m = prim.broadcast_in_dim %mean dims [0, 1] : tensor<2x4xf32> -> tensor<2x4x10x576xf32>
  %apart = prim.sub %r, %m : tensor<2x4x10x576xf32>
  %square = prim.mul %apart, %apart : tensor<2x4x10x576xf32>
  %squares = prim.sum %square dims [2, 3] : tensor<2x4x10x576xf32> -> tensor<2x4xf32>
  %variance = prim.div %squares, %n : tensor<2x4xf32>
  %factor = prim.rsqrt %variance : tensor<2x4xf32>
  %f = prim.broadcast_in_dim %factor dims [0, 1] : tensor<2x4xf32> -> tensor<2x4x10x576xf32>
  %y = prim.mul %apart, %f : tensor<2x4x10x576xf32>
  %o = prim.reshape %y : tensor<2x4x10x576xf32> -> tensor<2x40x24x24xf32>
  %z = prim.transpose %o permutation [0, 2, 3, 1] : tensor<2x40x24x24xf32> -> tensor<2x24x24x40xf32>
  return %z : tensor<2x24x24x40xf32>
}
// The last block has fewer places.
// CHECK-LABEL: tile.kernel private @ragged_0_sum(
// CHECK: arith.divf
func.func @ragged(%a: tensor<3x27x27x24xbf16>) -> tensor<3x27x27x24xbf16> {
  %t = prim.transpose %a permutation [0, 3, 1, 2] : tensor<3x27x27x24xbf16> -> tensor<3x24x27x27xbf16>
  %x = prim.convert_element_type %t : tensor<3x24x27x27xbf16> -> tensor<3x24x27x27xf32>
  %r = prim.reshape %x : tensor<3x24x27x27xf32> -> tensor<3x8x3x729xf32>
  %sum = prim.sum %r dims [2, 3] : tensor<3x8x3x729xf32> -> tensor<3x8xf32>
  %n = prim.full 2187.0 : f32 : tensor<3x8xf32>
  %mean = prim.div %sum, %n : tensor<3x8xf32>
  %m = prim.broadcast_in_dim %mean dims [0, 1] : tensor<3x8xf32> -> tensor<3x8x3x729xf32>
  %apart = prim.sub %r, %m : tensor<3x8x3x729xf32>
  %square = prim.mul %apart, %apart : tensor<3x8x3x729xf32>
  %squares = prim.sum %square dims [2, 3] : tensor<3x8x3x729xf32> -> tensor<3x8xf32>
  %variance = prim.div %squares, %n : tensor<3x8xf32>
  %factor = prim.rsqrt %variance : tensor<3x8xf32>
  %f = prim.broadcast_in_dim %factor dims [0, 1] : tensor<3x8xf32> -> tensor<3x8x3x729xf32>
  %y = prim.mul %apart, %f : tensor<3x8x3x729xf32>
  %o = prim.reshape %y : tensor<3x8x3x729xf32> -> tensor<3x24x27x27xf32>
  %b = prim.convert_element_type %o : tensor<3x24x27x27xf32> -> tensor<3x24x27x27xbf16>
  %z = prim.transpose %b permutation [0, 2, 3, 1] : tensor<3x24x27x27xbf16> -> tensor<3x27x27x24xbf16>
  return %z : tensor<3x27x27x24xbf16>
}
// What is beyond the last part and the last channel is no largest element.
// CHECK-LABEL: tile.kernel private @largest_0_amax_parts(
// CHECK: dense<0xFF800000>
// CHECK: tile.reduce {{.*}} axis 0 : tensor<{{[0-9]+}}{{(x2)?}}xf32> -> tensor<{{(2x)?}}f32>
func.func @largest(%a: tensor<2x300x60xf32>) -> tensor<2x12xf32> {
  %r = prim.reshape %a : tensor<2x300x60xf32> -> tensor<2x300x12x5xf32>
  %m = prim.amax %r dims [1, 3] : tensor<2x300x12x5xf32> -> tensor<2x12xf32>
  return %m : tensor<2x12xf32>
}
// Few places are not worth a second kernel.
// CHECK-LABEL: program.func @small
// CHECK-COUNT-1: program.launch
// CHECK-NOT: program.launch
func.func @small(%a: tensor<2x16x60xf32>) -> tensor<2x12xf32> {
  %r = prim.reshape %a : tensor<2x16x60xf32> -> tensor<2x16x12x5xf32>
  %m = prim.sum %r dims [1, 3] : tensor<2x16x12x5xf32> -> tensor<2x12xf32>
  return %m : tensor<2x12xf32>
}
