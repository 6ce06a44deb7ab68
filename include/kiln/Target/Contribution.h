//===- Contribution.h - Registrations outside of the registry ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGET_CONTRIBUTION_H
#define KILN_TARGET_CONTRIBUTION_H

namespace kiln::target {

/// Counts a registration that a code generator keeps in a registry of its own:
/// the plug-in that is loaded now is of use, although it calls no function of
/// the TargetRegistry.
void noteContribution();

} // namespace kiln::target

#endif // KILN_TARGET_CONTRIBUTION_H
