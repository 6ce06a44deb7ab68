//===- Text.h - Writing programs as text ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CONFORM_TEXT_H
#define KILN_LIB_CONFORM_TEXT_H

#include "kiln/Conform/Recipes.h"
#include <initializer_list>

namespace kiln::conform {

using Shape = std::vector<int64_t>;

/// "4x?x": the sizes of a type; -1 is `?`.
std::string sizesText(llvm::ArrayRef<int64_t> shape);
/// "tensor<4x?xf32>".
std::string tensorText(llvm::ArrayRef<int64_t> shape, llvm::StringRef element);
/// "!tile.view<4x?xf32>", with `strides` if there are any (-1 is `?`).
std::string viewText(llvm::ArrayRef<int64_t> shape, llvm::StringRef element,
                     llvm::ArrayRef<int64_t> strides = {});
/// "1, 2, 3".
std::string listText(llvm::ArrayRef<int64_t> values);
/// "8x16".
std::string nameText(llvm::ArrayRef<int64_t> values);

/// Replaces each `$NAME` of a pattern; names are letters and digits.
using Words = std::vector<std::pair<std::string, std::string>>;
std::string fillIn(llvm::StringRef pattern, const Words &words);

/// Builds a kernel line by line.
class KernelText {
public:
  explicit KernelText(Entry &entry) : entry(entry) { entry.isKernel = true; }

  /// A parameter that is a view; its name. Written ones come back compared.
  std::string view(llvm::ArrayRef<int64_t> shape, llvm::StringRef element,
                   bool isWritten = false, llvm::ArrayRef<int64_t> strides = {},
                   llvm::StringRef facts = "");
  std::string pointer(llvm::StringRef element, bool isWritten = false);
  std::string scalar(llvm::StringRef element);
  /// The type of a parameter.
  const std::string &typeOf(const std::string &name) const;

  /// Adds a line; `$r` in it is a new name, which is returned.
  std::string op(const llvm::Twine &text);
  void line(const llvm::Twine &text);
  std::string index(int64_t value);
  /// `count` names of coordinates of the instance.
  std::vector<std::string> programId(unsigned count = 1);

  /// Loads a tile at block coordinates.
  std::string load(const std::string &view, llvm::ArrayRef<std::string> coords,
                   llvm::ArrayRef<int64_t> tile, llvm::StringRef element,
                   llvm::StringRef clauses = "");
  void store(const std::string &value, const std::string &view,
             llvm::ArrayRef<std::string> coords, llvm::ArrayRef<int64_t> tile,
             llvm::StringRef element, llvm::StringRef clauses = "");

  /// Writes the text to the entry.
  void finish(llvm::StringRef attributes = "");

private:
  Entry &entry;
  std::vector<std::pair<std::string, std::string>> params;
  std::vector<std::string> facts;
  std::string body;
  unsigned names = 0;
};

/// Writes a function of prim to the entry: `body` has lines with operands %a0,
/// %a1, ... of `operands` and ends with a value %r of type `result`.
void primFunction(Entry &entry, llvm::ArrayRef<std::string> operands,
                  llvm::StringRef result, llvm::StringRef body);

/// Adds a call with one fill for all parameters, given their shapes.
Call &addCall(Entry &entry, llvm::StringRef name,
              std::vector<CallArgument> args,
              std::array<int64_t, 3> grid = {1, 1, 1});

inline CallArgument of(Shape shape, Fill fill = "plain", Shape strides = {}) {
  return {std::move(shape), std::move(strides), std::move(fill)};
}

/// Types of elements by kind, as text.
llvm::ArrayRef<llvm::StringRef> floatTypes();   ///< f32 f64 f16 bf16
llvm::ArrayRef<llvm::StringRef> integerTypes(); ///< i32 i64 i8 i16
llvm::ArrayRef<llvm::StringRef> narrowFloats(); ///< f8E4M3FN f8E5M2
llvm::ArrayRef<llvm::StringRef> movableTypes(); ///< all of these and i1
bool isFloatText(llvm::StringRef type);
/// Floats of at most 8 bits.
bool isSmallFloatText(llvm::StringRef type);
int64_t ceilDiv(int64_t a, int64_t b);

} // namespace kiln::conform

#endif // KILN_LIB_CONFORM_TEXT_H
