// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A launch may give the tensor of a descriptor no rows, or few: threads read zeros outside of it, and so do copies of a unit.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=ptx | grep -c cp.async.bulk.tensor
// RUN: kiln-run %s --entry=product --target=reference,threads=nvidia:sm_90a,seed=3 --grid=2 --arg=random:1:bf16:256x512 --arg=random:2:bf16:512x128 \
// RUN:   --arg=random:3:bf16:256x128 --arg=i32:0 --arg=i32:512 --arg=i32:1 --check --save=2:%t.npy
// RUN: %python -c "import numpy, sys; found = numpy.load(sys.argv[1]); assert found.shape == (256, 128) and not found.any()" %t.npy
// RUN: kiln-run %s --entry=product --target=reference,threads=nvidia:sm_90a,seed=0 --grid=2 --arg=random:1:bf16:256x512 --arg=random:2:bf16:512x128 \
// RUN:   --arg=random:3:bf16:256x128 --arg=i32:80 --arg=i32:500 --arg=i32:1 --check

tt.func public @product(%a: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<bf16> {tt.divisibility = 16 : i32},
    %c: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %rows: i32, %depth: i32, %heads: i32) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c512 = arith.constant 512 : i32
  %c1_i64 = arith.constant 1 : i64
  %c128_i64 = arith.constant 128 : i64
  %c256 = arith.constant 256 : i32
  %c512_i64 = arith.constant 512 : i64
  %total = arith.muli %rows, %heads : i32
  %depths = arith.muli %depth, %heads : i32
  %da = tt.make_tensor_descriptor %a, [%total, %c512], [%c512_i64, %c1_i64] : <bf16>, <tensor<128x64xbf16>>
  %db = tt.make_tensor_descriptor %b, [%depths, %c128], [%c128_i64, %c1_i64] : <bf16>, <tensor<64x128xbf16>>
  %dc = tt.make_tensor_descriptor %c, [%c256, %c128], [%c128_i64, %c1_i64] : <bf16>, <tensor<128x128xbf16>>
  %pid = tt.get_program_id x : i32
  %m = arith.muli %pid, %c128 : i32
  %sum = scf.for %k = %c0 to %c512 step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
    %x = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<128x64xbf16>> -> tensor<128x64xbf16>
    %y = tt.descriptor_load %db[%k, %c0] : !tt.tensordesc<tensor<64x128xbf16>> -> tensor<64x128xbf16>
    %d = tt.dot %x, %y, %s : tensor<128x64xbf16> * tensor<64x128xbf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %r = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xbf16>
  tt.descriptor_store %dc[%m, %c0], %r : !tt.tensordesc<tensor<128x128xbf16>>, tensor<128x128xbf16>
  tt.return
}
