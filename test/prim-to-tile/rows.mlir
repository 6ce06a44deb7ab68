// Values of rows, what is computed from them and sums over rows are one kernel where threads share tiles, which reads the rows once.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-fuse))' | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=program | FileCheck %s --check-prefix=PROGRAM
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=tile --verify-semantics -o /dev/null
// RUN: kiln-run %s --target=cpu --check --entry=norm
// RUN: kiln-run %s --target=cpu --check --entry=gradient
// RUN: for entry in norm gradient residual square narrow; do \
// RUN:   kiln-run %s --target=amd:gfx942,device=sim --check --inputs=hurt --entry=$entry || exit 1; done

// The statistics of a norm are results of its kernel, also behind a view.
// CHECK-LABEL: func.func @norm(
// CHECK: %[[R:.*]]:3 = prim.fusion reduction(
// CHECK-NOT: prim.fusion
// CHECK: return %[[R]]#{{[0-2]}}, %[[R]]#{{[0-2]}}, %{{.*}} : tensor<40x96xf32>, tensor<40xf32>, tensor<40x1xf32>
// PROGRAM-LABEL: program.func @norm(
// PROGRAM-COUNT-1: program.launch
// PROGRAM-NOT: program.launch
// PROGRAM: program.return
func.func @norm(%x: tensor<40x96xf32>) -> (tensor<40x96xf32>, tensor<40xf32>, tensor<40x1xf32>) {
  %n = prim.full 96.0 : f32 : tensor<40xf32>
  %s = prim.sum %x dims [1] : tensor<40x96xf32> -> tensor<40xf32>
  %mean = prim.div %s, %n : tensor<40xf32>
  %m = prim.broadcast_in_dim %mean dims [0] : tensor<40xf32> -> tensor<40x96xf32>
  %apart = prim.sub %x, %m : tensor<40x96xf32>
  %squares = prim.mul %apart, %apart : tensor<40x96xf32>
  %t = prim.sum %squares dims [1] : tensor<40x96xf32> -> tensor<40xf32>
  %var = prim.div %t, %n : tensor<40xf32>
  %root = prim.rsqrt %var : tensor<40xf32>
  %column = prim.reshape %root : tensor<40xf32> -> tensor<40x1xf32>
  %r = prim.broadcast_in_dim %column dims [0, 1] : tensor<40x1xf32> -> tensor<40x96xf32>
  %y = prim.mul %apart, %r : tensor<40x96xf32>
  return %y, %mean, %column : tensor<40x96xf32>, tensor<40xf32>, tensor<40x1xf32>
}

// Instances keep sums over their rows, which a second kernel adds up. Rows and columns are no multiple of a tile.
// CHECK-LABEL: func.func @gradient(
// CHECK: :3 = prim.fusion reduction(
// CHECK-NOT: prim.fusion
// PROGRAM-LABEL: program.func @gradient(
// PROGRAM-COUNT-2: program.launch
// PROGRAM-NOT: program.launch
// PROGRAM: program.return
func.func @gradient(%g: tensor<37x100xbf16>, %x: tensor<37x100xbf16>, %w: tensor<100xf32>) -> (tensor<37x100xbf16>, tensor<100xbf16>, tensor<100xf32>) {
  %gf = prim.convert_element_type %g : tensor<37x100xbf16> -> tensor<37x100xf32>
  %xf = prim.convert_element_type %x : tensor<37x100xbf16> -> tensor<37x100xf32>
  %ws = prim.broadcast_in_dim %w dims [1] : tensor<100xf32> -> tensor<37x100xf32>
  %gw = prim.mul %gf, %ws : tensor<37x100xf32>
  %gx = prim.mul %gw, %xf : tensor<37x100xf32>
  %s = prim.sum %gx dims [1] : tensor<37x100xf32> -> tensor<37xf32>
  %ss = prim.broadcast_in_dim %s dims [0] : tensor<37xf32> -> tensor<37x100xf32>
  %p = prim.mul %xf, %ss : tensor<37x100xf32>
  %d = prim.sub %gw, %p : tensor<37x100xf32>
  %dx = prim.convert_element_type %d : tensor<37x100xf32> -> tensor<37x100xbf16>
  %q = prim.mul %gf, %xf : tensor<37x100xf32>
  %dw = prim.sum %q dims [0] : tensor<37x100xf32> -> tensor<100xf32>
  %dwb = prim.convert_element_type %dw : tensor<100xf32> -> tensor<100xbf16>
  %db = prim.sum %gf dims [0] : tensor<37x100xf32> -> tensor<100xf32>
  return %dx, %dwb, %db : tensor<37x100xbf16>, tensor<100xbf16>, tensor<100xf32>
}

// A row that no tile has room for: several kernels, as before.
// CHECK-LABEL: func.func @long
// PROGRAM-LABEL: program.func @long(
// PROGRAM-COUNT-2: program.launch
func.func @long(%x: tensor<4x300000xf32>) -> (tensor<4x300000xf32>, tensor<4xf32>) {
  %s = prim.sum %x dims [1] : tensor<4x300000xf32> -> tensor<4xf32>
  %m = prim.broadcast_in_dim %s dims [0] : tensor<4xf32> -> tensor<4x300000xf32>
  %y = prim.sub %x, %m : tensor<4x300000xf32>
  return %y, %s : tensor<4x300000xf32>, tensor<4xf32>
}

// A sum with a residual and its norm; what only the norm reads is no result.
// CHECK-LABEL: func.func @residual(
// CHECK: :2 = prim.fusion reduction(
// CHECK-NOT: prim.fusion
// PROGRAM-LABEL: program.func @residual(
// PROGRAM-COUNT-1: program.launch
// PROGRAM-NOT: program.launch
// PROGRAM: program.return
func.func @residual(%x: tensor<40x96xf32>, %y: tensor<40x96xf32>) -> (tensor<40x96xf32>, tensor<40x96xf32>) {
  %h = prim.add %x, %y : tensor<40x96xf32>
  %e = prim.exp %h : tensor<40x96xf32>
  %s = prim.sum %e dims [1] : tensor<40x96xf32> -> tensor<40xf32>
  %b = prim.broadcast_in_dim %s dims [0] : tensor<40xf32> -> tensor<40x96xf32>
  %r = prim.div %e, %b : tensor<40x96xf32>
  return %h, %r : tensor<40x96xf32>, tensor<40x96xf32>
}

// A sum over rows has as many elements as a row here, and does not belong to a row.
// CHECK-LABEL: func.func @square(
// PROGRAM-LABEL: program.func @square(
// PROGRAM: @square_0_sum{{.*}} "generic.reduction"
func.func @square(%w: tensor<96x96xf32>, %g: tensor<96x96xf32>) -> (tensor<96x96xf32>, tensor<96xf32>) {
  %s = prim.sum %g dims [0] : tensor<96x96xf32> -> tensor<96xf32>
  %t = prim.sum %g dims [1] : tensor<96x96xf32> -> tensor<96xf32>
  %b = prim.broadcast_in_dim %t dims [0] : tensor<96xf32> -> tensor<96x96xf32>
  %d = prim.sub %g, %b : tensor<96x96xf32>
  %m = prim.mul %d, %w : tensor<96x96xf32>
  %v = prim.sum %w dims [1] : tensor<96x96xf32> -> tensor<96xf32>
  %n = prim.sub %v, %s : tensor<96xf32>
  return %m, %n : tensor<96x96xf32>, tensor<96xf32>
}

// Rows shorter than a block of what adds up.
func.func @narrow(%x: tensor<512x8xf32>) -> (tensor<512x8xf32>, tensor<8xf32>) {
  %t = prim.sum %x dims [1] : tensor<512x8xf32> -> tensor<512xf32>
  %b = prim.broadcast_in_dim %t dims [0] : tensor<512xf32> -> tensor<512x8xf32>
  %d = prim.sub %x, %b : tensor<512x8xf32>
  %s = prim.sum %d dims [0] : tensor<512x8xf32> -> tensor<8xf32>
  return %d, %s : tensor<512x8xf32>, tensor<8xf32>
}
