// Of windows whose channels lie side by side, all lanes of a vector are inside of the image or none is. Rows that are partly outside
// are then computed as those inside are, without masks: what is outside is read from constants. Places that several windows read
// are compared and read once.
//
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3,threads=1},tile-choose-blocks,tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-split-products,stage-place{conflict=1024},stage-allocate),convert-stage-to-cpu)' | FileCheck %s
// RUN: for grid in 2,3 1,2; do kiln-run %s --target=cpu,threads=1 --entry=window --grid=$grid --arg=random:1:f32:8x32 --arg=zeros:f32:8x32 --check --no-fallback; done | FileCheck %s --check-prefix=RESULT
// RUN: for entry in tail strides apart halves largest whole; do kiln-run %s --entry=$entry --target=cpu,threads=1 --check 2>&1; \
// RUN:   kiln-run %s --entry=$entry --target=cpu:x86-64-v3,threads=2 --check 2>&1; done | FileCheck %s --check-prefix=RIGHT
// RESULT-COUNT-2: largest error
// RIGHT-COUNT-12: result 0: ok:

// CHECK: llvm.mlir.global internal constant @[[ZEROS:window_table[0-9]*]](dense<0.000000e+00>
// CHECK-LABEL: func.func @window(
// Rows inside, four at a time.
// CHECK: scf.for %{{.*}} step %c4_i64
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// Then the others: eleven places are compared, of which each row reads eight.
// CHECK: scf.for %{{.*}} to %c32_i64 step %c8_i64
// CHECK-NOT: masked
// CHECK: %[[PLACE:.*]] = llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, !llvm.ptr
// CHECK: llvm.load %{{.*}} -> vector<8xf32>
// CHECK-NOT: masked
// CHECK: llvm.store
// CHECK: return
tile.kernel @window(%x: !tile.view<8x32xf32> {tile.readonly}, %y: !tile.view<8x32xf32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c-3 = arith.constant -3 : index
  %c-2 = arith.constant -2 : index
  %c-1 = arith.constant -1 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %at = arith.muli %i, %c4 : index
  %at0 = arith.addi %at, %c-3 : index
  %at1 = arith.addi %at, %c-2 : index
  %at2 = arith.addi %at, %c-1 : index
  %at4 = arith.addi %at, %c1 : index
  %at5 = arith.addi %at, %c2 : index
  %at6 = arith.addi %at, %c3 : index
  %at7 = arith.addi %at, %c4 : index
  %x0 = tile.load %x at [%at0, %c0] : !tile.view<8x32xf32> -> tensor<4x32xf32>
  %x1 = tile.load %x at [%at1, %c0] : !tile.view<8x32xf32> -> tensor<4x32xf32>
  %x2 = tile.load %x at [%at2, %c0] : !tile.view<8x32xf32> -> tensor<4x32xf32>
  %x3 = tile.load %x at [%at, %c0] : !tile.view<8x32xf32> -> tensor<4x32xf32>
  %x4 = tile.load %x at [%at4, %c0] : !tile.view<8x32xf32> -> tensor<4x32xf32>
  %x5 = tile.load %x at [%at5, %c0] : !tile.view<8x32xf32> -> tensor<4x32xf32>
  %x6 = tile.load %x at [%at6, %c0] : !tile.view<8x32xf32> -> tensor<4x32xf32>
  %x7 = tile.load %x at [%at7, %c0] : !tile.view<8x32xf32> -> tensor<4x32xf32>
  %s0 = arith.subf %x0, %x1 : tensor<4x32xf32>
  %s1 = arith.subf %s0, %x2 : tensor<4x32xf32>
  %s2 = arith.addf %s1, %x3 : tensor<4x32xf32>
  %s3 = arith.addf %s2, %x4 : tensor<4x32xf32>
  %s4 = arith.subf %s3, %x5 : tensor<4x32xf32>
  %s5 = arith.addf %s4, %x6 : tensor<4x32xf32>
  %s6 = arith.subf %s5, %x7 : tensor<4x32xf32>
  tile.store %s6, %y at [%at, %c0] : tensor<4x32xf32>, !tile.view<8x32xf32>
}

// The last vector of 20 or 43 channels is partly behind the end of the row: it has a mask.
func.func @tail(%x: tensor<2x9x9x20xf32>, %w: tensor<20x5x5x1xf32>) -> tensor<2x9x9x20xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 20 : i64} : tensor<2x9x9x20xf32>, tensor<20x5x5x1xf32> -> tensor<2x9x9x20xf32>
  return %0 : tensor<2x9x9x20xf32>
}

func.func @strides(%x: tensor<2x15x15x43xf32>, %w: tensor<43x5x5x1xf32>) -> tensor<2x8x8x43xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 2, 2>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 43 : i64} : tensor<2x15x15x43xf32>, tensor<43x5x5x1xf32> -> tensor<2x8x8x43xf32>
  return %0 : tensor<2x8x8x43xf32>
}

func.func @apart(%x: tensor<1x14x14x32xf32>, %w: tensor<32x5x5x1xf32>) -> tensor<1x14x14x32xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 4, 4>, pad_high = array<i64: 4, 4>, dilation = array<i64: 2, 2>, input_dilation = array<i64: 1, 1>, groups = 32 : i64} : tensor<1x14x14x32xf32>, tensor<32x5x5x1xf32> -> tensor<1x14x14x32xf32>
  return %0 : tensor<1x14x14x32xf32>
}

func.func @halves(%x: tensor<1x10x10x48xbf16>, %w: tensor<48x5x5x1xbf16>) -> tensor<1x10x10x48xbf16> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 48 : i64} : tensor<1x10x10x48xbf16>, tensor<48x5x5x1xbf16> -> tensor<1x10x10x48xbf16>
  return %0 : tensor<1x10x10x48xbf16>
}

// Outside of the image there is the least number, not zero.
func.func @largest(%x: tensor<1x12x12x40xf32>) -> tensor<1x12x12x40xf32> {
  %0 = prim.max_pool %x {window = array<i64: 3, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>} : tensor<1x12x12x40xf32> -> tensor<1x12x12x40xf32>
  return %0 : tensor<1x12x12x40xf32>
}

func.func @whole(%x: tensor<2x7x7x96xf32>, %w: tensor<96x7x7x1xf32>) -> tensor<2x7x7x96xf32> {
  %0 = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 3, 3>, pad_high = array<i64: 3, 3>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 96 : i64} : tensor<2x7x7x96xf32>, tensor<96x7x7x1xf32> -> tensor<2x7x7x96xf32>
  return %0 : tensor<2x7x7x96xf32>
}
