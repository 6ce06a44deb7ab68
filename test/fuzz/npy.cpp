// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: npy files.
#include "kiln/Runtime/Npy.h"

using namespace kiln::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Expected<Tensor> tensor = readNpy(data, size);
  if (!tensor)
    return 0;
  double sum = 0;
  for (int64_t i = 0, n = tensor->numElements(); i < n; ++i)
    sum += loadAsDouble(tensor->dtype, tensor->data(), i);
  for (uint32_t t = 1; t < KILN_DTYPE_COUNT; ++t)
    (void)bool(npyAs(*tensor, static_cast<DType>(t)));
  volatile double sink = sum;
  (void)sink;
  return 0;
}
