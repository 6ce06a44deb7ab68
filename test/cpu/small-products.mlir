// Products of small numbers with every sign, of odd sizes, of operands that lie either way in memory.
// RUN: kiln-run %s --entry=s8s8 --target=cpu --grid=2,2 --arg=random:1:i8:100x71 --arg=random:2:i8:71x90 --arg=random:3:i32:100x90 --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=u8s8 --target=cpu --grid=2,2 --arg=random:1:i8:100x71 --arg=random:2:i8:71x90 --arg=random:3:i32:100x90 --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=s8u8 --target=cpu --grid=2,2 --arg=random:1:i8:100x71 --arg=random:2:i8:71x90 --arg=random:3:i32:100x90 --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=u8u8 --target=cpu --grid=2,2 --arg=random:1:i8:100x71 --arg=random:2:i8:71x90 --arg=random:3:i32:100x90 --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=s16s8 --target=cpu --grid=2,2 --arg=random:1:i16:100x71 --arg=random:2:i8:71x90 --arg=random:3:i32:100x90 --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=u16s16 --target=cpu --grid=2,2 --arg=random:1:i16:100x71 --arg=random:2:i16:71x90 --arg=random:3:i32:100x90 --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=bf16 --target=cpu --grid=2,2 --arg=random:1:bf16:100x71 --arg=random:2:bf16:71x90 --arg=random:3:f32:100x90 --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=turned --target=cpu --grid=2,2 --arg=random:1:i8:71x100 --arg=random:2:i8:90x71 --arg=random:3:i32:100x90 --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=turned_bf16 --target=cpu --grid=2,2 --arg=random:1:bf16:71x100 --arg=random:2:bf16:90x71 --arg=random:3:f32:100x90 --check --no-fallback | FileCheck %s
// RUN: kiln-run %s --entry=kept --target=cpu --grid=2,2 --arg=random:1:i8:100x71 --arg=random:2:i8:71x90 --arg=random:3:i32:100x90 --check --no-fallback | FileCheck %s
// CHECK: argument 2 (c): ok

tile.kernel @s8s8(%a: !tile.view<?x?xi8> {tile.readonly}, %b: !tile.view<?x?xi8> {tile.readonly}, %c: !tile.view<?x?xi32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tile.load %c[%i, %j] : !tile.view<?x?xi32> -> tensor<64x64xi32>
  %n = tile.num_blocks %a[1] by 37 : !tile.view<?x?xi8>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<64x64xi32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xi8> -> tensor<64x37xi8>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xi8> -> tensor<37x64xi8>
    %d = tile.dot %x, %y, %s : tensor<64x37xi8>, tensor<37x64xi8>, tensor<64x64xi32>
    scf.yield %d : tensor<64x64xi32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xi32>, !tile.view<?x?xi32>
}

tile.kernel @u8s8(%a: !tile.view<?x?xi8> {tile.readonly}, %b: !tile.view<?x?xi8> {tile.readonly}, %c: !tile.view<?x?xi32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tile.load %c[%i, %j] : !tile.view<?x?xi32> -> tensor<64x64xi32>
  %n = tile.num_blocks %a[1] by 37 : !tile.view<?x?xi8>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<64x64xi32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xi8> -> tensor<64x37xi8>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xi8> -> tensor<37x64xi8>
    %d = tile.dot %x, %y, %s lhs_unsigned : tensor<64x37xi8>, tensor<37x64xi8>, tensor<64x64xi32>
    scf.yield %d : tensor<64x64xi32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xi32>, !tile.view<?x?xi32>
}

tile.kernel @s8u8(%a: !tile.view<?x?xi8> {tile.readonly}, %b: !tile.view<?x?xi8> {tile.readonly}, %c: !tile.view<?x?xi32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tile.load %c[%i, %j] : !tile.view<?x?xi32> -> tensor<64x64xi32>
  %n = tile.num_blocks %a[1] by 37 : !tile.view<?x?xi8>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<64x64xi32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xi8> -> tensor<64x37xi8>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xi8> -> tensor<37x64xi8>
    %d = tile.dot %x, %y, %s rhs_unsigned : tensor<64x37xi8>, tensor<37x64xi8>, tensor<64x64xi32>
    scf.yield %d : tensor<64x64xi32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xi32>, !tile.view<?x?xi32>
}

tile.kernel @u8u8(%a: !tile.view<?x?xi8> {tile.readonly}, %b: !tile.view<?x?xi8> {tile.readonly}, %c: !tile.view<?x?xi32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tile.load %c[%i, %j] : !tile.view<?x?xi32> -> tensor<64x64xi32>
  %n = tile.num_blocks %a[1] by 37 : !tile.view<?x?xi8>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<64x64xi32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xi8> -> tensor<64x37xi8>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xi8> -> tensor<37x64xi8>
    %d = tile.dot %x, %y, %s lhs_unsigned rhs_unsigned : tensor<64x37xi8>, tensor<37x64xi8>, tensor<64x64xi32>
    scf.yield %d : tensor<64x64xi32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xi32>, !tile.view<?x?xi32>
}

tile.kernel @s16s8(%a: !tile.view<?x?xi16> {tile.readonly}, %b: !tile.view<?x?xi8> {tile.readonly}, %c: !tile.view<?x?xi32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tile.load %c[%i, %j] : !tile.view<?x?xi32> -> tensor<64x64xi32>
  %n = tile.num_blocks %a[1] by 37 : !tile.view<?x?xi16>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<64x64xi32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xi16> -> tensor<64x37xi16>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xi8> -> tensor<37x64xi8>
    %d = tile.dot %x, %y, %s : tensor<64x37xi16>, tensor<37x64xi8>, tensor<64x64xi32>
    scf.yield %d : tensor<64x64xi32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xi32>, !tile.view<?x?xi32>
}

tile.kernel @u16s16(%a: !tile.view<?x?xi16> {tile.readonly}, %b: !tile.view<?x?xi16> {tile.readonly}, %c: !tile.view<?x?xi32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tile.load %c[%i, %j] : !tile.view<?x?xi32> -> tensor<64x64xi32>
  %n = tile.num_blocks %a[1] by 37 : !tile.view<?x?xi16>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<64x64xi32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xi16> -> tensor<64x37xi16>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xi16> -> tensor<37x64xi16>
    %d = tile.dot %x, %y, %s lhs_unsigned : tensor<64x37xi16>, tensor<37x64xi16>, tensor<64x64xi32>
    scf.yield %d : tensor<64x64xi32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xi32>, !tile.view<?x?xi32>
}

tile.kernel @bf16(%a: !tile.view<?x?xbf16> {tile.readonly}, %b: !tile.view<?x?xbf16> {tile.readonly}, %c: !tile.view<?x?xf32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tile.load %c[%i, %j] : !tile.view<?x?xf32> -> tensor<64x64xf32>
  %n = tile.num_blocks %a[1] by 37 : !tile.view<?x?xbf16>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xbf16> -> tensor<64x37xbf16>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xbf16> -> tensor<37x64xbf16>
    %d = tile.dot %x, %y, %s : tensor<64x37xbf16>, tensor<37x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
}

tile.kernel @turned(%a: !tile.view<?x?xi8> {tile.readonly}, %b: !tile.view<?x?xi8> {tile.readonly}, %c: !tile.view<?x?xi32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tile.load %c[%i, %j] : !tile.view<?x?xi32> -> tensor<64x64xi32>
  %n = tile.num_blocks %a[0] by 37 : !tile.view<?x?xi8>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<64x64xi32>) {
    %p = tile.load %a[%k, %i] : !tile.view<?x?xi8> -> tensor<37x64xi8>
    %q = tile.load %b[%j, %k] : !tile.view<?x?xi8> -> tensor<64x37xi8>
    %x = tile.transpose %p [1, 0] : tensor<37x64xi8> -> tensor<64x37xi8>
    %y = tile.transpose %q [1, 0] : tensor<64x37xi8> -> tensor<37x64xi8>
    %d = tile.dot %x, %y, %s : tensor<64x37xi8>, tensor<37x64xi8>, tensor<64x64xi32>
    scf.yield %d : tensor<64x64xi32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xi32>, !tile.view<?x?xi32>
}

tile.kernel @turned_bf16(%a: !tile.view<?x?xbf16> {tile.readonly}, %b: !tile.view<?x?xbf16> {tile.readonly}, %c: !tile.view<?x?xf32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tile.load %c[%i, %j] : !tile.view<?x?xf32> -> tensor<64x64xf32>
  %n = tile.num_blocks %a[0] by 37 : !tile.view<?x?xbf16>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<64x64xf32>) {
    %p = tile.load %a[%k, %i] : !tile.view<?x?xbf16> -> tensor<37x64xbf16>
    %q = tile.load %b[%j, %k] : !tile.view<?x?xbf16> -> tensor<64x37xbf16>
    %x = tile.transpose %p [1, 0] : tensor<37x64xbf16> -> tensor<64x37xbf16>
    %y = tile.transpose %q [1, 0] : tensor<64x37xbf16> -> tensor<37x64xbf16>
    %d = tile.dot %x, %y, %s : tensor<64x37xbf16>, tensor<37x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
}

// A factor that is computed, and kept in memory.
tile.kernel @kept(%a: !tile.view<?x?xi8> {tile.readonly}, %b: !tile.view<?x?xi8> {tile.readonly}, %c: !tile.view<?x?xi32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tile.load %c[%i, %j] : !tile.view<?x?xi32> -> tensor<64x64xi32>
  %n = tile.num_blocks %a[1] by 37 : !tile.view<?x?xi8>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<64x64xi32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xi8> -> tensor<64x37xi8>
    %y0 = tile.load %b[%k, %j] : !tile.view<?x?xi8> -> tensor<37x64xi8>
    %r = tile.scan %y0 axis 0 : tensor<37x64xi8> -> tensor<37x64xi8> {
    ^bb0(%u: i8, %v: i8):
      %w = arith.addi %u, %v : i8
      tile.yield %w : i8
    }
    %y = arith.addi %r, %y0 : tensor<37x64xi8>
    %d = tile.dot %x, %y, %s : tensor<64x37xi8>, tensor<37x64xi8>, tensor<64x64xi32>
    scf.yield %d : tensor<64x64xi32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xi32>, !tile.view<?x?xi32>
}
