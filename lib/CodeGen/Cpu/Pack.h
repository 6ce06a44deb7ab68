//===- Pack.h - Panels for register-blocked products ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_PACK_H
#define KILN_LIB_CPU_PACK_H

#include "NestBuilder.h"

namespace kiln::cpu {

/// Where the panels of an operand lie: those of `width` rows (columns) beside
/// each other, `group` steps of each before the next, have room for `deepest`
/// steps.
struct PanelPlace {
  int64_t width = 1, group = 1, deepest = 1;
  int panelDim = 0, stepDim = 0; ///< of the storage

  /// Whether all steps of a row are contiguous.
  bool keepsRows() const { return width > 1 && group == deepest; }
  /// From a step that begins a group to the next step of the row.
  int64_t stepStride() const { return keepsRows() ? 1 : width; }
};

/// The form of storage in panels, by its layout; none for other layouts.
/// `width` is that of the blocks that it is read in: panels of a single group
/// look the same whatever their width.
std::optional<PanelPlace> panelPlaceOf(mlir::MemRefType type, bool isLeft,
                                       int64_t width);

/// Transposes each square of a row of squares, whose side is the number of
/// registers, by exchanging ever larger blocks across the diagonals. What is
/// moved are `unit` elements each.
void transposeRegisters(mlir::OpBuilder &b, mlir::Location loc,
                        SmallVector<Value> &rows, int64_t unit = 1);

/// Copies an operand of a product into panels. The operand is evaluated where
/// it is packed.
class Packer {
public:
  /// Panels are filled up with zeros to multiples of `granule` steps.
  Packer(NestBuilder &e, Value tile, const PanelPlace &place, int64_t granule);

  /// Packs `steps` steps from `from` of the panel that starts at `start`.
  void pack(Coord batch, Coord start, Coord from, Value steps, Value place);

private:
  Point pointAt(Coord batch, Coord start, Coord step) const;
  Value condition(Coord batch, Coord start, Value last);
  void store(Value value, Value place, int64_t index);
  /// Whether registers are scalable ones of a known length, which exchange
  /// elements across all of their length only.
  bool isScalable() const;
  /// Zeros from `steps` to the next multiple of the format's granule.
  void fillUp(Value steps, Value place);
  void packAlongPanel(Coord batch, Coord start, Coord from, Coord step,
                      Value place);
  /// `count` of the panel's rows or columns, at most a vector of them.
  void packAlongSteps(Coord batch, Coord start, Coord from, Coord step,
                      Coord first, int64_t count, Value place);
  /// Loops over the steps, those first whose accesses are in bounds.
  using StepLoops = llvm::function_ref<void(llvm::function_ref<void(Coord)>)>;
  void packFewRows(StepLoops steadily, Coord batch, Coord start, Coord from,
                   Value place);

  NestBuilder &e;
  mlir::RewriterBase &b;
  Value tile;
  Type element; ///< of the panel, in memory
  int64_t group, granule;
  int64_t rowStride = 0; ///< where rows lie one after another
  int64_t lanes;         ///< groups in a register
  int64_t width, extent, stepExtent;
  bool batched, alongPanel;
  int panelDim, stepDim;
  Nest nest;
  SmallVector<Bounds> safe;
  Value always; ///< condition that depends on no coordinate, or null
};

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_PACK_H
