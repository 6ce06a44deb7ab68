//===- Diagnostics.cpp - Diagnostics as file:line:column lines ------------===//

#include "Diagnostics.h"
#include "kiln/Target/Report.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace kiln::driver;

DiagnosticPrinter::DiagnosticPrinter(MLIRContext *context, DiagnosticSink sink,
                                     StringRef inputName)
    : context(context), sink(std::move(sink)), inputName(inputName) {
  handler = context->getDiagEngine().registerHandler([this](Diagnostic &diag) {
    std::lock_guard<std::mutex> lock(mutex);
    print(diag);
    return success();
  });
}

DiagnosticPrinter::~DiagnosticPrinter() {
  context->getDiagEngine().eraseHandler(handler);
}

std::string DiagnosticPrinter::location(Location loc) const {
  std::string text = kiln::target::locationString(loc);
  if (!text.empty())
    return text + ": ";
  return inputName.empty() ? "" : inputName + ":1:1: ";
}

void DiagnosticPrinter::error(const Twine &message) {
  std::lock_guard<std::mutex> lock(mutex);
  ++errors;
  sink((inputName.empty() ? "" : inputName + ":1:1: ") +
       "error: " + message.str());
}

void DiagnosticPrinter::raw(StringRef line) {
  std::lock_guard<std::mutex> lock(mutex);
  ++errors;
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
  std::string text = diag.str();
  // Operations printed in full may be megabytes.
  constexpr size_t kLongest = 2000;
  if (text.size() > kLongest)
    text = text.substr(0, kLongest) + "...";
  sink(location(diag.getLocation()) + kind.str() + ": " + text);
  for (Diagnostic &note : diag.getNotes()) {
    std::string noteText = note.str();
    // "see current operation" repeats what the location says.
    if (StringRef(noteText).starts_with("see current operation"))
      continue;
    if (noteText.size() > kLongest)
      noteText = noteText.substr(0, kLongest) + "...";
    sink(location(note.getLocation()) + "note: " + noteText);
  }
}
