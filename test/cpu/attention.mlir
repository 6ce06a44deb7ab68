// Attention as one kernel computes what the operation says: sizes that blocks do not divide, masks, heads that share
// keys, rows that see nothing.
// RUN: kiln-run %s --entry=plain --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=causal --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=ahead --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=behind --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=window --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=added --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=half --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=double --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=dynamic --target=cpu --dim=2,301,2,277,2,277 --check | FileCheck %s
// RUN: kiln-run %s --entry=dynamic --target=cpu --dim=1,1,1,1,1,1 --check | FileCheck %s
// RUN: kiln-run %s --entry=empty --target=cpu | FileCheck %s --check-prefix=EMPTY
// RUN: kiln-run %s --entry=plain --target=cpu,without=generic.attention --check | FileCheck %s
// RUN: kiln-compile %s --entry=plain --target=cpu --explain -o %t.kiln 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: kiln-compile %s --entry=wide --target=cpu --explain -o %t.kiln 2>&1 | FileCheck %s --check-prefix=DECLINED
// CHECK: result 0: ok
// TAKEN: generic.attention
// DECLINED: decomposed
// DECLINED-NEXT: generic.attention{{.*}}a head has more elements than a tile

func.func @plain(%q: tensor<3x300x40xf32>, %k: tensor<3x523x40xf32>, %v: tensor<3x523x24xf32>) -> tensor<3x300x24xf32> {
  %r = prim.attention %q, %k, %v scale 0.3 : tensor<3x300x40xf32>, tensor<3x523x40xf32>, tensor<3x523x24xf32> -> tensor<3x300x24xf32>
  return %r : tensor<3x300x24xf32>
}

// Two heads of queries for each of keys, and a result that is transposed.
func.func @causal(%q: tensor<4x300x20xf32>, %k: tensor<2x300x20xf32>, %v: tensor<2x300x20xf32>) -> tensor<300x80xf32> {
  %i = prim.iota dim 0 : tensor<300x300xi32>
  %j = prim.iota dim 1 : tensor<300x300xi32>
  %c = prim.ge %i, %j : tensor<300x300xi32> -> tensor<300x300xi1>
  %z = prim.full 0.0 : f32 : tensor<300x300xf32>
  %n = prim.full 0xFF800000 : f32 : tensor<300x300xf32>
  %w = prim.where %c, %z, %n : tensor<300x300xi1>, tensor<300x300xf32>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<300x300xf32> -> tensor<4x300x300xf32>
  %kb = prim.broadcast_in_dim %k dims [0, 2, 3] : tensor<2x300x20xf32> -> tensor<2x2x300x20xf32>
  %kr = prim.reshape %kb : tensor<2x2x300x20xf32> -> tensor<4x300x20xf32>
  %vb = prim.broadcast_in_dim %v dims [0, 2, 3] : tensor<2x300x20xf32> -> tensor<2x2x300x20xf32>
  %vr = prim.reshape %vb : tensor<2x2x300x20xf32> -> tensor<4x300x20xf32>
  %r = prim.attention %q, %kr, %vr mask %m scale 0.25 : tensor<4x300x20xf32>, tensor<4x300x20xf32>, tensor<4x300x20xf32>, tensor<4x300x300xf32> -> tensor<4x300x20xf32>
  %t = prim.transpose %r permutation [1, 0, 2] : tensor<4x300x20xf32> -> tensor<300x4x20xf32>
  %f = prim.reshape %t : tensor<300x4x20xf32> -> tensor<300x80xf32>
  return %f : tensor<300x80xf32>
}

// Queries come after the first 150 keys.
func.func @ahead(%q: tensor<2x170x16xf32>, %k: tensor<2x320x16xf32>, %v: tensor<2x320x16xf32>) -> tensor<2x170x16xf32> {
  %a = prim.iota dim 0 : tensor<170x320xi64>
  %s = prim.full 150 : i64 : tensor<170x320xi64>
  %i = prim.add %a, %s : tensor<170x320xi64>
  %j = prim.iota dim 1 : tensor<170x320xi64>
  %c = prim.gt %j, %i : tensor<170x320xi64> -> tensor<170x320xi1>
  %z = prim.full 0.0 : f32 : tensor<170x320xf32>
  %n = prim.full 0xFF800000 : f32 : tensor<170x320xf32>
  %w = prim.where %c, %n, %z : tensor<170x320xi1>, tensor<170x320xf32>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<170x320xf32> -> tensor<2x170x320xf32>
  %r = prim.attention %q, %k, %v mask %m scale 0.25 : tensor<2x170x16xf32>, tensor<2x320x16xf32>, tensor<2x320x16xf32>, tensor<2x170x320xf32> -> tensor<2x170x16xf32>
  return %r : tensor<2x170x16xf32>
}

// The first 140 queries see nothing: not a number.
func.func @behind(%q: tensor<2x320x16xf32>, %k: tensor<2x180x16xf32>, %v: tensor<2x180x16xf32>) -> tensor<2x320x16xf32> {
  %a = prim.iota dim 0 : tensor<320x180xi32>
  %s = prim.full 140 : i32 : tensor<320x180xi32>
  %i = prim.sub %a, %s : tensor<320x180xi32>
  %j = prim.iota dim 1 : tensor<320x180xi32>
  %c = prim.le %j, %i : tensor<320x180xi32> -> tensor<320x180xi1>
  %z = prim.full 0.0 : f32 : tensor<320x180xf32>
  %n = prim.full 0xFF800000 : f32 : tensor<320x180xf32>
  %w = prim.where %c, %z, %n : tensor<320x180xi1>, tensor<320x180xf32>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<320x180xf32> -> tensor<2x320x180xf32>
  %r = prim.attention %q, %k, %v mask %m scale 0.25 : tensor<2x320x16xf32>, tensor<2x180x16xf32>, tensor<2x180x16xf32>, tensor<2x320x180xf32> -> tensor<2x320x16xf32>
  return %r : tensor<2x320x16xf32>
}

// Keys that are neither later than a query nor 30 before it, with numbers that are added there.
func.func @window(%q: tensor<2x300x16xf32>, %k: tensor<2x300x16xf32>, %v: tensor<2x300x16xf32>, %x: tensor<300x300xf32>) -> tensor<2x300x16xf32> {
  %i = prim.iota dim 0 : tensor<300x300xi32>
  %j = prim.iota dim 1 : tensor<300x300xi32>
  %s = prim.full 30 : i32 : tensor<300x300xi32>
  %js = prim.add %j, %s : tensor<300x300xi32>
  %c0 = prim.ge %i, %j : tensor<300x300xi32> -> tensor<300x300xi1>
  %c1 = prim.lt %i, %js : tensor<300x300xi32> -> tensor<300x300xi1>
  %c = prim.bitwise_and %c0, %c1 : tensor<300x300xi1>
  %n = prim.full 0xFF800000 : f32 : tensor<300x300xf32>
  %w = prim.where %c, %x, %n : tensor<300x300xi1>, tensor<300x300xf32>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<300x300xf32> -> tensor<2x300x300xf32>
  %r = prim.attention %q, %k, %v mask %m scale 0.25 : tensor<2x300x16xf32>, tensor<2x300x16xf32>, tensor<2x300x16xf32>, tensor<2x300x300xf32> -> tensor<2x300x16xf32>
  return %r : tensor<2x300x16xf32>
}

func.func @added(%q: tensor<2x3x70x16xf32>, %k: tensor<2x3x300x16xf32>, %v: tensor<2x3x300x16xf32>, %x: tensor<2x70x300xi1>) -> tensor<2x3x70x16xf32> {
  %z = prim.full 0.0 : f32 : tensor<2x70x300xf32>
  %n = prim.full 0xFF800000 : f32 : tensor<2x70x300xf32>
  %w = prim.where %x, %z, %n : tensor<2x70x300xi1>, tensor<2x70x300xf32>
  %m = prim.broadcast_in_dim %w dims [0, 2, 3] : tensor<2x70x300xf32> -> tensor<2x3x70x300xf32>
  %r = prim.attention %q, %k, %v mask %m scale 0.25 : tensor<2x3x70x16xf32>, tensor<2x3x300x16xf32>, tensor<2x3x300x16xf32>, tensor<2x3x70x300xf32> -> tensor<2x3x70x16xf32>
  return %r : tensor<2x3x70x16xf32>
}

func.func @half(%q: tensor<2x70x24xbf16>, %k: tensor<2x300x24xbf16>, %v: tensor<2x300x24xbf16>, %m: tensor<2x70x300xbf16>) -> tensor<2x70x24xbf16> {
  %r = prim.attention %q, %k, %v mask %m scale 0.25 : tensor<2x70x24xbf16>, tensor<2x300x24xbf16>, tensor<2x300x24xbf16>, tensor<2x70x300xbf16> -> tensor<2x70x24xbf16>
  return %r : tensor<2x70x24xbf16>
}

func.func @double(%q: tensor<70x24xf64>, %k: tensor<1x24xf64>, %v: tensor<1x24xf64>) -> tensor<70x24xf64> {
  %r = prim.attention %q, %k, %v scale 0.25 : tensor<70x24xf64>, tensor<1x24xf64>, tensor<1x24xf64> -> tensor<70x24xf64>
  return %r : tensor<70x24xf64>
}

func.func @dynamic(%q: tensor<?x?x24xf32>, %k: tensor<?x?x24xf32>, %v: tensor<?x?x24xf32>) -> tensor<?x?x24xf32> {
  %r = prim.attention %q, %k, %v scale 0.25 : tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x24xf32> -> tensor<?x?x24xf32>
  return %r : tensor<?x?x24xf32>
}

// EMPTY: result 0: 2x20x16xf32, 640 NaN (100%)
func.func @empty(%q: tensor<2x20x16xf32>, %k: tensor<2x0x16xf32>, %v: tensor<2x0x16xf32>) -> tensor<2x20x16xf32> {
  %r = prim.attention %q, %k, %v scale 0.25 : tensor<2x20x16xf32>, tensor<2x0x16xf32>, tensor<2x0x16xf32> -> tensor<2x20x16xf32>
  return %r : tensor<2x20x16xf32>
}

func.func @wide(%q: tensor<2x20x600xf32>, %k: tensor<2x20x600xf32>, %v: tensor<2x20x16xf32>) -> tensor<2x20x16xf32> {
  %r = prim.attention %q, %k, %v scale 0.25 : tensor<2x20x600xf32>, tensor<2x20x600xf32>, tensor<2x20x16xf32> -> tensor<2x20x16xf32>
  return %r : tensor<2x20x16xf32>
}
