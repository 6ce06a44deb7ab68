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

/// What is compiled, and for which targets.
static std::vector<Flag> targetFlags() {
  using O = CompileOptions;
  return {
      {{"--target"},
       appends(&O::targets),
       "--target=SPEC",
       "the target; repeat it for alternatives in the same package"},
      {{"--load-target"},
       appends(&O::loadTargets),
       "--load-target=LIB",
       "load a plug-in, or a text file with a #kiln.target"},
      {{"--list-targets"},
       sets(&O::listTargets),
       "",
       "list targets and plug-ins"},
      {{"--describe"},
       takeDescribe,
       "--describe=SPEC",
       "print a target's description, options, extension points,\n"
       "lowerings and schedules"},
      {{"--no-fallback"},
       sets(&O::noFallback),
       "",
       "a kernel that no named target takes is an error (also by\n"
       "KILN_NO_FALLBACK=1)"},
      {{"--skip-unknown-targets"},
       sets(&O::skipUnknownTargets),
       "",
       "leave out alternatives whose target no plug-in registers"},
      {{"--frontend"},
       stores(&O::frontend),
       "--frontend=NAME[,KEY=VALUE...]",
       "the frontend that reads the input, and its options (default:\n"
       "by the contents of the input); --list-targets lists them"},
      {{"--entry"},
       takeEntry,
       "--entry=NAME",
       "compile only this function or kernel and what it needs;\n"
       "may be repeated"},
      {{"--elided"},
       takeElided,
       "--elided=KIND",
       "zeros or random: elements of constants that the file leaves\n"
       "out"},
      {{"--trust-input"},
       sets(&O::trustInput),
       "",
       "read bytecode at once, without trying it in another process\n"
       "first: for programs that wrote the bytecode themselves"},
  };
}

/// Decisions of the compiler.
static std::vector<Flag> decisionFlags() {
  using O = CompileOptions;
  return {
      {{"--numerics"},
       takeNumerics,
       "--numerics=MODE,...",
       "what kernels that state no mode may do: contract (fuse\n"
       "multiplications and additions), approx (approximate\n"
       "functions), ftz (flush subnormals to zero), reassoc\n"
       "(regroup sums); strict: none of them"},
      {{"--allow-tf32"},
       sets(&O::allowTf32),
       "",
       "matmuls may read f32 operands as tf32"},
      {{"--no-recover-views"},
       sets(&O::keepPointers),
       "",
       "leave pointer arithmetic of Triton kernels as it is"},
      {{"--schedule"},
       [](CompileOptions &, Arguments &a) { return a.value(a.schedule); },
       "--schedule=FILE",
       "apply a schedule script, which overrides decisions of the\n"
       "compiler, in MLIR's transform dialect (docs/try-a-lowering.md)"},
      {{"--candidates"},
       counts(&O::candidates, 2, 64),
       "--candidates=N",
       "compile N times for each target, with different block sizes;\n"
       "kiln-run --tune compares them on a machine without compiler"},
      {{"--reference-kernels"},
       sets(&O::referenceKernels),
       "",
       "also compile each kernel for 'reference', as an entry of\n"
       "its own; 'kiln-run --check' compares kernels with these"},
  };
}

/// What is written.
static std::vector<Flag> outputFlags() {
  using O = CompileOptions;
  return {
      {{"-o", "--output"},
       stores(&O::output),
       "-o FILE, -oFILE",
       "the file of the result; - is the standard output"},
      {{"--emit"},
       takeEmit,
       "--emit=KIND",
       "write a package (default), or print the IR at the level prim,\n"
       "program, tile, target or llvm, or the kernels as asm or binary"},
      {{"--strip"}, sets(&O::strip), "", "leave the source out of the package"},
      {{"--sign"},
       stores(&O::sign),
       "--sign=KEY",
       "sign the package: PEM file of an Ed25519 private key, as\n"
       "'openssl genpkey -algorithm ed25519' writes it"},
      {{"--explain"},
       takeExplain,
       "--explain[=FILE]",
       "report the target, code and block sizes of each operation and\n"
       "kernel (JSON if FILE ends in .json, a page if in .html)"},
      {{"--trace"},
       stores(&O::trace),
       "--trace=FILE",
       "show the run that kiln-run --trace wrote in the page of --explain"},
      {{"--timing"}, sets(&O::timing), "", "print the time of each pass"},
      {{"--quiet"}, takeQuiet, "", "show no progress bar on a terminal"},
      {{"--progress"},
       takeProgress,
       "--progress=bar|lines",
       "lines: report progress line by line, for programs to read"},
  };
}

/// What is verified and printed on the way.
static std::vector<Flag> checkFlags() {
  using O = CompileOptions;
  return {
      {{"--verify-semantics"},
       sets(&O::verifySemantics),
       "",
       "evaluate the program on random arguments before and after\n"
       "each pass, then run the compiled code, and name the first\n"
       "step that changes a result"},
      {{"--verify-limit"},
       measures(&O::verifySeconds),
       "--verify-limit=SECONDS",
       "with --verify-semantics: time limit of an evaluation (10; 0: none)"},
      {{"--verify-arg"},
       appends(&O::verifyArgs),
       "--verify-arg=FILE.npy[+N], --verify-arg=TYPE:VALUE",
       "with --verify-semantics: the next argument of the kernel"},
      {{"--verify-grid"},
       stores(&O::verifyGrid),
       "--verify-grid=X[,Y[,Z]]",
       "with --verify-semantics: the grid of the kernel"},
      {{"--serialise-twice"},
       sets(&O::serialiseTwice),
       "",
       "serialise the first kernels of a plug-in's target twice, and\n"
       "compare the bytes, as kiln-run --check does"},
      {{"--print-pipeline"},
       sets(&O::printPipeline),
       "",
       "print the passes up to the result of --emit, as\n"
       "'kiln-opt --pass-pipeline' takes them"},
      {{"--save-temps"},
       stores(&O::saveTemps),
       "--save-temps=DIR",
       "write the module after every stage"},
      {{},
       takeDump,
       "--print-ir-after-all, --print-ir-before-all",
       "print the IR around every pass, large constants left out"},
      {{},
       takeDump,
       "--print-ir-after=PASS,...  --print-ir-before=PASS,...",
       "print it around these passes only"},
      {{},
       takeDump,
       "--print-ir-after-change, --print-ir-after-failure",
       "print it after passes that change it; after passes that fail"},
      {{},
       takeDump,
       "--print-ir-module-scope",
       "with these flags: always print the whole module"},
      {{},
       takeDump,
       "--print-ir-tree-dir=DIR",
       "with these flags: print to files in DIR, one for each print"},
  };
}

/// Threads, processes and time.
static std::vector<Flag> processFlags() {
  using O = CompileOptions;
  return {
      {{"--jobs", "-j"},
       counts(&O::jobs, 1, 1024),
       "--jobs=N, -j N",
       "lower kernels on N threads (default: one per core); the\n"
       "result is the same on any number"},
      {{"--in-process"},
       sets(&O::inProcess),
       "",
       "compile in this process, not in a child process: a crash of\n"
       "the compiler then ends this process"},
      {{"--step-limit"},
       measures(&O::stepSeconds),
       "--step-limit=SECONDS",
       "time limit of one pass, lowering or serialiser\n"
       "(KILN_STEP_SECONDS, else 600; 0: none)"},
      {{"--help", "-h"}, sets(&O::help), "", ""},
      {{"--version"}, sets(&O::version), "", ""},
  };
}

/// The flags of one heading of --help.
struct FlagGroup {
  StringRef title;
  std::vector<Flag> flags;
};

/// Every flag, in the order of --help.
const std::vector<FlagGroup> &flagGroups() {
  static const std::vector<FlagGroup> all = {
      {"Input and targets", targetFlags()},
      {"Decisions", decisionFlags()},
      {"Output and reports", outputFlags()},
      {"Checks and debugging", checkFlags()},
      {"Threads and processes", processFlags()},
  };
  return all;
}

const Flag *findFlag(StringRef name) {
  for (const FlagGroup &group : flagGroups())
    for (const Flag &flag : group.flags)
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
      error = "--candidates sets the key candidate of each target, found '" +
              spec + "'";
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
    return "--print-pipeline compiles nothing that --explain could report";
  if (!options.emitText.empty() && options.targets.empty())
    return "expected --emit=package, prim, program, tile, target, llvm, asm "
           "or binary, found '" +
           options.emitText + "'";
  if (!options.sign.empty() && options.emit != Emit::Package)
    return "--sign signs packages: leave out --emit";
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

/// Prints one flag with its help, whose lines begin in one column.
static void printFlag(llvm::raw_ostream &os, const Flag &flag) {
  constexpr size_t kColumn = 24; ///< where help texts begin
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

void CompileOptions::printHelp(llvm::raw_ostream &os) {
  StringRef separator;
  for (const FlagGroup &group : flagGroups()) {
    os << separator << group.title << ":\n";
    separator = "\n";
    for (const Flag &flag : group.flags)
      if (!flag.help.empty())
        printFlag(os, flag);
  }
}
