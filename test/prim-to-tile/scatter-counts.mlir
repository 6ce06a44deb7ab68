// A scatter that adds one number to single elements of a small result counts how often each is listed: an instance counts
// a run of places, and adds its counts once.
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none,scatter=ordered --no-fallback --emit=program | FileCheck %s --check-prefix=ORDERED
// RUN: for entry in bins pairs floats infinite truths single far rows; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// RUN: for size in 0 1 4096 5003; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=open --dim=$size || exit 1; done

// The mask of the last block, and indices that are outside: 63 of 50.
// CHECK-LABEL: tile.kernel private @bins_{{.*}}scatter(
// CHECK: tile.load {{.*}} -> tensor<2048xi32>
// CHECK: tile.histogram {{.*}} mask {{.*}} -> tensor<64xi32>
// CHECK: arith.muli
// CHECK: tile.store {{.*}} combine add : tensor<64xi32>, !tile.view<50xi32>
func.func @bins(%x: tensor<50xi32>, %k: tensor<3001x1xi32>) -> tensor<50xi32> {
  %c = prim.constant dense<63> : tensor<3001x1xi32>
  %i = prim.bitwise_and %k, %c : tensor<3001x1xi32>
  %u = prim.full 3 : i32 : tensor<3001x1xi32>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<50xi32>, tensor<3001x1xi32>, tensor<3001x1xi32>
  return %r : tensor<50xi32>
}
// Two coordinates: the elements are numbered by rows.
// CHECK-LABEL: tile.kernel private @pairs_{{.*}}scatter(
// CHECK: tile.histogram {{.*}} -> tensor<128xi32>
// CHECK: tile.store {{.*}} combine add : tensor<128xi64>, !tile.view<70xi64>
func.func @pairs(%x: tensor<7x10xi64>, %k: tensor<2048x2xi64>) -> tensor<7x10xi64> {
  %c = prim.constant dense<15> : tensor<2048x2xi64>
  %i = prim.bitwise_and %k, %c : tensor<2048x2xi64>
  %u = prim.full 1 : i64 : tensor<2048x1x1xi64>
  %r = prim.scatter add %x, %i, %u dims [1, 0] batch_dims 0 : tensor<7x10xi64>, tensor<2048x2xi64>, tensor<2048x1x1xi64>
  return %r : tensor<7x10xi64>
}
// Sums of floats have no order then.
// CHECK-LABEL: tile.kernel private @floats_{{.*}}scatter(
// CHECK: tile.histogram
// CHECK: arith.uitofp
// CHECK: arith.mulf
// ORDERED-LABEL: tile.kernel private @floats_{{.*}}scatter(
// ORDERED-NOT: tile.histogram
// ORDERED: program.func @floats
func.func @floats(%k: tensor<3001x1xi32>) -> tensor<16xf32> {
  %c = prim.constant dense<15> : tensor<3001x1xi32>
  %i = prim.bitwise_and %k, %c : tensor<3001x1xi32>
  %z = prim.full 0.5 : f32 : tensor<16xf32>
  %u = prim.full 0.1 : f32 : tensor<3001x1xf32>
  %r = prim.scatter add %z, %i, %u dims [0] batch_dims 0 : tensor<16xf32>, tensor<3001x1xi32>, tensor<3001x1xf32>
  return %r : tensor<16xf32>
}
// Elements that are not listed stay as they are.
// CHECK-LABEL: tile.kernel private @infinite_{{.*}}scatter(
// CHECK: %[[COUNTS:.*]] = tile.histogram
// CHECK: %[[LISTED:.*]] = arith.cmpi ne, %[[COUNTS]]
// CHECK: arith.select %[[LISTED]], {{.*}} : tensor<16xi1>, tensor<16xf32>
func.func @infinite(%k: tensor<3001x1xi32>) -> tensor<16xf32> {
  %c = prim.constant dense<7> : tensor<3001x1xi32>
  %i = prim.bitwise_and %k, %c : tensor<3001x1xi32>
  %z = prim.full -0.0 : f32 : tensor<16xf32>
  %u = prim.full 0x7F800000 : f32 : tensor<3001x1xf32>
  %r = prim.scatter add %z, %i, %u dims [0] batch_dims 0 : tensor<16xf32>, tensor<3001x1xi32>, tensor<3001x1xf32>
  return %r : tensor<16xf32>
}
// Truth values as numbers are the mask of what is counted.
// CHECK-LABEL: tile.kernel private @truths_{{.*}}scatter(
// CHECK: %[[M:.*]] = arith.cmpf une
// CHECK: %[[BOTH:.*]] = arith.andi {{.*}}, %[[M]]
// CHECK: tile.histogram {{.*}} mask %[[BOTH]] : {{.*}} -> tensor<64xi32>
func.func @truths(%x: tensor<50xf32>, %k: tensor<3000x1xi8>, %a: tensor<3000xf32>) -> tensor<50xf32> {
  %z = prim.full 0.0 : f32 : tensor<3000xf32>
  %t = prim.ge %a, %z : tensor<3000xf32> -> tensor<3000xi1>
  %n = prim.convert_element_type %t : tensor<3000xi1> -> tensor<3000xf32>
  %u = prim.reshape %n : tensor<3000xf32> -> tensor<3000x1xf32>
  %r = prim.scatter add %x, %k, %u dims [0] batch_dims 0 : tensor<50xf32>, tensor<3000x1xi8>, tensor<3000x1xf32>
  return %r : tensor<50xf32>
}
// Dimensions of one element, as torch.scatter_add has them: in front, and beside the places.
// CHECK-LABEL: tile.kernel private @single_{{.*}}scatter(
// CHECK: tile.histogram {{.*}} -> tensor<16xi32>
func.func @single(%k: tensor<1x3001x1x1xi32>) -> tensor<1x16x1xf32> {
  %c = prim.constant dense<15> : tensor<1x3001x1x1xi32>
  %i = prim.bitwise_and %k, %c : tensor<1x3001x1x1xi32>
  %z = prim.full 0.5 : f32 : tensor<1x16x1xf32>
  %u = prim.full 1.0 : f32 : tensor<1x3001x1x1x1xf32>
  %r = prim.scatter add %z, %i, %u dims [1] batch_dims 1 : tensor<1x16x1xf32>, tensor<1x3001x1x1xi32>, tensor<1x3001x1x1x1xf32>
  return %r : tensor<1x16x1xf32>
}
// Runs of nine blocks do not divide the places: what is behind the last one is not counted.
// CHECK-LABEL: tile.kernel private @long_{{.*}}scatter(
// CHECK: arith.cmpi slt
// CHECK: scf.for
// CHECK: arith.cmpi slt
func.func @long(%k: tensor<16777216x1xi32>) -> tensor<16xi32> {
  %z = prim.full 0 : i32 : tensor<16xi32>
  %u = prim.full 1 : i32 : tensor<16777216x1xi32>
  %r = prim.scatter add %z, %k, %u dims [0] batch_dims 0 : tensor<16xi32>, tensor<16777216x1xi32>, tensor<16777216x1xi32>
  return %r : tensor<16xi32>
}
// As many places as the program is called with: runs of sixteen blocks.
// CHECK-LABEL: tile.kernel private @open_{{.*}}scatter(
// CHECK: %[[FIRST:.*]] = tile.histogram
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
// CHECK: tile.histogram
// CHECK: arith.addi {{.*}} tensor<16xi32>
func.func @open(%k: tensor<?x1xi32>) -> tensor<16xi32> {
  %c = prim.full 15 : i32 : tensor<1x1xi32>
  %z = prim.full 0 : i32 : tensor<16xi32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %k, %c0 : tensor<?x1xi32>
  %b = prim.broadcast_in_dim %c dims [0, 1] sizes (%n) : tensor<1x1xi32> -> tensor<?x1xi32>
  %i = prim.bitwise_and %k, %b : tensor<?x1xi32>
  %u = prim.full 1 : i32 sizes (%n) : tensor<?x1xi32>
  %r = prim.scatter add %z, %i, %u dims [0] batch_dims 0 : tensor<16xi32>, tensor<?x1xi32>, tensor<?x1xi32>
  return %r : tensor<16xi32>
}
// Large results, and rows, are updated place by place.
// CHECK-LABEL: tile.kernel private @far_{{.*}}scatter(
// CHECK-NOT: tile.histogram
// CHECK-LABEL: tile.kernel private @rows_{{.*}}scatter(
// CHECK-NOT: tile.histogram
func.func @far(%x: tensor<5000xi32>, %k: tensor<100x1xi32>) -> tensor<5000xi32> {
  %u = prim.full 1 : i32 : tensor<100x1xi32>
  %r = prim.scatter add %x, %k, %u dims [0] batch_dims 0 : tensor<5000xi32>, tensor<100x1xi32>, tensor<100x1xi32>
  return %r : tensor<5000xi32>
}
func.func @rows(%x: tensor<5x70xi32>, %k: tensor<100x1xi32>) -> tensor<5x70xi32> {
  %c = prim.constant dense<7> : tensor<100x1xi32>
  %i = prim.bitwise_and %k, %c : tensor<100x1xi32>
  %u = prim.full 1 : i32 : tensor<100x1x70xi32>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<5x70xi32>, tensor<100x1xi32>, tensor<100x1x70xi32>
  return %r : tensor<5x70xi32>
}
