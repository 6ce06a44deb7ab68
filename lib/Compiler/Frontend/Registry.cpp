//===- Registry.cpp - Frontends by name -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Frontend/Frontend.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln::frontend;

FrontendRegistry &FrontendRegistry::get() {
  // Never destroyed: plug-ins stay loaded until the process ends.
  static FrontendRegistry *registry = new FrontendRegistry;
  return *registry;
}

StringRef Options::get(StringRef key, StringRef otherwise) const {
  for (const auto &[name, value] : llvm::reverse(values))
    if (name == key)
      return value;
  return otherwise;
}

/// What is wrong with a frontend by itself, or nothing.
static std::string check(const Frontend &frontend) {
  std::string who = "frontend '" + frontend.name + "' ";
  if (frontend.name.empty() || !llvm::all_of(frontend.name, [](char c) {
        return llvm::isAlnum(c) || c == '_' || c == '-';
      }))
    return "expected a frontend's name of letters, digits, '_' and '-', "
           "found '" +
           frontend.name.substr(0, 64) + "'";
  if (frontend.magic.empty() != !frontend.read)
    return who + "has " +
           (frontend.read ? "a reader without magic bytes"
                          : "magic bytes without a reader");
  if (frontend.functions.empty())
    return who + "names no operations that are its functions";
  if (!frontend.match && frontend.dialects.empty() && frontend.magic.empty())
    return who + "has no way to recognise its input: no dialects, no match, "
                 "no magic bytes";
  return "";
}

std::string FrontendRegistry::add(Frontend frontend) {
  if (std::string problem = check(frontend); !problem.empty())
    return problem;
  for (const Frontend &other : all) {
    if (other.name == frontend.name)
      return "frontend '" + frontend.name + "' is already registered by " +
             (other.plugin.empty() ? "the core" : other.plugin);
    if (!frontend.magic.empty() && other.magic == frontend.magic)
      return "frontend '" + frontend.name + "' has the magic bytes of '" +
             other.name + "'";
  }
  all.push_back(std::move(frontend));
  return "";
}

const Frontend *FrontendRegistry::find(StringRef name) const {
  for (const Frontend &frontend : all)
    if (frontend.name == name)
      return &frontend;
  return nullptr;
}

std::vector<const Frontend *> FrontendRegistry::frontends() const {
  std::vector<const Frontend *> list;
  for (const Frontend &frontend : all)
    list.push_back(&frontend);
  return list;
}

const Frontend *FrontendRegistry::findByMagic(StringRef input) const {
  const Frontend *best = nullptr;
  for (const Frontend &frontend : all)
    if (!frontend.magic.empty() && input.starts_with(frontend.magic) &&
        (!best || frontend.magic.size() > best->magic.size()))
      best = &frontend;
  return best;
}

void FrontendRegistry::registerDialects(DialectRegistry &registry) const {
  for (const Frontend &frontend : all)
    if (frontend.registerDialects)
      frontend.registerDialects(registry);
}

/// The texts that one member of each frontend makes, in a row.
static std::string
joinTexts(ArrayRef<const Frontend *> frontends,
          llvm::function_ref<Options(const Frontend &)> options,
          std::function<std::string(const Options &)> Frontend::*member) {
  std::string text;
  for (const Frontend *frontend : frontends) {
    if (!(frontend->*member))
      continue;
    std::string part =
        (frontend->*member)(options ? options(*frontend) : Options());
    if (!text.empty() && !part.empty())
      text += ",";
    text += part;
  }
  return text;
}

std::string FrontendRegistry::pipelineOf(
    ArrayRef<const Frontend *> frontends,
    llvm::function_ref<Options(const Frontend &)> options) {
  return joinTexts(frontends, options, &Frontend::pipeline);
}

std::string FrontendRegistry::improvementsOf(
    ArrayRef<const Frontend *> frontends,
    llvm::function_ref<Options(const Frontend &)> options) {
  return joinTexts(frontends, options, &Frontend::improve);
}

std::string kiln::frontend::listFrontends() {
  std::string list;
  for (const Frontend *frontend : FrontendRegistry::get().frontends())
    list += (list.empty() ? "" : ", ") + frontend->name;
  return list;
}
