//===- Diagnostics.cpp - Diagnostics as file:line:column lines ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diagnostics.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Kiln/Suggest.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace kiln::driver;

DiagnosticPrinter::DiagnosticPrinter(MLIRContext *context, DiagnosticSink sink,
                                     StringRef inputName)
    : context(context), sink(std::move(sink)), inputName(inputName) {
  listen();
}

DiagnosticPrinter::DiagnosticPrinter(const DiagnosticPrinter &outer,
                                     DiagnosticSink sink)
    : context(outer.context), sink(std::move(sink)), inputName(outer.inputName),
      isBinary(outer.isBinary), thread(std::this_thread::get_id()) {
  listen();
}

void DiagnosticPrinter::listen() {
  handler = context->getDiagEngine().registerHandler([this](Diagnostic &diag) {
    if (thread && *thread != std::this_thread::get_id())
      return failure();
    std::lock_guard<std::mutex> lock(mutex);
    print(diag);
    return success();
  });
}

DiagnosticPrinter::~DiagnosticPrinter() {
  context->getDiagEngine().eraseHandler(handler);
}

/// A text in one line, of bounded length and fit for a terminal: operations
/// printed in full may be megabytes, and names in files may be any bytes.
static std::string readable(std::string text) {
  constexpr size_t kLongest = 2000;
  if (text.size() > kLongest)
    text = text.substr(0, kLongest) + "...";
  for (char &c : text)
    if (!llvm::isPrint(c) && static_cast<unsigned char>(c) < 0x80)
      c = ' ';
  return llvm::json::fixUTF8(text);
}

std::string DiagnosticPrinter::location(Location loc) const {
  // A whole module has line 0.
  std::string text = kiln::target::locationString(loc);
  if (!text.empty() && text != inputName + ":0:0")
    return readable(std::move(text)) + ": ";
  return wholeInput();
}

/// Operations of the same dialect that are close to the one that a parser does
/// not know; empty: it was about something else, or there are none.
static std::string suggestOperation(MLIRContext *context, StringRef text) {
  for (StringRef start : {"custom op '", "unregistered operation '"}) {
    if (!text.starts_with(start))
      continue;
    StringRef name = text.drop_front(start.size()).split("'").first;
    SmallVector<StringRef> known;
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (op.getDialectNamespace() == name.split('.').first)
        known.push_back(op.getStringRef());
    return kiln::suggestNames(name, known);
  }
  return "";
}

static std::string readable(const Diagnostic &diag) {
  std::string text = diag.str();
  text += suggestOperation(diag.getLocation().getContext(), text);
  // What upstream advises is for users of its own tools.
  for (StringRef advice : {". If this is intended, please ",
                           "; for more info on dialect registration see "})
    if (size_t at = StringRef(text).find(advice); at != StringRef::npos)
      text.resize(at);
  return readable(std::move(text));
}

std::string DiagnosticPrinter::wholeInput() const {
  if (inputName.empty())
    return "";
  return inputName + (isBinary ? ": byte 0: " : ":1:1: ");
}

void DiagnosticPrinter::error(const Twine &message) {
  std::lock_guard<std::mutex> lock(mutex);
  ++errors;
  lastError = message.str();
  sink(wholeInput() + "error: " + lastError);
}

void DiagnosticPrinter::raw(StringRef line) {
  std::lock_guard<std::mutex> lock(mutex);
  ++errors;
  lastError = line.str();
  sink(line);
}

void DiagnosticPrinter::note(StringRef line) {
  std::lock_guard<std::mutex> lock(mutex);
  sink(line);
}

void DiagnosticPrinter::print(Diagnostic &diag) {
  // What a parser that contains the failed one adds says nothing new.
  if (errors && StringRef(diag.str()).starts_with("failed to parse "))
    return;
  StringRef kind = "remark";
  switch (diag.getSeverity()) {
  case DiagnosticSeverity::Error:
    kind = "error";
    ++errors;
    lastError = diag.str();
    break;
  case DiagnosticSeverity::Warning:
    kind = "warning";
    break;
  case DiagnosticSeverity::Note:
    kind = "note";
    break;
  case DiagnosticSeverity::Remark:
    break;
  }
  sink(location(diag.getLocation()) + kind.str() + ": " + readable(diag));
  for (Diagnostic &note : diag.getNotes()) {
    std::string text = readable(note);
    // These repeat what the location says, and who wrote the file.
    if (StringRef(text).starts_with("see current operation") ||
        StringRef(text).starts_with("in bytecode version"))
      continue;
    sink(location(note.getLocation()) + "note: " + text);
  }
}
