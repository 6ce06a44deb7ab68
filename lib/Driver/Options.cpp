//===- Options.cpp - The command line of kiln-compile ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table names every flag, with its help text and what it does. Parsing and
// --help both read it.
//
//===----------------------------------------------------------------------===//

#include "Specs.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Target/TargetOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <functional>

using namespace kiln::driver;
using llvm::StringRef;

namespace {
/// Walks over the arguments and takes the values of flags.
class Arguments {
public:
  Arguments(llvm::ArrayRef<std::string> args, std::string &error)
      : error(error), args(args) {}

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

  /// Ends the parsing with a message.
  bool fail(const llvm::Twine &message) {
    error = message.str();
    return false;
  }

  /// The flag's value, which may be the next argument.
  bool value(std::string &out) {
    if (inlineValue) {
      out = inlineValue->str();
      return true;
    }
    if (done())
      return fail("expected a value after " + flag);
    out = args[next++];
    return true;
  }

  /// A flag that takes no value.
  bool set(bool &out) {
    if (inlineValue)
      return fail("expected " + flag + " without a value, found '" +
                  *inlineValue + "'");
    return out = true;
  }

  StringRef flag;
  std::string schedule; ///< the script for all targets
  std::optional<StringRef> inlineValue;
  bool isFlag = false;
  std::string &error;

private:
  llvm::ArrayRef<std::string> args;
  size_t next = 0;
  bool onlyNames = false;
  std::string spelling; ///< what `flag` points to where it was completed
};

using Apply = std::function<bool(CompileOptions &, Arguments &)>;

/// One flag of kiln-compile.
struct Flag {
  std::vector<StringRef> names; ///< the first one is the one in messages
  Apply apply;
  /// How the flag is written in --help; empty: as its first name.
  StringRef synopsis;
  StringRef help; ///< lines of at most 66 columns; empty: not in --help
};

/// Flags that only store what they are given.
Apply sets(bool CompileOptions::*field) {
  return [=](CompileOptions &o, Arguments &a) { return a.set(o.*field); };
}
Apply stores(std::string CompileOptions::*field) {
  return [=](CompileOptions &o, Arguments &a) { return a.value(o.*field); };
}
Apply appends(std::vector<std::string> CompileOptions::*field) {
  return [=](CompileOptions &o, Arguments &a) {
    return a.value((o.*field).emplace_back());
  };
}
/// A number from `least` to `most`.
Apply counts(unsigned CompileOptions::*field, unsigned least, unsigned most) {
  return [=](CompileOptions &o, Arguments &a) {
    std::string text;
    if (!a.value(text))
      return false;
    unsigned &number = o.*field;
    if (!StringRef(text).getAsInteger(10, number) && number >= least &&
        number <= most)
      return true;
    StringRef name = a.flag == "-j" ? "--jobs" : a.flag;
    return a.fail("expected " + name + "=N with N from " + llvm::Twine(least) +
                  " to " + llvm::Twine(most) + ", found '" + text + "'");
  };
}
/// Seconds, 0 for no limit.
template <typename Field> Apply measures(Field CompileOptions::*field) {
  return [=](CompileOptions &o, Arguments &a) {
    std::string text;
    if (!a.value(text))
      return false;
    double seconds = 0;
    if (StringRef(text).getAsDouble(seconds) || !(seconds >= 0) ||
        seconds > 1e6)
      return a.fail("expected " + a.flag + "=SECONDS, 0 for none, found '" +
                    text + "'");
    o.*field = seconds;
    return true;
  };
}

bool takeEntry(CompileOptions &options, Arguments &arguments) {
  std::string name;
  if (!arguments.value(name))
    return false;
  // Names go into a textual pipeline.
  auto isNameCharacter = [](unsigned char c) {
    return isalnum(c) || c >= 0x80 || c == '_' || c == '.' || c == '$' ||
           c == '-';
  };
  if (name.empty() || !llvm::all_of(name, isNameCharacter))
    return arguments.fail("expected --entry=NAME, found '" + name + "'");
  options.entries.push_back(name);
  return true;
}

bool takeElided(CompileOptions &options, Arguments &arguments) {
  if (!arguments.value(options.elided))
    return false;
  return options.elided == "zeros" || options.elided == "random" ||
         arguments.fail("expected --elided=zeros or random, found '" +
                        options.elided + "'");
}

bool takeEmit(CompileOptions &options, Arguments &arguments) {
  std::string kind;
  if (!arguments.value(kind))
    return false;
  if (kind.empty())
    return arguments.fail("expected --emit=KIND, found ''");
  auto emit = llvm::StringSwitch<std::optional<Emit>>(kind)
                  .Case("package", Emit::Package)
                  .Case("prim", Emit::Prim)
                  .Case("program", Emit::Program)
                  .Case("tile", Emit::Tile)
                  .Case("target", Emit::Target)
                  .Case("llvm", Emit::LLVM)
                  .Case("asm", Emit::Asm)
                  .Case("binary", Emit::Binary)
                  .Default(std::nullopt);
  // What it does not know may be a target's word for its assembly.
  options.emit = emit.value_or(Emit::Asm);
  options.emitText = emit ? "" : kind;
  return true;
}

bool takeNumerics(CompileOptions &options, Arguments &arguments) {
  std::string text;
  if (!arguments.value(text))
    return false;
  llvm::SmallVector<StringRef> parts;
  StringRef(text).split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    if (!llvm::is_contained({"strict", "contract", "approx", "ftz", "reassoc"},
                            part))
      return arguments.fail(
          "expected --numerics to list contract, approx, ftz or reassoc, or "
          "to be strict, found '" +
          part + "'");
    options.numerics.push_back(part.str());
  }
  return true;
}

bool takeProgress(CompileOptions &options, Arguments &arguments) {
  if (!arguments.value(options.progress))
    return false;
  return options.progress == "bar" || options.progress == "lines" ||
         arguments.fail("expected --progress=bar or lines, found '" +
                        options.progress + "'");
}

bool takeQuiet(CompileOptions &options, Arguments &arguments) {
  bool isQuiet = false;
  options.progress = "quiet";
  return arguments.set(isQuiet);
}

bool takeExplain(CompileOptions &options, Arguments &arguments) {
  options.explain = arguments.inlineValue.value_or("").str();
  return true;
}

bool takeDescribe(CompileOptions &options, Arguments &arguments) {
  return arguments.value(options.describe.emplace());
}

bool takeDump(CompileOptions &options, Arguments &arguments) {
  return options.dump.parse(arguments.flag.drop_front(2), arguments.inlineValue,
                            arguments.error);
}

/// Every flag, in the order of --help.
/// What is compiled, for what, and how.
static std::vector<Flag> inputFlags() {
  using O = CompileOptions;
  return {
      {{"--target"},
       appends(&O::targets),
       "--target=SPEC",
       "compile for it; given again: an alternative in the package"},
      {{"--skip-unknown-targets"},
       sets(&O::skipUnknownTargets),
       "",
       "leave out alternatives of targets that no plug-in registers"},
      {{"--candidates"},
       counts(&O::candidates, 2, 64),
       "--candidates=N",
       "compile for each target N times, with block sizes for\n"
       "kiln-run to compare where there is no compiler"},
      {{"--reference-kernels"},
       sets(&O::referenceKernels),
       "",
       "compile the targets' kernels for 'reference', each an entry\n"
       "of its own: what 'kiln-run --check' compares kernels with"},
      {{"--no-fallback"},
       sets(&O::noFallback),
       "",
       "a kernel that no named target takes is an error\n"
       "(KILN_NO_FALLBACK=1 says the same)"},
      {{"--serialise-twice"},
       sets(&O::serialiseTwice),
       "",
       "serialise the first kernels of a plug-in's target twice, and\n"
       "compare the bytes: kiln-run --check does"},
      {{"--trust-input"},
       sets(&O::trustInput),
       "",
       "read bytecode without trying it in a process of its own first:\n"
       "for hosts whose own writer it comes from"},
      {{"--step-limit"},
       measures(&O::stepSeconds),
       "--step-limit=SECONDS",
       "how long one pass, lowering or serialiser may take\n"
       "(KILN_STEP_SECONDS, else 600; 0: any time)"},
      {{"--schedule"},
       [](CompileOptions &, Arguments &a) { return a.value(a.schedule); },
       "--schedule=FILE",
       "apply a schedule script: decisions of the compiler in MLIR's\n"
       "transform dialect (docs/try-a-lowering.md)"},
      {{"--entry"},
       takeEntry,
       "--entry=NAME",
       "compile only this function or kernel and what it needs;\n"
       "may be repeated"},
      {{"--frontend"},
       stores(&O::frontend),
       "--frontend=NAME[,KEY=VALUE...]",
       "the frontend that reads the input, by default told by its\n"
       "contents, and its options; --list-targets lists them"},
      {{"--elided"},
       takeElided,
       "--elided=KIND",
       "zeros or random: stands for elements of constants that the\n"
       "file leaves out"},
  };
}

/// What is written, and how it is verified and explained.
static std::vector<Flag> outputFlags() {
  using O = CompileOptions;
  return {
      {{"-o", "--output"},
       stores(&O::output),
       "-o FILE, -oFILE",
       "where the result goes"},
      {{"--emit"},
       takeEmit,
       "--emit=KIND",
       "package (default), prim, program, tile, target, llvm, asm\n"
       "or binary"},
      {{"--verify-semantics"},
       sets(&O::verifySemantics),
       "",
       "evaluate the program on invented arguments before and after\n"
       "each pass, then what is left on the device, and name the\n"
       "first that changes a result"},
      {{"--verify-limit"},
       measures(&O::verifySeconds),
       "--verify-limit=SECONDS",
       "how long one evaluation may take (10; 0: any time)"},
      {{"--verify-arg"},
       appends(&O::verifyArgs),
       "--verify-arg=FILE.npy[+N], --verify-arg=TYPE:VALUE",
       "an argument of the kernel, in order; given once for each"},
      {{"--verify-grid"},
       stores(&O::verifyGrid),
       "--verify-grid=X[,Y[,Z]]",
       "the grid of the kernel"},
      {{"--print-pipeline"},
       sets(&O::printPipeline),
       "",
       "print the passes that lead to what --emit asks for, as\n"
       "'kiln-opt --pass-pipeline' takes them"},
      {{"--explain"},
       takeExplain,
       "--explain[=FILE]",
       "write what was lowered where (JSON if FILE ends in .json, a page if in "
       ".html)"},
      {{"--trace"},
       stores(&O::trace),
       "--trace=FILE",
       "show in that page the run that kiln-run --trace wrote"},
      {{"--list-targets"},
       sets(&O::listTargets),
       "",
       "list targets and plug-ins"},
      {{"--describe"},
       takeDescribe,
       "--describe=SPEC",
       "print a target's description, options, extension points,\n"
       "lowerings and schedules"},
      {{"--load-target"},
       appends(&O::loadTargets),
       "--load-target=LIB",
       "load a plug-in, or a file that holds a #kiln.target"},
      {{"--save-temps"},
       stores(&O::saveTemps),
       "--save-temps=DIR",
       "write the module after every stage"},
  };
}

/// What is printed on the way, and how the package is made.
static std::vector<Flag> runFlags() {
  using O = CompileOptions;
  return {
      {{},
       takeDump,
       "--print-ir-after-all, --print-ir-before-all",
       "print the IR around every pass, large constants left out"},
      {{},
       takeDump,
       "--print-ir-after=PASS,...  --print-ir-before=PASS,...",
       "around these passes only"},
      {{},
       takeDump,
       "--print-ir-after-change, --print-ir-after-failure",
       "after passes that change something; that fail"},
      {{}, takeDump, "--print-ir-module-scope", "always the whole module"},
      {{},
       takeDump,
       "--print-ir-tree-dir=DIR",
       "into files, one for each print, instead of the terminal"},
      {{"--timing"}, sets(&O::timing), "", "print what took how long"},
      {{"--quiet"}, takeQuiet, "", "show no progress bar on a terminal"},
      {{"--progress"},
       takeProgress,
       "--progress=bar|lines",
       "lines: report progress line by line, for programs"},
      {{"--jobs", "-j"},
       counts(&O::jobs, 1, 1024),
       "--jobs=N, -j N",
       "lower kernels on N threads (default: one per core); the\n"
       "result is the same on any number"},
      {{"--sign"},
       stores(&O::sign),
       "--sign=KEY",
       "sign the package: PEM file of an Ed25519 private key, as\n"
       "'openssl genpkey -algorithm ed25519' writes it"},
      {{"--strip"}, sets(&O::strip), "", "leave the source out of the package"},
      {{"--in-process"},
       sets(&O::inProcess),
       "",
       "compile without a child process that may crash"},
      {{"--numerics"},
       takeNumerics,
       "--numerics=MODE,...",
       "contract, approx, ftz, reassoc; strict: none of them"},
      {{"--no-recover-views"},
       sets(&O::keepPointers),
       "",
       "leave pointer arithmetic of Triton kernels as it is"},
      {{"--allow-tf32"},
       sets(&O::allowTf32),
       "",
       "f32 operands of matrix products may be read as tf32"},
      {{"--help", "-h"}, sets(&O::help), "", ""},
      {{"--version"}, sets(&O::version), "", ""},
  };
}

const std::vector<Flag> &flags() {
  static const std::vector<Flag> all = [] {
    std::vector<Flag> flags = inputFlags();
    llvm::append_range(flags, outputFlags());
    llvm::append_range(flags, runFlags());
    return flags;
  }();
  return all;
}

const Flag *findFlag(StringRef name) {
  for (const Flag &flag : flags())
    if (llvm::is_contained(flag.names, name))
      return &flag;
  return nullptr;
}

/// Gives every target the script of --schedule.
bool addSchedule(CompileOptions &options, StringRef script,
                 std::string &error) {
  if (script.empty())
    return true;
  if (script.find_first_of(",+") != StringRef::npos) {
    error = ("expected --schedule=FILE without ',' and '+' in its name, "
             "found '" +
             script + "'")
                .str();
    return false;
  }
  for (std::string &spec : options.targets) {
    std::string scripted;
    for (StringRef part : splitSpecs(spec))
      scripted += (scripted.empty() ? "" : "+") + part.str() +
                  ",schedule_file=" + script.str();
    spec = scripted;
  }
  return true;
}

/// With --candidates=N each target stands for N, which differ in block sizes.
bool expandCandidates(CompileOptions &options, std::string &error) {
  if (!options.candidates)
    return true;
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
  return true;
}

/// Why these options do not go together; empty where they do.
std::string whyExcluded(const CompileOptions &options) {
  if (options.verifySemantics && options.targets.size() > 1)
    return "--verify-semantics compares with one target, found " +
           std::to_string(options.targets.size());
  if (!options.trace.empty() &&
      !(options.explain && StringRef(*options.explain).ends_with(".html")))
    return "--trace is shown by --explain=FILE.html";
  if (options.printPipeline && options.explain)
    return "--print-pipeline lowers nothing that --explain could report";
  if (!options.emitText.empty() && options.targets.empty())
    return "expected --emit=package, prim, program, tile, target, llvm, asm "
           "or binary, found '" +
           options.emitText + "'";
  if (!options.sign.empty() && options.emit != Emit::Package)
    return "--sign is for packages, not for what --emit prints";
  std::string error;
  for (const std::string &spec : options.targets)
    for (StringRef part : splitSpecs(spec))
      if (!kiln::target::TargetOptions::parse(part, error))
        return error;
  return "";
}
} // namespace

bool CompileOptions::parse(llvm::ArrayRef<std::string> args,
                           CompileOptions &options, std::string &error) {
  Arguments arguments(args, error);
  while (!arguments.done()) {
    arguments.advance();
    if (!arguments.isFlag) {
      if (!options.input.empty())
        return arguments.fail("expected one input, found '" + options.input +
                              "' and '" + arguments.flag + "'");
      options.input = arguments.flag.str();
      continue;
    }
    const Flag *flag = findFlag(arguments.flag);
    bool isDump = arguments.flag.starts_with("--print-ir-") ||
                  arguments.flag.starts_with("--mlir-print-ir-");
    if (!flag && !isDump)
      return arguments.fail("unknown flag '" + arguments.flag + "'");
    if (!(flag ? flag->apply(options, arguments)
               : takeDump(options, arguments)))
      return false;
  }
  if (const char *text = std::getenv("KILN_NO_FALLBACK"))
    options.noFallback |= *text == '1';
  if (!addSchedule(options, arguments.schedule, error) ||
      !expandCandidates(options, error))
    return false;
  error = whyExcluded(options);
  return error.empty();
}

void CompileOptions::printHelp(llvm::raw_ostream &os) {
  constexpr size_t kColumn = 24; ///< where help texts begin
  for (const Flag &flag : flags()) {
    if (flag.help.empty())
      continue;
    StringRef synopsis =
        flag.synopsis.empty() ? flag.names.front() : flag.synopsis;
    os << "  " << synopsis;
    size_t used = 2 + synopsis.size();
    auto [line, rest] = flag.help.split('\n');
    if (used + 2 > kColumn) {
      os << "\n";
      used = 0;
    }
    os.indent(kColumn - used) << line << "\n";
    while (!rest.empty()) {
      std::tie(line, rest) = rest.split('\n');
      os.indent(kColumn) << line << "\n";
    }
  }
}
