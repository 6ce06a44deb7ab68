// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads tell the host: records of words of 64 bits in memory that the
// device driver reads when a launch has ended. Plain C++, for drivers too.
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
  kFault = 2         ///< the text says what is wrong, and where
};

/// The words of the global variable by which a module and its driver find each
/// other: where records are kept, how many bytes of that are taken, how many
/// there are.
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
