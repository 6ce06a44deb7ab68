// Assembly of this machine, for elements and for packs of them.
// REQUIRES: x86_64
// RUN: rm -rf %t && mkdir %t
// RUN: kiln-run %s --entry=elements --target=cpu --grid=1 --arg=random:1:f32:100 --arg=random:2:i32:100 --arg=zeros:f32:100 --arg=zeros:i32:100 --save=0:%t/x.npy --save=1:%t/n.npy --save=2:%t/y.npy --save=3:%t/m.npy
// RUN: %python -c "import numpy as np; x, n, y, m = (np.load(f'%t/{f}.npy') for f in 'xnym'); assert np.array_equal(y, np.sqrt(np.abs(x))); assert np.array_equal(m, n * 8)"
tile.kernel @elements(%x: !tile.view<100xf32>, %n: !tile.view<100xi32>, %y: !tile.view<100xf32>, %m: !tile.view<100xi32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<100xf32> -> tensor<100xf32>
  %b = tile.load %n[%c0] : !tile.view<100xi32> -> tensor<100xi32>
  %absolute = math.absf %a : tensor<100xf32>
  %root = tile.inline_asm "sqrtss $1, $0" isa "x86_64" constraints "=x,x" pack 1 pure (%absolute) : (tensor<100xf32>) -> tensor<100xf32>
  %moved = tile.inline_asm "shl $$3, $0" isa "x86_64" constraints "=r,0,~{flags}" pack 1 pure (%b) : (tensor<100xi32>) -> tensor<100xi32>
  tile.store %root, %y[%c0] : tensor<100xf32>, !tile.view<100xf32>
  tile.store %moved, %m[%c0] : tensor<100xi32>, !tile.view<100xi32>
}

// Four bytes, or two 16-bit numbers, are one register; two results; the last pack is not full.
// RUN: kiln-run %s --entry=packs --target=cpu --grid=1 --arg=random:1:i8:6x5 --arg=random:2:i16:6x5 --arg=zeros:i8:6x5 --arg=zeros:i16:6x5 --save=0:%t/x.npy --save=1:%t/n.npy --save=2:%t/y.npy --save=3:%t/m.npy
// RUN: %python -c "import numpy as np; x, n, y, m = (np.load(f'%t/{f}.npy') for f in 'xnym'); assert np.array_equal(y, ~x); assert np.array_equal(m, n ^ 0x7fff)"
tile.kernel @packs(%x: !tile.view<6x5xi8>, %n: !tile.view<6x5xi16>, %y: !tile.view<6x5xi8>, %m: !tile.view<6x5xi16>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<6x5xi8> -> tensor<6x5xi8>
  %b = tile.load %n[%c0, %c0] : !tile.view<6x5xi16> -> tensor<6x5xi16>
  %r:2 = tile.inline_asm "not $0\0Axor $$0x7fff7fff, $1\0Axor $$0x7fff7fff, $2" isa "x86_64" constraints "=r,=r,=r,0,1,2,~{flags}" pack 4 pure (%a, %b)
    : (tensor<6x5xi8>, tensor<6x5xi16>) -> (tensor<6x5xi8>, tensor<6x5xi16>)
  tile.store %r#0, %y[%c0, %c0] : tensor<6x5xi8>, !tile.view<6x5xi8>
  tile.store %r#1, %m[%c0, %c0] : tensor<6x5xi16>, !tile.view<6x5xi16>
}

// RUN: kiln-run %s --entry=scalars --target=cpu --grid=1 --arg=i64:20 --arg=zeros:i64:1 --save=1:%t/y.npy
// RUN: %python -c "import numpy as np; assert np.load('%t/y.npy')[0] == 41"
tile.kernel @scalars(%n: i64, %y: !tile.ptr<i64>) {
  %r = tile.inline_asm "leaq 1($1, $1), $0" isa "x86_64" constraints "=r,r" pack 1 pure (%n) : (i64) -> i64
  // Writes, so it happens although nobody uses what it gives.
  tile.inline_asm "movq $1, ($0)" isa "x86_64" constraints "r,r,~{memory}" pack 1 (%y, %r) : (!tile.ptr<i64>, i64) -> ()
}
