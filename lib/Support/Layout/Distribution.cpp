//===- Distribution.cpp - Layouts from what is shared out -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/Distribution.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;
using namespace kiln::layout;

LinearLayout kiln::layout::distribute(ArrayRef<StringRef> outputs,
                                      ArrayRef<Share> shares) {
  LinearLayout result;
  for (StringRef name : outputs)
    result *= LinearLayout({}, {{name.str(), 1}});
  for (const Share &share : shares) {
    assert((share.out.empty() || is_contained(outputs, share.out)) &&
           "not an output");
    result *= share.out.empty()
                  ? LinearLayout::zeros(share.count, share.in, outputs[0])
                  : LinearLayout::identity(share.count, share.in, share.out);
  }
  return result;
}

LinearLayout kiln::layout::getFragment(const Fragment &fragment,
                                       const FragmentNames &names) {
  int64_t rowRegisters = fragment.rows / fragment.rowLanes;
  int64_t depthRegisters =
      fragment.depth / (fragment.depthPerLane * fragment.depthLanes);
  int64_t copies = fragment.lanes / (fragment.rowLanes * fragment.depthLanes);
  assert(rowRegisters > 0 && depthRegisters > 0 && copies > 0 &&
         "more is shared out than there is");
  Share rowLanes = {names.lanes, names.rows, fragment.rowLanes};
  Share depthLanes = {names.lanes, names.depth, fragment.depthLanes};
  if (fragment.rowLanesFirst)
    std::swap(rowLanes, depthLanes);
  SmallVector<StringRef> outputs = {names.rows, names.depth};
  if (names.depthIsFirst)
    std::swap(outputs[0], outputs[1]);
  return distribute(outputs,
                    {{names.registers, names.depth, fragment.depthPerLane},
                     depthLanes,
                     rowLanes,
                     {names.lanes, "", copies},
                     {names.registers, names.rows, rowRegisters},
                     {names.registers, names.depth, depthRegisters}});
}

LinearLayout kiln::layout::getBlockedLayout(
    ArrayRef<int64_t> sizes, ArrayRef<unsigned> order, int64_t vector,
    StringRef registers, ArrayRef<std::pair<StringRef, int64_t>> threads) {
  assert(sizes.size() == order.size() && "an order of all dimensions");
  SmallVector<std::string> names;
  for (unsigned i = 0; i < sizes.size(); ++i)
    names.push_back(LinearLayout::getDefaultOutputName(i));
  SmallVector<StringRef> outputs(names.begin(), names.end());
  SmallVector<int64_t> left(sizes);
  SmallVector<Share> shares;
  auto share = [&](StringRef in, unsigned dim, int64_t most) {
    int64_t count = std::min(most, left[dim]);
    shares.push_back({in, outputs[dim], count});
    left[dim] /= count;
    return most / count;
  };
  if (sizes.empty())
    return LinearLayout::withSizes({{registers.str(), {}}}, {});
  share(registers, order[0], vector);
  for (const auto &[level, count] : threads) {
    int64_t rest = count;
    for (unsigned dim : order)
      rest = share(level, dim, rest);
    shares.push_back({level, "", rest});
  }
  for (unsigned dim : order)
    share(registers, dim, left[dim]);
  return distribute(outputs, shares);
}
