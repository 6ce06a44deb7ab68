//===- Pack.h - Panels for register-blocked products ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_PACK_H
#define KILN_LIB_CPU_PACK_H

#include "KernelEmitter.h"

namespace kiln::cpu {

/// Copies an operand of a product into panels: `width` elements of the panel
/// dimension for each step of the summed dimension. The operand is evaluated
/// where it is packed, and converted to the type of the accumulator.
class Packer {
public:
  Packer(KernelEmitter &e, Value tile, Type element, int64_t lanes,
         int64_t width, bool batched, bool panelDimFirst, bool isUnsigned,
         bool isTf32);

  /// Packs `steps` steps from `from` of the panel that starts at `start`.
  void pack(Coord batch, Coord start, Coord from, Value steps, Value place);

  /// Whether whole panels could be read from memory as they are.
  bool canBeDirect() const { return directLoad || directBuffer; }
  /// Whether that is in bounds for this panel (null: always).
  Value isInside(Coord batch, Coord start, Coord from, Value steps);
  Value directAddress(Coord batch, Coord start, Coord from);
  Value directStride();

private:
  Point pointAt(Coord batch, Coord start, Coord step) const;
  Value condition(Coord batch, Coord start, Value last);
  Value dropBits(Value value);
  Value converted(const Point &point);
  void packAlongPanel(Coord batch, Coord start, Coord from, Coord step,
                      Value place);
  void packAlongSteps(Coord batch, Coord start, Coord from, Coord step,
                      Value place);

  KernelEmitter &e;
  mlir::RewriterBase &b;
  Value tile;
  Type element;
  int64_t lanes, width, extent;
  bool batched, isUnsigned, isTf32, alongPanel;
  int panelDim, stepDim;
  Nest nest;
  SmallVector<Bounds> safe;
  Value always; ///< condition that depends on no coordinate, or null
  ViewAccessOpInterface directLoad;
  /// The dimensions of its view that steps and elements of a panel move.
  int64_t directStep = -1, directPanel = -1;
  bool directBuffer = false;
};

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_PACK_H
