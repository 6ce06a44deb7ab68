// Where a core has one instance at most, a block has as many threads as it may have. They share a tile of all that is reduced, or of one
// access of 16 bytes for each, and reduce its dimensions at once.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: for entry in whole pieces shared total last single long; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// RUN: kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=pieces --inputs=hurt

// Channels of a group and their pixels, once.
// CHECK-LABEL: tile.kernel private @whole_0_norm(
// CHECK-SAME: tile.hints = #tile.kernel_hints<warps = 32>
// CHECK: tile.load {{.*}} -> tensor<32x256xf16>
// CHECK-NOT: tile.load
// CHECK: tile.reshape {{.*}} : tensor<32x256xf32> -> tensor<8192xf32>
// CHECK: tile.reduce {{.*}} axis 0 : tensor<8192xf32> -> tensor<f32>
// CHECK-NOT: scf.for
// CHECK: tile.store {{.*}} tensor<32x256xf16>
func.func @whole(%h: tensor<6x20x256xf16>) -> tensor<6x20x256xf16> {
  %x = prim.convert_element_type %h : tensor<6x20x256xf16> -> tensor<6x20x256xf32>
  %n = prim.full 5120.0 : f32 : tensor<6xf32>
  %sum = prim.sum %x dims [1, 2] : tensor<6x20x256xf32> -> tensor<6xf32>
  %mean = prim.div %sum, %n : tensor<6xf32>
  %m = prim.broadcast_in_dim %mean dims [0] : tensor<6xf32> -> tensor<6x20x256xf32>
  %apart = prim.sub %x, %m : tensor<6x20x256xf32>
  %square = prim.mul %apart, %apart : tensor<6x20x256xf32>
  %squares = prim.sum %square dims [1, 2] : tensor<6x20x256xf32> -> tensor<6xf32>
  %factor = prim.rsqrt %squares : tensor<6xf32>
  %f = prim.broadcast_in_dim %factor dims [0] : tensor<6xf32> -> tensor<6x20x256xf32>
  %y = prim.mul %apart, %f : tensor<6x20x256xf32>
  %w = prim.iota dim 1 : tensor<6x20x256xf32>
  %z = prim.mul %y, %w : tensor<6x20x256xf32>
  %r = prim.convert_element_type %z : tensor<6x20x256xf32> -> tensor<6x20x256xf16>
  return %r : tensor<6x20x256xf16>
}
// More of them, in a loop.
// CHECK-LABEL: tile.kernel private @pieces_0_norm(
// CHECK-SAME: tile.hints = #tile.kernel_hints<warps = 32>
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}}) -> (tensor<4x1024xf32>, tensor<4x1024xf32>)
// CHECK: scf.for
// CHECK: tile.store {{.*}} tensor<4x1024xf32>
func.func @pieces(%x: tensor<5x20x1024xf32>, %w: tensor<20xf32>) -> tensor<5x20x1024xf32> {
  %n = prim.full 20480.0 : f32 : tensor<5xf32>
  %sum = prim.sum %x dims [1, 2] : tensor<5x20x1024xf32> -> tensor<5xf32>
  %mean = prim.div %sum, %n : tensor<5xf32>
  %m = prim.broadcast_in_dim %mean dims [0] : tensor<5xf32> -> tensor<5x20x1024xf32>
  %apart = prim.sub %x, %m : tensor<5x20x1024xf32>
  %square = prim.mul %apart, %apart : tensor<5x20x1024xf32>
  %squares = prim.sum %square dims [1, 2] : tensor<5x20x1024xf32> -> tensor<5xf32>
  %variance = prim.div %squares, %n : tensor<5xf32>
  %factor = prim.rsqrt %variance : tensor<5xf32>
  %f = prim.broadcast_in_dim %factor dims [0] : tensor<5xf32> -> tensor<5x20x1024xf32>
  %y = prim.mul %apart, %f : tensor<5x20x1024xf32>
  %b = prim.broadcast_in_dim %w dims [1] : tensor<20xf32> -> tensor<5x20x1024xf32>
  %r = prim.mul %y, %b : tensor<5x20x1024xf32>
  return %r : tensor<5x20x1024xf32>
}
// Statistics that instances of half of the cores compute are a kernel of their own where the rest takes long: it reads elements once, also
// where a reshape gives the mean dimensions of one element.
// CHECK-LABEL: tile.kernel private @shared_0_norm_sum0(
// CHECK-SAME: tile.hints = #tile.kernel_hints<warps = 32>
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}}) -> (tensor<8192xf32>, tensor<8192xf32>)
// CHECK-COUNT-2: tile.store
// CHECK-LABEL: program.func @shared(
// CHECK-COUNT-2: program.launch
// CHECK-NOT: program.launch
// CHECK: program.return
func.func @shared(%h: tensor<40x10x4096xf16>) -> tensor<40x10x4096xf32> {
  %x = prim.convert_element_type %h : tensor<40x10x4096xf16> -> tensor<40x10x4096xf32>
  %n = prim.full 40960.0 : f32 : tensor<40xf32>
  %sum = prim.sum %x dims [1, 2] : tensor<40x10x4096xf32> -> tensor<40xf32>
  %mean = prim.div %sum, %n : tensor<40xf32>
  %one = prim.reshape %mean : tensor<40xf32> -> tensor<40x1x1xf32>
  %m = prim.broadcast_in_dim %one dims [0, 1, 2] : tensor<40x1x1xf32> -> tensor<40x10x4096xf32>
  %apart = prim.sub %x, %m : tensor<40x10x4096xf32>
  %square = prim.mul %apart, %apart : tensor<40x10x4096xf32>
  %squares = prim.sum %square dims [1, 2] : tensor<40x10x4096xf32> -> tensor<40xf32>
  %variance = prim.div %squares, %n : tensor<40xf32>
  %factor = prim.rsqrt %variance : tensor<40xf32>
  %f = prim.broadcast_in_dim %factor dims [0] : tensor<40xf32> -> tensor<40x10x4096xf32>
  %r = prim.mul %apart, %f : tensor<40x10x4096xf32>
  return %r : tensor<40x10x4096xf32>
}
// A sum over what a block reads soon is one kernel.
// CHECK-LABEL: tile.kernel private @total_0_sum(
// CHECK-SAME: tile.hints = #tile.kernel_hints<warps = 32>
// CHECK-LABEL: program.func @total(
// CHECK-COUNT-1: program.launch
// CHECK-NOT: program.launch
// CHECK: program.return
func.func @total(%x: tensor<50x20000xf32>) -> tensor<50xf32> {
  %sum = prim.sum %x dims [1] : tensor<50x20000xf32> -> tensor<50xf32>
  return %sum : tensor<50xf32>
}
// Where channels are last, a row of a group has few elements: tiles have whole lines, of five blocks, and the second kernel adds up groups.
// CHECK-LABEL: tile.kernel private @last_0_norm_sum0(
// CHECK-SAME: tile.hints = #tile.kernel_hints<warps = 8>
// CHECK: tile.load {{.*}} -> tensor<256x32xf16>
// CHECK-COUNT-4: tile.store
// CHECK-LABEL: tile.kernel private @last_0_norm_sum0_parts(
// CHECK-LABEL: program.func @last(
// CHECK-COUNT-3: program.launch
// CHECK-NOT: program.launch
// CHECK: program.return
func.func @last(%h: tensor<8192x16x10xf16>) -> tensor<8192x16x10xf16> {
  %x = prim.convert_element_type %h : tensor<8192x16x10xf16> -> tensor<8192x16x10xf32>
  %n = prim.full 81920.0 : f32 : tensor<16xf32>
  %sum = prim.sum %x dims [0, 2] : tensor<8192x16x10xf32> -> tensor<16xf32>
  %mean = prim.div %sum, %n : tensor<16xf32>
  %m = prim.broadcast_in_dim %mean dims [1] : tensor<16xf32> -> tensor<8192x16x10xf32>
  %apart = prim.sub %x, %m : tensor<8192x16x10xf32>
  %square = prim.mul %apart, %apart : tensor<8192x16x10xf32>
  %squares = prim.sum %square dims [0, 2] : tensor<8192x16x10xf32> -> tensor<16xf32>
  %variance = prim.div %squares, %n : tensor<16xf32>
  %factor = prim.rsqrt %variance : tensor<16xf32>
  %f = prim.broadcast_in_dim %factor dims [1] : tensor<16xf32> -> tensor<8192x16x10xf32>
  %y = prim.mul %apart, %f : tensor<8192x16x10xf32>
  %r = prim.convert_element_type %y : tensor<8192x16x10xf32> -> tensor<8192x16x10xf16>
  return %r : tensor<8192x16x10xf16>
}
// A row that fits registers is read once, and pieces of a longer one have accesses of 16 bytes.
// CHECK-LABEL: tile.kernel private @single_
// CHECK-SAME: tile.hints = #tile.kernel_hints<warps = 32>
// CHECK: tile.load {{.*}} -> tensor<32768xf32>
// CHECK-NOT: scf.for
// CHECK-LABEL: tile.kernel private @long_
// CHECK-SAME: tile.hints = #tile.kernel_hints<warps = 32>
// CHECK: tile.load {{.*}} -> tensor<4096xf32>
// CHECK-LABEL: program.func @long(
func.func @single(%x: tensor<30000xf32>) -> tensor<30000xf32> {
  %r = prim.softmax %x dim 0 : tensor<30000xf32>
  return %r : tensor<30000xf32>
}
func.func @long(%x: tensor<50000xf32>) -> tensor<50000xf32> {
  %r = prim.softmax %x dim 0 : tensor<50000xf32>
  return %r : tensor<50000xf32>
}
