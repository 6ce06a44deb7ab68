// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The format in which kernels report printed values and failed assertions:
// records of 64-bit words in memory that the device driver reads after a
// launch. Plain C++ without MLIR, because drivers include it, too.
#ifndef KILN_GPU_OUTPUTRECORD_H
#define KILN_GPU_OUTPUTRECORD_H

#include <cstdint>

namespace kiln::simt {

/// The words that a record begins with. Behind them stand the sizes of the
/// shape, the text with the zero that ends it, and the elements in row-major
/// order; each of the three starts at a word.
enum OutputWord : uint32_t {
  kRecordBytes,     ///< of the whole record, a multiple of 8
  kRecordKind,      ///< an OutputKind
  kRecordProgram,   ///< three words: the numbers of the instance
  kRecordDType = 5, ///< KilnDType of the elements
  kRecordFlags,     ///< KILN_PRINT_*
  kRecordRank,      ///< how many sizes there are
  kRecordTextBytes, ///< of the text, with its zero
  kRecordHeaderWords
};

/// What a record holds.
enum OutputKind : uint64_t {
  kPrintedValue = 1, ///< the text is the prefix
  kFault = 2         ///< the text is the message and the location
};

/// The words of the global variable that the driver sets and kernels read: the
/// address of the memory for records, the bytes of it that are used, and its
/// size in bytes.
enum OutputVariable : uint32_t {
  kOutputAddress,
  kOutputUsed,
  kOutputCapacity,
  kOutputWords
};
/// The name of that variable, in modules of every target.
inline constexpr char kOutputSymbol[] = "kiln_output";

} // namespace kiln::simt

#endif // KILN_GPU_OUTPUTRECORD_H
