// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the conversions of the core bring: their passes and their frontends.
#ifndef KILN_CONVERSION_REGISTER_H
#define KILN_CONVERSION_REGISTER_H

namespace kiln {

/// Registers the passes of every conversion.
void registerConversionPasses();

/// Adds a frontend for every dialect that programs are read in.
void registerConversionFrontends();

} // namespace kiln

#endif // KILN_CONVERSION_REGISTER_H
