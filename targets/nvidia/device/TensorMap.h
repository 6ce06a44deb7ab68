// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps: descriptors of views that copies of whole boxes take, as the
// target and its driver agree on them.
//
// A kernel gets them as its last parameters, 128 bytes each, in the order of
// its recipes. Words of a recipe: bytes of an element; bytes of a row of the
// box in shared memory, whose chunks of 16 bytes are permuted within 128 bytes,
// or 0 where they are not; then for each dimension of the map, the contiguous
// one first, the dimension of the view and the elements of the box along it.
//
// Source: "CUDA Driver API", section 6.29 "Tensor Map Object Managment".
#ifndef KILN_TARGETS_NVIDIA_DEVICE_TENSORMAP_H
#define KILN_TARGETS_NVIDIA_DEVICE_TENSORMAP_H

#include <cstdint>

namespace kiln::nvidia {

constexpr char kTensorMapRecipe[] = "tensor_map";
constexpr int64_t kTensorMapBytes = 128, kTensorMapAlign = 64;
/// The most dimensions of a map, and elements of a box along one.
constexpr int64_t kTensorMapRank = 5, kTensorMapExtent = 256;
/// The most elements along a dimension of a map. With 2^32 - 1 the driver makes
/// one, too, but copies end with an illegal instruction on an H200.
constexpr int64_t kTensorMapSize = int64_t(1) << 31;

} // namespace kiln::nvidia

#endif
