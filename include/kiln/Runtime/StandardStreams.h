// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program does first about the descriptors that it was started with.
#ifndef KILN_RUNTIME_STANDARDSTREAMS_H
#define KILN_RUNTIME_STANDARDSTREAMS_H

namespace kiln::runtime {

/// Occupies those of the descriptors 0 to 2 that the caller has closed, so that
/// no file or pipe opened later takes the place of a standard stream. Reading
/// the standard input and writing the standard output go on to fail; what is
/// written to the standard error is lost. Every tool begins with it.
void occupyStandardStreams();

} // namespace kiln::runtime

#endif
