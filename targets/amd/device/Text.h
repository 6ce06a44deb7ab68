// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions as LLVM prints them: name, operands, modifiers.
#ifndef KILN_TARGETS_AMD_DEVICE_TEXT_H
#define KILN_TARGETS_AMD_DEVICE_TEXT_H

#include "Machine.h"
#include <string_view>

namespace kiln::amd::sim {

/// A constant or register as text, before it is known what type it is meant in.
struct TextOperand {
  Operand operand;
  std::string text;
  bool isFloat = false; ///< a decimal number with a point
  double number = 0;
  bool isLiteral = false; ///< in hexadecimal: 32 bits of the encoding
};

struct ParsedText {
  std::string name; ///< without the suffix of the encoding
  std::string suffix;
  std::vector<TextOperand> operands;
  /// Names with values: `offset:16`, `sc0`, `quad_perm:[1,0,3,2]`, `vmcnt(0)`.
  std::vector<std::pair<std::string, std::string>> modifiers;
  std::string second; ///< the text of the other half of a dual instruction

  const std::string *modifier(std::string_view key) const;
};

/// Takes an instruction apart. Operands that are neither registers nor numbers
/// have the kind None.
ParsedText parseText(std::string_view text);

/// The bits of a constant operand in a type.
uint64_t constantBits(const TextOperand &operand, Type type);

} // namespace kiln::amd::sim

#endif
