//===- AssemblyText.h - The statements of inline assembly -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a virtual instruction set as a list of statements: declarations
// of registers, braces, and instructions with guard, types and operands.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TRANSFORMS_TILE_ASSEMBLYTEXT_H
#define KILN_LIB_TRANSFORMS_TILE_ASSEMBLYTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace kiln::tile {

/// A register, a literal, or several registers in braces.
struct AssemblyOperand {
  std::vector<std::string> names;
  bool isVector = false;

  /// The only name; empty for vectors.
  llvm::StringRef name() const {
    return isVector || names.size() != 1 ? llvm::StringRef() : names.front();
  }
};

/// `@!p mul.hi.u32 d, a, b` has the guard `p`, the modifier `hi` and one type.
struct AssemblyStatement {
  enum Kind { Open, Close, Declaration, Instruction };
  Kind kind = Instruction;
  std::string text; ///< for messages
  std::string guard;
  bool isGuardNegated = false;
  std::string name; ///< what is before the first dot, or a declared type
  std::vector<std::string> modifiers, types;
  std::vector<AssemblyOperand> operands; ///< or declared registers

  bool has(llvm::StringRef modifier) const {
    return llvm::is_contained(modifiers, modifier);
  }
  /// All modifiers are among these.
  bool hasOnly(llvm::ArrayRef<llvm::StringRef> known) const {
    return llvm::all_of(modifiers, [&](const std::string &modifier) {
      return llvm::is_contained(known, llvm::StringRef(modifier));
    });
  }
  /// Type number `i`; empty where there are fewer.
  llvm::StringRef type(size_t i = 0) const {
    return i < types.size() ? llvm::StringRef(types[i]) : llvm::StringRef();
  }
};

/// Reads a text. False where it is malformed; `problem` says how.
bool parseAssembly(llvm::StringRef text,
                   std::vector<AssemblyStatement> &statements,
                   std::string &problem);

/// True for the names of types, such as `f32` and `bf16x2`.
bool isAssemblyType(llvm::StringRef word);

} // namespace kiln::tile

#endif // KILN_LIB_TRANSFORMS_TILE_ASSEMBLYTEXT_H
