//===- Text.cpp - Writing programs as text --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kiln::conform;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

std::string kiln::conform::sizesText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (size < 0 ? "?" : std::to_string(size)) + "x";
  return text;
}

std::string kiln::conform::tensorText(ArrayRef<int64_t> shape,
                                      StringRef element) {
  return "tensor<" + sizesText(shape) + element.str() + ">";
}

std::string kiln::conform::viewText(ArrayRef<int64_t> shape, StringRef element,
                                    ArrayRef<int64_t> strides) {
  std::string text = "!tile.view<" + sizesText(shape) + element.str();
  if (!strides.empty()) {
    text += ", strides = [";
    for (auto [d, stride] : llvm::enumerate(strides))
      text += (d ? ", " : "") +
              (stride == -1 ? std::string("?") : std::to_string(stride));
    text += "]";
  }
  return text + ">";
}

std::string kiln::conform::listText(ArrayRef<int64_t> values) {
  return llvm::join(
      llvm::map_range(values, [](int64_t v) { return std::to_string(v); }),
      ", ");
}

std::string kiln::conform::nameText(ArrayRef<int64_t> values) {
  return llvm::join(
      llvm::map_range(values, [](int64_t v) { return std::to_string(v); }),
      "x");
}

std::string kiln::conform::fillIn(StringRef pattern, const Words &words) {
  std::string text;
  while (!pattern.empty()) {
    size_t at = pattern.find('$');
    text += pattern.take_front(at).str();
    if (at == StringRef::npos)
      break;
    pattern = pattern.drop_front(at + 1);
    StringRef name = pattern.take_while(llvm::isAlnum);
    pattern = pattern.drop_front(name.size());
    auto found = llvm::find_if(
        words, [&](const auto &word) { return name == word.first; });
    text += found == words.end() ? "$" + name.str() : found->second;
  }
  return text;
}

std::string KernelText::view(ArrayRef<int64_t> shape, StringRef element,
                             bool isWritten, ArrayRef<int64_t> strides,
                             StringRef more) {
  std::string name = "%a" + std::to_string(params.size());
  params.push_back({name, viewText(shape, element, strides)});
  facts.push_back(isWritten ? "noalias" : "readonly");
  if (!more.empty())
    facts.back() += ", " + more.str();
  entry.params.push_back({element.str(), false, isWritten});
  return name;
}

std::string KernelText::pointer(StringRef element, bool isWritten) {
  std::string name = "%a" + std::to_string(params.size());
  params.push_back({name, "!tile.ptr<" + element.str() + ">"});
  facts.push_back("");
  entry.params.push_back({element.str(), false, isWritten, true});
  return name;
}

std::string KernelText::scalar(StringRef element) {
  std::string name = "%a" + std::to_string(params.size());
  params.push_back({name, element.str()});
  facts.push_back("");
  entry.params.push_back({element.str(), true, false});
  return name;
}

const std::string &KernelText::typeOf(const std::string &name) const {
  static const std::string none;
  auto found =
      llvm::find_if(params, [&](const auto &p) { return p.first == name; });
  return found == params.end() ? none : found->second;
}

std::string KernelText::op(const Twine &text) {
  std::string name = "%v" + std::to_string(names++);
  line(name + " = " + text);
  return name;
}

void KernelText::line(const Twine &text) { body += "  " + text.str() + "\n"; }

std::string KernelText::index(int64_t value) {
  return op("arith.constant " + Twine(value) + " : index");
}

std::vector<std::string> KernelText::programId(unsigned count) {
  std::vector<std::string> ids;
  for (unsigned i = 0; i < count; ++i)
    ids.push_back("%id" + std::to_string(i));
  std::string types = "index";
  for (unsigned i = 1; i < count; ++i)
    types += ", index";
  line(llvm::join(ids, ", ") + " = tile.program_id : " + types);
  return ids;
}

std::string KernelText::load(const std::string &view,
                             ArrayRef<std::string> coords,
                             ArrayRef<int64_t> tile, StringRef element,
                             StringRef clauses) {
  bool isAt = clauses.consume_front("at ");
  return op("tile.load " + Twine(view) + (isAt ? " at " : "") + "[" +
            llvm::join(coords, ", ") + "]" + clauses + " : " + typeOf(view) +
            " -> " + tensorText(tile, element));
}

void KernelText::store(const std::string &value, const std::string &view,
                       ArrayRef<std::string> coords, ArrayRef<int64_t> tile,
                       StringRef element, StringRef clauses) {
  bool isAt = clauses.consume_front("at ");
  line("tile.store " + Twine(value) + ", " + view + (isAt ? " at " : "") + "[" +
       llvm::join(coords, ", ") + "]" + clauses + " : " +
       tensorText(tile, element) + ", " + typeOf(view));
}

void KernelText::finish(StringRef attributes) {
  std::string text = "tile.kernel @entry(";
  for (auto [i, param] : llvm::enumerate(params)) {
    text += (i ? ", " : "") + param.first + ": " + param.second;
    if (!facts[i].empty())
      text += " {tile.facts = {" + facts[i] + "}}";
  }
  text += ")" + (attributes.empty() ? "" : " " + attributes.str()) + " {\n" +
          body + "}\n";
  entry.text = text;
}

void kiln::conform::primFunction(Entry &entry, ArrayRef<std::string> operands,
                                 StringRef result, StringRef body) {
  std::string text = "func.func @entry(";
  for (auto [i, type] : llvm::enumerate(operands)) {
    text += (i ? ", %a" : "%a") + std::to_string(i) + ": " + type;
    StringRef element = StringRef(type);
    bool isTensor = element.consume_front("tensor<");
    if (isTensor) {
      element = element.drop_back();
      while (!element.empty() &&
             (llvm::isDigit(element.front()) || element.front() == '?'))
        element = element.drop_front(element.find('x') + 1);
    }
    entry.params.push_back({element.str(), !isTensor, false});
  }
  entry.text = text + ") -> " + result.str() + " {\n  " + body.str() +
               "\n  return %r : " + result.str() + "\n}\n";
}

Call &kiln::conform::addCall(Entry &entry, StringRef name,
                             std::vector<CallArgument> args,
                             std::array<int64_t, 3> grid) {
  entry.calls.push_back({name.str(), std::move(args), grid});
  return entry.calls.back();
}

ArrayRef<StringRef> kiln::conform::floatTypes() {
  static const StringRef types[] = {"f32", "f64", "f16", "bf16"};
  return types;
}
ArrayRef<StringRef> kiln::conform::integerTypes() {
  static const StringRef types[] = {"i32", "i64", "i8", "i16"};
  return types;
}
ArrayRef<StringRef> kiln::conform::narrowFloats() {
  static const StringRef types[] = {"f8E4M3FN", "f8E5M2"};
  return types;
}
ArrayRef<StringRef> kiln::conform::movableTypes() {
  static const StringRef types[] = {"f32", "f64",      "f16",   "bf16",
                                    "i32", "i64",      "i8",    "i16",
                                    "i1",  "f8E4M3FN", "f8E5M2"};
  return types;
}
bool kiln::conform::isFloatText(StringRef type) {
  return type.starts_with("f") || type.starts_with("bf");
}
bool kiln::conform::isSmallFloatText(StringRef type) {
  // f64 has no letter behind its digit.
  return type.starts_with("f8E") || type.starts_with("f6E") ||
         type.starts_with("f4E");
}
int64_t kiln::conform::ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
