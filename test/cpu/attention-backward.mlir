// The gradients of attention as kernels that compute the weights again, block by block: sizes that blocks do not divide,
// masks, heads that share keys, rows that see nothing, one query or one key.
// RUN: kiln-run %s --entry=plain --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=causal --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=ahead --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=behind --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=added --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=half --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=double --target=cpu --check | FileCheck %s
// RUN: kiln-run %s --entry=dynamic --target=cpu --dim=2,101,2,77,2,77,2,101 --check | FileCheck %s
// RUN: kiln-run %s --entry=dynamic --target=cpu --dim=1,17,1,1,1,1,1,17 --check | FileCheck %s
// RUN: kiln-run %s --entry=dynamic --target=cpu --dim=1,1,1,1,1,1,1,1 --check | FileCheck %s
// RUN: kiln-run %s --entry=plain --target=cpu,attention=decomposed --check | FileCheck %s
// RUN: kiln-run %s --entry=behind --target=cpu,attention=decomposed --check | FileCheck %s
// RUN: kiln-compile %s --entry=plain --target=cpu --explain -o %t.kiln 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: kiln-compile %s --entry=few --target=cpu --explain -o %t.kiln 2>&1 | FileCheck %s --check-prefix=DECLINED
// CHECK: result 0: ok
// CHECK: result 1: ok
// CHECK: result 2: ok
// TAKEN: generic.attention
// TAKEN: generic.attention_backward
// DECLINED: generic.attention_backward{{.*}}there are few queries

func.func @plain(%q: tensor<2x150x40xf32>, %k: tensor<2x163x40xf32>, %v: tensor<2x163x24xf32>, %g: tensor<2x150x24xf32>) -> (tensor<2x150x40xf32>, tensor<2x163x40xf32>, tensor<2x163x24xf32>) {
  %o, %l = prim.attention %q, %k, %v scale 0.3 : tensor<2x150x40xf32>, tensor<2x163x40xf32>, tensor<2x163x24xf32> -> tensor<2x150x24xf32>, tensor<2x150xf32>
  %dq, %dk, %dv = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.3 : tensor<2x150x40xf32>, tensor<2x163x40xf32>, tensor<2x163x24xf32>, tensor<2x150x24xf32>, tensor<2x150x24xf32>, tensor<2x150xf32>
  return %dq, %dk, %dv : tensor<2x150x40xf32>, tensor<2x163x40xf32>, tensor<2x163x24xf32>
}

// Two heads of queries for each of keys, and an output that is transposed.
func.func @causal(%q: tensor<4x160x20xf32>, %k: tensor<2x160x20xf32>, %v: tensor<2x160x20xf32>, %gt: tensor<160x4x20xf32>) -> (tensor<4x160x20xf32>, tensor<2x160x20xf32>, tensor<2x160x20xf32>) {
  %i = prim.iota dim 0 : tensor<160x160xi32>
  %j = prim.iota dim 1 : tensor<160x160xi32>
  %c = prim.ge %i, %j : tensor<160x160xi32> -> tensor<160x160xi1>
  %z = prim.full 0.0 : f32 : tensor<160x160xf32>
  %n = prim.full 0xFF800000 : f32 : tensor<160x160xf32>
  %w = prim.where %c, %z, %n : tensor<160x160xi1>, tensor<160x160xf32>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<160x160xf32> -> tensor<4x160x160xf32>
  %kb = prim.broadcast_in_dim %k dims [0, 2, 3] : tensor<2x160x20xf32> -> tensor<2x2x160x20xf32>
  %kr = prim.reshape %kb : tensor<2x2x160x20xf32> -> tensor<4x160x20xf32>
  %vb = prim.broadcast_in_dim %v dims [0, 2, 3] : tensor<2x160x20xf32> -> tensor<2x2x160x20xf32>
  %vr = prim.reshape %vb : tensor<2x2x160x20xf32> -> tensor<4x160x20xf32>
  %g = prim.transpose %gt permutation [1, 0, 2] : tensor<160x4x20xf32> -> tensor<4x160x20xf32>
  %o, %l = prim.attention %q, %kr, %vr mask %m scale 0.25 : tensor<4x160x20xf32>, tensor<4x160x20xf32>, tensor<4x160x20xf32>, tensor<4x160x160xf32> -> tensor<4x160x20xf32>, tensor<4x160xf32>
  %dq, %dk, %dv = prim.attention_backward %q, %kr, %vr output %o gradient %g logsumexp %l mask %m scale 0.25 : tensor<4x160x20xf32>, tensor<4x160x20xf32>, tensor<4x160x20xf32>, tensor<4x160x20xf32>, tensor<4x160x20xf32>, tensor<4x160xf32>, tensor<4x160x160xf32>
  %dkr = prim.reshape %dk : tensor<4x160x20xf32> -> tensor<2x2x160x20xf32>
  %dks = prim.sum %dkr dims [1] : tensor<2x2x160x20xf32> -> tensor<2x160x20xf32>
  %dvr = prim.reshape %dv : tensor<4x160x20xf32> -> tensor<2x2x160x20xf32>
  %dvs = prim.sum %dvr dims [1] : tensor<2x2x160x20xf32> -> tensor<2x160x20xf32>
  return %dq, %dks, %dvs : tensor<4x160x20xf32>, tensor<2x160x20xf32>, tensor<2x160x20xf32>
}

// Queries see 100 keys more than a causal mask leaves.
func.func @ahead(%q: tensor<2x170x16xf32>, %k: tensor<2x320x16xf32>, %v: tensor<2x320x16xf32>, %g: tensor<2x170x16xf32>) -> (tensor<2x170x16xf32>, tensor<2x320x16xf32>, tensor<2x320x16xf32>) {
  %i = prim.iota dim 0 : tensor<170x320xi32>
  %c = prim.full 100 : i32 : tensor<170x320xi32>
  %ic = prim.add %i, %c : tensor<170x320xi32>
  %j = prim.iota dim 1 : tensor<170x320xi32>
  %s = prim.ge %ic, %j : tensor<170x320xi32> -> tensor<170x320xi1>
  %z = prim.full 0.0 : f32 : tensor<170x320xf32>
  %n = prim.full 0xFF800000 : f32 : tensor<170x320xf32>
  %w = prim.where %s, %z, %n : tensor<170x320xi1>, tensor<170x320xf32>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<170x320xf32> -> tensor<2x170x320xf32>
  %o, %l = prim.attention %q, %k, %v mask %m scale 0.25 : tensor<2x170x16xf32>, tensor<2x320x16xf32>, tensor<2x320x16xf32>, tensor<2x170x320xf32> -> tensor<2x170x16xf32>, tensor<2x170xf32>
  %dq, %dk, %dv = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l mask %m scale 0.25 : tensor<2x170x16xf32>, tensor<2x320x16xf32>, tensor<2x320x16xf32>, tensor<2x170x16xf32>, tensor<2x170x16xf32>, tensor<2x170xf32>, tensor<2x170x320xf32>
  return %dq, %dk, %dv : tensor<2x170x16xf32>, tensor<2x320x16xf32>, tensor<2x320x16xf32>
}

// The first 140 queries see no key: their output is zero here, as frontends make it.
func.func @behind(%q: tensor<2x320x16xf32>, %k: tensor<2x180x16xf32>, %v: tensor<2x180x16xf32>, %g: tensor<2x320x16xf32>) -> (tensor<2x320x16xf32>, tensor<2x180x16xf32>, tensor<2x180x16xf32>) {
  %i = prim.iota dim 0 : tensor<320x180xi32>
  %c = prim.full 140 : i32 : tensor<320x180xi32>
  %ic = prim.sub %i, %c : tensor<320x180xi32>
  %j = prim.iota dim 1 : tensor<320x180xi32>
  %s = prim.ge %ic, %j : tensor<320x180xi32> -> tensor<320x180xi1>
  %z = prim.full 0.0 : f32 : tensor<320x180xf32>
  %n = prim.full 0xFF800000 : f32 : tensor<320x180xf32>
  %w = prim.where %s, %z, %n : tensor<320x180xi1>, tensor<320x180xf32>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<320x180xf32> -> tensor<2x320x180xf32>
  %a, %l = prim.attention %q, %k, %v mask %m scale 0.25 : tensor<2x320x16xf32>, tensor<2x180x16xf32>, tensor<2x180x16xf32>, tensor<2x320x180xf32> -> tensor<2x320x16xf32>, tensor<2x320xf32>
  %all = prim.full 0.0 : f32 : tensor<2x320x16xf32>
  %ie = prim.iota dim 1 : tensor<2x320x16xi32>
  %ce = prim.full 140 : i32 : tensor<2x320x16xi32>
  %e = prim.lt %ie, %ce : tensor<2x320x16xi32> -> tensor<2x320x16xi1>
  %o = prim.where %e, %all, %a : tensor<2x320x16xi1>, tensor<2x320x16xf32>
  %dq, %dk, %dv = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l mask %m scale 0.25 : tensor<2x320x16xf32>, tensor<2x180x16xf32>, tensor<2x180x16xf32>, tensor<2x320x16xf32>, tensor<2x320x16xf32>, tensor<2x320xf32>, tensor<2x320x180xf32>
  return %dq, %dk, %dv : tensor<2x320x16xf32>, tensor<2x180x16xf32>, tensor<2x180x16xf32>
}

// A mask in memory, that two heads share.
func.func @added(%q: tensor<2x3x70x16xf32>, %k: tensor<2x3x200x16xf32>, %v: tensor<2x3x200x16xf32>, %g: tensor<2x3x70x16xf32>, %mask: tensor<2x70x200xf32>) -> (tensor<2x3x70x16xf32>, tensor<2x3x200x16xf32>, tensor<2x3x200x16xf32>) {
  %m = prim.broadcast_in_dim %mask dims [0, 2, 3] : tensor<2x70x200xf32> -> tensor<2x3x70x200xf32>
  %o, %l = prim.attention %q, %k, %v mask %m scale 0.25 : tensor<2x3x70x16xf32>, tensor<2x3x200x16xf32>, tensor<2x3x200x16xf32>, tensor<2x3x70x200xf32> -> tensor<2x3x70x16xf32>, tensor<2x3x70xf32>
  %dq, %dk, %dv = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l mask %m scale 0.25 : tensor<2x3x70x16xf32>, tensor<2x3x200x16xf32>, tensor<2x3x200x16xf32>, tensor<2x3x70x16xf32>, tensor<2x3x70x16xf32>, tensor<2x3x70xf32>, tensor<2x3x70x200xf32>
  return %dq, %dk, %dv : tensor<2x3x70x16xf32>, tensor<2x3x200x16xf32>, tensor<2x3x200x16xf32>
}

func.func @half(%q: tensor<2x70x24xbf16>, %k: tensor<2x150x24xbf16>, %v: tensor<2x150x24xbf16>, %g: tensor<2x70x24xbf16>) -> (tensor<2x70x24xbf16>, tensor<2x150x24xbf16>, tensor<2x150x24xbf16>) {
  %o, %l = prim.attention %q, %k, %v scale 0.25 : tensor<2x70x24xbf16>, tensor<2x150x24xbf16>, tensor<2x150x24xbf16> -> tensor<2x70x24xbf16>, tensor<2x70xf32>
  %dq, %dk, %dv = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.25 : tensor<2x70x24xbf16>, tensor<2x150x24xbf16>, tensor<2x150x24xbf16>, tensor<2x70x24xbf16>, tensor<2x70x24xbf16>, tensor<2x70xf32>
  return %dq, %dk, %dv : tensor<2x70x24xbf16>, tensor<2x150x24xbf16>, tensor<2x150x24xbf16>
}

func.func @double(%q: tensor<70x24xf64>, %k: tensor<3x24xf64>, %v: tensor<3x24xf64>, %g: tensor<70x24xf64>) -> (tensor<70x24xf64>, tensor<3x24xf64>, tensor<3x24xf64>) {
  %o, %l = prim.attention %q, %k, %v scale 0.25 : tensor<70x24xf64>, tensor<3x24xf64>, tensor<3x24xf64> -> tensor<70x24xf64>, tensor<70xf64>
  %dq, %dk, %dv = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.25 : tensor<70x24xf64>, tensor<3x24xf64>, tensor<3x24xf64>, tensor<70x24xf64>, tensor<70x24xf64>, tensor<70xf64>
  return %dq, %dk, %dv : tensor<70x24xf64>, tensor<3x24xf64>, tensor<3x24xf64>
}

func.func @dynamic(%q: tensor<?x?x24xf32>, %k: tensor<?x?x24xf32>, %v: tensor<?x?x24xf32>, %g: tensor<?x?x24xf32>) -> (tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x24xf32>) {
  %o, %l = prim.attention %q, %k, %v scale 0.25 : tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x24xf32> -> tensor<?x?x24xf32>, tensor<?x?xf32>
  %dq, %dk, %dv = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.25 : tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?xf32>
  return %dq, %dk, %dv : tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x24xf32>
}

func.func @few(%q: tensor<2x3x16xf32>, %k: tensor<2x20x16xf32>, %v: tensor<2x20x16xf32>, %g: tensor<2x3x16xf32>) -> (tensor<2x3x16xf32>, tensor<2x20x16xf32>, tensor<2x20x16xf32>) {
  %o, %l = prim.attention %q, %k, %v scale 0.25 : tensor<2x3x16xf32>, tensor<2x20x16xf32>, tensor<2x20x16xf32> -> tensor<2x3x16xf32>, tensor<2x3xf32>
  %dq, %dk, %dv = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.25 : tensor<2x3x16xf32>, tensor<2x20x16xf32>, tensor<2x20x16xf32>, tensor<2x3x16xf32>, tensor<2x3x16xf32>, tensor<2x3xf32>
  return %dq, %dk, %dv : tensor<2x3x16xf32>, tensor<2x20x16xf32>, tensor<2x20x16xf32>
}
