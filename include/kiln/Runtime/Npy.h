// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The .npy format, as far as tensors need it.
#ifndef KILN_RUNTIME_NPY_H
#define KILN_RUNTIME_NPY_H

#include "kiln/Runtime/Tensor.h"

namespace kiln::runtime {

/// Reads versions 1 to 3, little endian; Fortran order becomes row-major.
Expected<Tensor> readNpy(const void *data, size_t size);
Expected<Tensor> readNpyFile(const std::string &path);
/// Types that numpy lacks are written as unsigned integers of their width.
Error writeNpyFile(const std::string &path, const Tensor &tensor);

/// The type that a tensor of `dtype` has in a file.
DType npyStorageType(DType dtype);
/// The file's tensor as `wanted`, where the bits are the same; else an error.
Expected<Tensor> npyAs(Tensor tensor, DType wanted);

} // namespace kiln::runtime

#endif
