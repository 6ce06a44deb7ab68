// Powers of integers, carries, and halves of products of truth values.
// RUN: kiln-run %s --target=cpu --check --no-fallback --entry=power --grid=3 --arg=random:1:i32:150 --arg=random:2:i32:150 --arg=zeros:i32:150 --arg=zeros:i64:150 | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --no-fallback --entry=carry --grid=3 --arg=random:1:i8:150 --arg=random:2:i8:150 --arg=zeros:i8:150 --arg=zeros:i1:150 | FileCheck %s
// CHECK-NOT: FAILED
// CHECK: ok

tile.kernel @power(%x: !tile.view<?xi32>, %y: !tile.view<?xi32>, %z: !tile.view<?xi32>, %w: !tile.view<?xi64>) {
  %i = tile.program_id : index
  %five = arith.constant dense<5> : tensor<64xi32>
  %three = arith.constant dense<3> : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %a = tile.load %x[%i] : !tile.view<?xi32> -> tensor<64xi32>
  %b = tile.load %y[%i] : !tile.view<?xi32> -> tensor<64xi32>
  // Bases that are not 0 have powers below 0, too: of 1 and -1, and of others.
  %small = arith.remsi %a, %five : tensor<64xi32>
  %base = arith.ori %small, %one : tensor<64xi32>
  %exponent = arith.remsi %b, %three : tensor<64xi32>
  %p = math.ipowi %base, %exponent : tensor<64xi32>
  tile.store %p, %z[%i] : tensor<64xi32>, !tile.view<?xi32>
  // Products wrap.
  %wide = arith.extsi %a : tensor<64xi32> to tensor<64xi64>
  %large = arith.extui %b : tensor<64xi32> to tensor<64xi64>
  %q = math.ipowi %wide, %large : tensor<64xi64>
  tile.store %q, %w[%i] : tensor<64xi64>, !tile.view<?xi64>
}

tile.kernel @carry(%x: !tile.view<?xi8>, %y: !tile.view<?xi8>, %z: !tile.view<?xi8>, %w: !tile.view<?xi1>) {
  %i = tile.program_id : index
  %zero = arith.constant dense<0> : tensor<64xi8>
  %a = tile.load %x[%i] : !tile.view<?xi8> -> tensor<64xi8>
  %b = tile.load %y[%i] : !tile.view<?xi8> -> tensor<64xi8>
  %sum, %carry = arith.addui_extended %a, %b : tensor<64xi8>, tensor<64xi1>
  tile.store %sum, %z[%i] : tensor<64xi8>, !tile.view<?xi8>
  %negative = arith.cmpi slt, %a, %zero : tensor<64xi8>
  %low, %high = arith.mulsi_extended %carry, %negative : tensor<64xi1>
  %both = arith.ori %low, %high : tensor<64xi1>
  tile.store %both, %w[%i] : tensor<64xi1>, !tile.view<?xi1>
}
