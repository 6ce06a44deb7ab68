//===- Pack.h - Panels for register-blocked products ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_PACK_H
#define KILN_LIB_CPU_PACK_H

#include "KernelEmitter.h"

namespace kiln::cpu {

/// What a panel looks like: `group` steps of each of `width` rows (columns)
/// beside each other, then the next `group` steps.
struct PanelFormat {
  Type element; ///< integers may have signs
  int64_t width, group;
  int64_t granule; ///< panels are filled up with zeros to such multiples
  bool isOffset;   ///< 128 is added to 8-bit elements
};

/// Copies an operand of a product into panels. The operand is evaluated where
/// it is packed, and converted to the type of the panel.
class Packer {
public:
  Packer(KernelEmitter &e, Value tile, const PanelFormat &format, bool batched,
         bool panelDimFirst, bool isUnsigned, bool isTf32);

  /// The type of elements in memory.
  Type memoryType() const { return element; }
  /// Packs `steps` steps from `from` of the panel that starts at `start`.
  void pack(Coord batch, Coord start, Coord from, Value steps, Value place);

  /// Whether what is packed can be fetched ahead: elements of a step lie beside
  /// each other in one view.
  bool canPrefetch() const { return bool(ahead); }
  /// Fetches one step of the panel that starts at `start` into a far cache.
  void prefetch(Coord batch, Coord start, Coord step);

  /// Whether whole panels could be read from memory as they are.
  bool canBeDirect() const { return directLoad || directBuffer; }
  /// Whether that is in bounds for this panel (null: always).
  Value isInside(Coord batch, Coord start, Coord from, Value steps);
  Value directAddress(Coord batch, Coord start, Coord from);
  Value directStride();

private:
  void findAhead();
  Point pointAt(Coord batch, Coord start, Coord step) const;
  Value condition(Coord batch, Coord start, Value last);
  Value dropBits(Value value);
  Value converted(const Point &point);
  void store(Value value, Value place, int64_t index);
  /// Zeros from `steps` to the next multiple of the format's granule.
  void fillUp(Value steps, Value place);
  void packAlongPanel(Coord batch, Coord start, Coord from, Coord step,
                      Value place);
  void packAlongSteps(Coord batch, Coord start, Coord from, Coord step,
                      Value place);

  KernelEmitter &e;
  mlir::RewriterBase &b;
  Value tile;
  Type element; ///< of the panel, in memory
  int64_t group, granule;
  int64_t lanes; ///< groups in a register
  int64_t width, extent, stepExtent;
  bool isOffset, batched, isUnsigned, isTf32, alongPanel;
  int panelDim, stepDim;
  Nest nest;
  SmallVector<Bounds> safe;
  Value always; ///< condition that depends on no coordinate, or null
  ViewAccessOpInterface directLoad;
  /// The dimensions of its view that steps and elements of a panel move.
  int64_t directStep = -1, directPanel = -1;
  bool directBuffer = false;
  ViewAccessOpInterface ahead; ///< the load that prefetches follow, or null
};

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_PACK_H
