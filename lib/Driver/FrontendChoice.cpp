//===- FrontendChoice.cpp - What the command line says of frontends -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FrontendChoice.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/TargetOptions.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;

static const frontend::OptionInfo *findKey(const frontend::Frontend &frontend,
                                           StringRef key) {
  for (const frontend::OptionInfo &info : frontend.options)
    if (info.key == key)
      return &info;
  return nullptr;
}

std::optional<FrontendChoice>
kiln::driver::chooseFrontend(const CompileOptions &options,
                             DiagnosticPrinter &printer) {
  FrontendChoice choice;
  if (options.frontend.empty())
    return choice;
  std::string error;
  auto parsed = target::TargetOptions::parse(options.frontend, error);
  if (!parsed || !parsed->chip.empty()) {
    printer.error("expected --frontend=NAME[,KEY=VALUE...], found '" +
                  options.frontend + "'");
    return std::nullopt;
  }
  choice.frontend = frontend::FrontendRegistry::get().find(parsed->name);
  if (!choice.frontend) {
    printer.error("no frontend '" + parsed->name +
                  "', expected one of: " + frontend::listFrontends());
    return std::nullopt;
  }
  for (const auto &[key, value] : parsed->values) {
    const frontend::OptionInfo *info = findKey(*choice.frontend, key);
    if (!info) {
      std::string keys;
      for (const frontend::OptionInfo &known : choice.frontend->options)
        keys += (keys.empty() ? "" : ", ") + known.key;
      printer.error("frontend '" + parsed->name + "' has no option '" + key +
                    "', expected " +
                    (keys.empty() ? "none" : "one of: " + keys));
      return std::nullopt;
    }
    StringRef choices = info->value;
    if (choices.contains('|') &&
        !llvm::is_contained(llvm::split(choices, '|'), StringRef(value))) {
      printer.error("option '" + key + "' of frontend '" + parsed->name +
                    "': expected " + choices + ", found '" + value + "'");
      return std::nullopt;
    }
  }
  choice.values = parsed->values;
  return choice;
}

frontend::Options kiln::driver::optionsFor(const frontend::Frontend &frontend,
                                           const FrontendChoice &choice,
                                           const CompileOptions &options) {
  frontend::Options result;
  result.entries = options.entries;
  auto add = [&](StringRef key, StringRef value) {
    if (findKey(frontend, key))
      result.values.push_back({key.str(), value.str()});
  };
  if (!options.elided.empty())
    add("elided", options.elided);
  // The command line's numerics mode takes the place of the frontend's.
  if (!options.numerics.empty())
    add("numerics", "strict");
  if (options.keepPointers)
    add("recover-views", "off");
  if (choice.frontend == &frontend)
    result.values.insert(result.values.end(), choice.values.begin(),
                         choice.values.end());
  return result;
}

LogicalResult
kiln::driver::checkLevels(ModuleOp module,
                          ArrayRef<const frontend::Frontend *> frontends) {
  for (const frontend::Frontend *frontend : frontends) {
    // What is prim or tile already has nothing to leave.
    if (!frontend->pipeline)
      continue;
    WalkResult walked = module.walk([&](Operation *op) -> WalkResult {
      if (!llvm::is_contained(frontend->dialects,
                              op->getName().getDialectNamespace()))
        return WalkResult::advance();
      return op->emitError()
             << target::describeOwner("frontend", frontend->name,
                                      frontend->plugin)
             << " left '" << op->getName() << "', expected operations of "
             << (frontend->level == frontend::Level::Prim ? "prim" : "tile");
    });
    if (walked.wasInterrupted())
      return failure();
  }
  return success();
}
