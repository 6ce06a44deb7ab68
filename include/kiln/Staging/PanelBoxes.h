//===- PanelBoxes.h - Transfers that fill panels ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_STAGING_PANELBOXES_H
#define KILN_STAGING_PANELBOXES_H

#include <cstdint>

namespace kiln::staging {

/// How many boxes are moved to fill the panels of one tile, at most: each is an
/// instruction of the program. Block sizes keep to it.
inline constexpr int64_t kMostPanelBoxes = 64;

/// Returns the number of boxes of a tile in panels: one for each panel, or for
/// each group of steps of each panel where groups have several steps. `across`
/// and `steps` are sizes of the tile.
constexpr int64_t countPanelBoxes(int64_t across, int64_t width, int64_t steps,
                                  int64_t group) {
  return across / width * (group == 1 ? 1 : steps / group);
}

} // namespace kiln::staging

#endif // KILN_STAGING_PANELBOXES_H
