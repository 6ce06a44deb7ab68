//===- Options.cpp - The command line of kiln-compile ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Specs.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Target/TargetOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstdlib>

using namespace kiln::driver;
using llvm::StringRef;

namespace {
/// Walks over the arguments and takes the values of flags.
class Arguments {
public:
  Arguments(llvm::ArrayRef<std::string> args, std::string &error)
      : args(args), error(error) {}

  bool done() const { return next == args.size(); }

  /// Splits the next argument into flag and value.
  void advance() {
    StringRef arg = args[next++];
    isFlag = !onlyNames && arg.size() > 1 && arg.starts_with("-");
    if (isFlag && arg == "--") {
      onlyNames = true;
      isFlag = false;
      if (done()) {
        flag = "";
        return;
      }
      arg = args[next++];
    }
    flag = arg;
    inlineValue.reset();
    if (!isFlag)
      return;
    size_t equals = arg.find('=');
    if (equals != StringRef::npos) {
      inlineValue = arg.drop_front(equals + 1);
      flag = arg.take_front(equals);
    }
    if (flag.starts_with("--") || flag.size() == 2)
      return;
    // -oFILE and -jN as compilers take them, -target=SPEC as LLVM's tools do.
    if (flag.starts_with("-o") && flag != "-output") {
      flag = "-o";
      inlineValue = arg.drop_front(2);
      return;
    }
    if (flag.starts_with("-j") && isdigit(flag[2])) {
      flag = "-j";
      inlineValue = arg.drop_front(2);
      return;
    }
    spelling = "-" + flag.str();
    flag = spelling;
  }

  /// The flag's value, which may be the next argument.
  bool value(std::string &out) {
    if (inlineValue) {
      out = inlineValue->str();
      return true;
    }
    if (done()) {
      error = "expected a value after " + flag.str();
      return false;
    }
    out = args[next++];
    return true;
  }

  /// A flag that takes no value.
  bool set(bool &out) {
    if (inlineValue) {
      error = "expected " + flag.str() + " without a value, found '" +
              inlineValue->str() + "'";
      return false;
    }
    return out = true;
  }

  StringRef flag;
  std::optional<StringRef> inlineValue;
  bool isFlag = false;

private:
  llvm::ArrayRef<std::string> args;
  std::string &error;
  size_t next = 0;
  bool onlyNames = false;
  std::string spelling; ///< what `flag` points to where it was completed
};

std::optional<Emit> parseEmit(StringRef text) {
  return llvm::StringSwitch<std::optional<Emit>>(text)
      .Case("package", Emit::Package)
      .Case("prim", Emit::Prim)
      .Case("program", Emit::Program)
      .Case("tile", Emit::Tile)
      .Case("target", Emit::Target)
      .Case("llvm", Emit::LLVM)
      .Case("asm", Emit::Asm)
      .Case("binary", Emit::Binary)
      .Default(std::nullopt);
}

bool parseNumerics(StringRef text, CompileOptions &options,
                   std::string &error) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    if (!llvm::is_contained({"strict", "contract", "approx", "ftz", "reassoc"},
                            part)) {
      error =
          "expected --numerics to list contract, approx, ftz or reassoc, or "
          "to be strict, "
          "found '" +
          part.str() + "'";
      return false;
    }
    options.numerics.push_back(part.str());
  }
  return true;
}
} // namespace

bool CompileOptions::parse(llvm::ArrayRef<std::string> args,
                           CompileOptions &options, std::string &error) {
  Arguments arguments(args, error);
  std::string text;
  while (!arguments.done()) {
    arguments.advance();
    StringRef flag = arguments.flag;
    bool ok = true;
    if (!arguments.isFlag) {
      if (!options.input.empty()) {
        error = "expected one input, found '" + options.input + "' and '" +
                flag.str() + "'";
        return false;
      }
      options.input = flag.str();
    } else if (flag == "-o" || flag == "--output") {
      ok = arguments.value(options.output);
    } else if (flag == "--target") {
      ok = arguments.value(text);
      options.targets.push_back(text);
    } else if (flag == "--load-target") {
      ok = arguments.value(text);
      options.loadTargets.push_back(text);
    } else if (flag == "--entry") {
      ok = arguments.value(text);
      // Names go into a textual pipeline.
      if (ok && (text.empty() || !llvm::all_of(text, [](unsigned char c) {
                   return isalnum(c) || c == '_' || c == '.' || c == '$' ||
                          c == '-';
                 }))) {
        error = "expected --entry=NAME, found '" + text + "'";
        return false;
      }
      options.entries.push_back(text);
    } else if (flag == "--elided") {
      ok = arguments.value(options.elided);
      if (ok && options.elided != "zeros" && options.elided != "random") {
        error =
            "expected --elided=zeros or random, found '" + options.elided + "'";
        return false;
      }
    } else if (flag == "--emit") {
      ok = arguments.value(text);
      if (ok && text.empty()) {
        error = "expected --emit=KIND, found ''";
        return false;
      }
      // What it does not know may be a target's word for its assembly.
      auto emit = parseEmit(text);
      options.emit = emit.value_or(ok ? Emit::Asm : Emit::Package);
      options.emitText = emit ? "" : text;
    } else if (flag == "--print-pipeline") {
      ok = arguments.set(options.printPipeline);
    } else if (flag == "--verify-semantics") {
      ok = arguments.set(options.verifySemantics);
    } else if (flag == "--verify-limit") {
      ok = arguments.value(text);
      double seconds = 0;
      if (ok && (StringRef(text).getAsDouble(seconds) || !(seconds >= 0) ||
                 seconds > 1e6)) {
        error =
            "expected --verify-limit=SECONDS, 0 for none, found '" + text + "'";
        return false;
      }
      options.verifySeconds = seconds;
    } else if (flag == "--verify-arg") {
      ok = arguments.value(text);
      options.verifyArgs.push_back(text);
    } else if (flag == "--verify-grid") {
      ok = arguments.value(options.verifyGrid);
    } else if (flag == "--frontend") {
      ok = arguments.value(options.frontend);
    } else if (flag == "--explain") {
      options.explain = arguments.inlineValue.value_or("").str();
    } else if (flag == "--trace") {
      ok = arguments.value(options.trace);
    } else if (flag == "--describe") {
      ok = arguments.value(text);
      options.describe = text;
    } else if (flag == "--save-temps") {
      ok = arguments.value(options.saveTemps);
    } else if (flag.starts_with("--print-ir-") ||
               flag.starts_with("--mlir-print-ir-")) {
      ok = options.dump.parse(flag.drop_front(2), arguments.inlineValue, error);
    } else if (flag == "--numerics") {
      ok = arguments.value(text) && parseNumerics(text, options, error);
    } else if (flag == "--no-recover-views") {
      ok = arguments.set(options.keepPointers);
    } else if (flag == "--allow-tf32") {
      ok = arguments.set(options.allowTf32);
    } else if (flag == "--list-targets") {
      ok = arguments.set(options.listTargets);
    } else if (flag == "--sign") {
      ok = arguments.value(options.sign);
    } else if (flag == "--skip-unknown-targets") {
      ok = arguments.set(options.skipUnknownTargets);
    } else if (flag == "--candidates") {
      ok = arguments.value(text);
      if (ok && (StringRef(text).getAsInteger(10, options.candidates) ||
                 options.candidates < 2 || options.candidates > 64)) {
        error =
            "expected --candidates=N with N from 2 to 64, found '" + text + "'";
        return false;
      }
    } else if (flag == "--reference-kernels") {
      ok = arguments.set(options.referenceKernels);
    } else if (flag == "--serialise-twice") {
      ok = arguments.set(options.serialiseTwice);
    } else if (flag == "--no-fallback") {
      ok = arguments.set(options.noFallback);
    } else if (flag == "--step-limit") {
      ok = arguments.value(text);
      double seconds = 0;
      if (ok && (StringRef(text).getAsDouble(seconds) || !(seconds >= 0) ||
                 seconds > 1e6)) {
        error =
            "expected --step-limit=SECONDS, 0 for none, found '" + text + "'";
        return false;
      }
      options.stepSeconds = seconds;
    } else if (flag == "--timing") {
      ok = arguments.set(options.timing);
    } else if (flag == "--jobs" || flag == "-j") {
      ok = arguments.value(text);
      if (ok && (StringRef(text).getAsInteger(10, options.jobs) ||
                 options.jobs < 1 || options.jobs > 1024)) {
        error = "expected --jobs=N with N from 1 to 1024, found '" + text + "'";
        return false;
      }
    } else if (flag == "--strip") {
      ok = arguments.set(options.strip);
    } else if (flag == "--in-process") {
      ok = arguments.set(options.inProcess);
    } else if (flag == "--help" || flag == "-h") {
      ok = arguments.set(options.help);
    } else if (flag == "--version") {
      ok = arguments.set(options.version);
    } else {
      error = "unknown flag '" + flag.str() + "'";
      return false;
    }
    if (!ok)
      return false;
  }
  if (const char *text = std::getenv("KILN_NO_FALLBACK"))
    options.noFallback |= *text == '1';
  if (options.candidates) {
    std::vector<std::string> all;
    for (const std::string &spec : options.targets) {
      if (StringRef(spec).contains(",candidate=")) {
        error = "--candidates counts them itself, found '" + spec + "'";
        return false;
      }
      for (unsigned i = 0; i < options.candidates; ++i)
        all.push_back(spec + ",candidate=" + std::to_string(i));
    }
    options.targets = std::move(all);
  }
  if (options.verifySemantics && options.targets.size() > 1) {
    error = "--verify-semantics compares with one target, found " +
            std::to_string(options.targets.size());
    return false;
  }
  if (!options.trace.empty() &&
      !(options.explain && StringRef(*options.explain).ends_with(".html"))) {
    error = "--trace is shown by --explain=FILE.html";
    return false;
  }
  if (options.printPipeline && options.explain) {
    error = "--print-pipeline lowers nothing that --explain could report";
    return false;
  }
  if (!options.emitText.empty() && options.targets.empty()) {
    error = "expected --emit=package, prim, program, tile, target, llvm, asm "
            "or binary, found '" +
            options.emitText + "'";
    return false;
  }
  if (!options.sign.empty() && options.emit != Emit::Package) {
    error = "--sign is for packages, not for what --emit prints";
    return false;
  }
  for (const std::string &spec : options.targets) {
    for (StringRef part : splitSpecs(spec))
      if (!kiln::target::TargetOptions::parse(part, error))
        return false;
  }
  return true;
}
