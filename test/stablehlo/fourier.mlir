// RUN: kiln-run %s --target=reference --entry=factors | FileCheck %s
// RUN: kiln-run %s --target=cpu --entry=factors | FileCheck %s
// RUN: kiln-run %s --target=reference --entry=prime | FileCheck %s
// RUN: kiln-run %s --target=cpu --entry=prime | FileCheck %s

// Of 0, 1, ... n - 1 the frequencies but the first one have the real part -n/2,
// and the inverse gives the numbers back.
// CHECK: 1xi1: 1
// CHECK: 1xi1: 1

func.func @factors() -> (tensor<1xi1>, tensor<1xi1>) {
  %x = stablehlo.iota dim = 0 : tensor<300xf32>
  %f = stablehlo.fft %x, type = RFFT, length = [300] : (tensor<300xf32>) -> tensor<151xcomplex<f32>>
  %re = stablehlo.real %f : (tensor<151xcomplex<f32>>) -> tensor<151xf32>
  %rest = stablehlo.slice %re [1:151] : (tensor<151xf32>) -> tensor<150xf32>
  %half = stablehlo.constant dense<150.0> : tensor<150xf32>
  %apart = stablehlo.add %rest, %half : tensor<150xf32>
  %size = stablehlo.abs %apart : tensor<150xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %worst = stablehlo.reduce(%size init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<150xf32>, tensor<f32>) -> tensor<f32>
  %y = stablehlo.fft %f, type = IRFFT, length = [300] : (tensor<151xcomplex<f32>>) -> tensor<300xf32>
  %d = stablehlo.subtract %x, %y : tensor<300xf32>
  %e = stablehlo.abs %d : tensor<300xf32>
  %back = stablehlo.reduce(%e init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<300xf32>, tensor<f32>) -> tensor<f32>
  %limit = stablehlo.constant dense<0.02> : tensor<f32>
  %p = stablehlo.compare LT, %worst, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %q = stablehlo.compare LT, %back, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r = stablehlo.reshape %p : (tensor<i1>) -> tensor<1xi1>
  %s = stablehlo.reshape %q : (tensor<i1>) -> tensor<1xi1>
  return %r, %s : tensor<1xi1>, tensor<1xi1>
}

func.func @prime() -> (tensor<1xi1>, tensor<1xi1>) {
  %x = stablehlo.iota dim = 0 : tensor<521xf32>
  %none = stablehlo.constant dense<0.0> : tensor<521xf32>
  %z = stablehlo.complex %x, %none : tensor<521xcomplex<f32>>
  %f = stablehlo.fft %z, type = FFT, length = [521] : (tensor<521xcomplex<f32>>) -> tensor<521xcomplex<f32>>
  %re = stablehlo.real %f : (tensor<521xcomplex<f32>>) -> tensor<521xf32>
  %rest = stablehlo.slice %re [1:521] : (tensor<521xf32>) -> tensor<520xf32>
  %half = stablehlo.constant dense<260.5> : tensor<520xf32>
  %apart = stablehlo.add %rest, %half : tensor<520xf32>
  %size = stablehlo.abs %apart : tensor<520xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %worst = stablehlo.reduce(%size init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<520xf32>, tensor<f32>) -> tensor<f32>
  %back = stablehlo.fft %f, type = IFFT, length = [521] : (tensor<521xcomplex<f32>>) -> tensor<521xcomplex<f32>>
  %y = stablehlo.real %back : (tensor<521xcomplex<f32>>) -> tensor<521xf32>
  %d = stablehlo.subtract %x, %y : tensor<521xf32>
  %e = stablehlo.abs %d : tensor<521xf32>
  %far = stablehlo.reduce(%e init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<521xf32>, tensor<f32>) -> tensor<f32>
  %limit = stablehlo.constant dense<0.05> : tensor<f32>
  %p = stablehlo.compare LT, %worst, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %q = stablehlo.compare LT, %far, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r = stablehlo.reshape %p : (tensor<i1>) -> tensor<1xi1>
  %s = stablehlo.reshape %q : (tensor<i1>) -> tensor<1xi1>
  return %r, %s : tensor<1xi1>, tensor<1xi1>
}
