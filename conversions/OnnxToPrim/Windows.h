// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows that slide over pictures. Private to the conversion.
#ifndef KILN_CONVERSIONS_ONNXTOPRIM_WINDOWS_H
#define KILN_CONVERSIONS_ONNXTOPRIM_WINDOWS_H

#include "Node.h"

namespace kiln::onnx_to_prim {

/// Every number of a window, one entry for each spatial dimension.
struct Window {
  Ints kernel, strides, dilations, low, high;

  int64_t extent(size_t d) const { return (kernel[d] - 1) * dilations[d] + 1; }
};

/// Reads strides, dilations, pads and auto_pad of a node whose input has these
/// spatial sizes. What auto_pad adds to an open one by steps is left to
/// padOpen.
FailureOr<Window> windowOf(Node &n, ArrayRef<int64_t> spatial,
                           ArrayRef<int64_t> kernel);

/// [N, C, spatial...] with what auto_pad adds to open sizes that a window goes
/// along by steps: the host computes how much.
Value padOpen(Node &n, Value x, const Window &window, Value filler);

/// [N, C, spatial...] as [N, spatial..., C], and back.
Value channelsLast(Node &n, Value x);
Value channelsFirst(Node &n, Value x);

/// A size plus a number, as a number like `x`.
Value beside(Node &n, mlir::OpFoldResult size, double by, Value x);

/// The convolution of [N, C, spatial...] with [O, C / groups, window...].
Value convolve(Node &n, Value x, Value filter, const Window &window,
               ArrayRef<int64_t> inputDilation, int64_t groups,
               Type element = {});
/// Reads a node of Conv on tensors made of its inputs.
Value convOf(Node &n, Value x, Value filter, Type element = {});

/// Reads a node of AveragePool on a tensor made of its input: the mean of what
/// lies in the input, or with count_include_pad in its padding, too. Null after
/// a report.
Value averagePoolOf(Node &n, Value x);

void addRegionRules(NodeRules &rules);

/// One dimension of a convolution whose window only the program knows: how many
/// places there are, and what of the input is below element k of the window at
/// a place: place * stride + k * dilation - low, of an input whose elements are
/// `spread` apart, with zeros between and around them.
struct OpenSide {
  mlir::OpFoldResult count;
  Value low; // a scalar of i64
  int64_t stride, dilation, spread;
};

/// Such a convolution of [batch, channels, ...] with filters of [groups,
/// filters of a group, channels of a group, window...].
Value convolveOpen(Node &n, Value x, Value filter, ArrayRef<OpenSide> sides,
                   Type element = {});
/// Conv of such filters, without a bias; null after a report.
Value convOpen(Node &n, Value x, Value filter, Type element);
/// ConvTranspose of such filters, or of an open number of them.
Value convTransposeOpen(Node &n, Value x, Value filter);

} // namespace kiln::onnx_to_prim

#endif // KILN_CONVERSIONS_ONNXTOPRIM_WINDOWS_H
