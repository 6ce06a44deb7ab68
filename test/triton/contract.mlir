// x * y - 1 where the product is near 1: both targets round once, as Triton lets them.
// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.full(4, 0.999, dtype=numpy.float32))"
// RUN: kiln-run %s --target=reference --grid=1 --arg=%t.npy --arg=zeros:f32:4 --save=1:%t.reference.npy
// RUN: kiln-run %s --target=cpu --grid=1 --arg=%t.npy --arg=zeros:f32:4 --save=1:%t.cpu.npy
// RUN: kiln-run %s --target=reference -X --numerics=strict --grid=1 --arg=%t.npy --arg=zeros:f32:4 --save=1:%t.strict.npy
// RUN: %python -c "import numpy; x = numpy.float64(numpy.float32(0.999)); once = numpy.float32(x * x - 1); twice = numpy.float32(x * x) - numpy.float32(1); \
// RUN:   load = lambda name: numpy.load('%t.' + name + '.npy'); assert once != twice and (load('reference') == once).all() and (load('cpu') == once).all() and (load('strict') == twice).all()"
tt.func public @near(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %range = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %v = tt.load %xp : tensor<4x!tt.ptr<f32>>
  %p = arith.mulf %v, %v : tensor<4xf32>
  %d = arith.subf %p, %one : tensor<4xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %range : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  tt.store %yp, %d : tensor<4x!tt.ptr<f32>>
  tt.return
}
