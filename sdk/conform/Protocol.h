// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kiln-conform --protocol: conversations with a target's program.
#ifndef KILN_SDK_CONFORM_PROTOCOL_H
#define KILN_SDK_CONFORM_PROTOCOL_H

#include <cstdint>
#include <string>

namespace kiln::conform {

/// Holds conversations and prints what became of them. The exit status: 0; 1
/// after failures; 2 for wrong usage.
int checkProtocol(const std::string &program, unsigned conversations,
                  uint64_t seed, const std::string &json);

/// Writes the kernels of the suite in the wire form into a folder, a file each
/// that is named as its cases, and prints which of them do not come back as
/// they were. `most` kernels, chosen by the seed; 0: all.
int writeWireCases(const std::string &folder, const std::string &filter,
                   uint64_t most, uint64_t seed);

/// Prints the table of the wire form of kernels as JSON.
int printWireForm();

} // namespace kiln::conform

#endif
