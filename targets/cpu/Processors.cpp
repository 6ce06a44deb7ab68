//===- Processors.cpp - What the names of chips stand for -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Processors.h"
#include "kiln/LLVM/Serialize.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"

using namespace kiln;
using namespace kiln::cpu_target;
using llvm::StringRef;

/// The triple of code for an architecture: that of the compiling machine where
/// it is one of these.
static llvm::Triple tripleOf(const Architecture &architecture) {
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  return host.getArch() == architecture.arch
             ? host
             : llvm::Triple(architecture.triple);
}

static const Architecture &hostArchitecture() {
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  for (const Architecture &architecture : architectures())
    if (architecture.arch == host.getArch())
      return architecture;
  return architectures().front();
}

/// The architectures, that of the compiling machine first: its names count
/// where others have them, too.
static llvm::SmallVector<const Architecture *> hostFirst() {
  llvm::SmallVector<const Architecture *> all = {&hostArchitecture()};
  for (const Architecture &architecture : architectures())
    if (&architecture != all.front())
      all.push_back(&architecture);
  return all;
}

static std::unique_ptr<llvm::MCSubtargetInfo>
makeSubtarget(const llvm::Triple &triple, StringRef cpu, StringRef features) {
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      backend ? backend->createMCSubtargetInfo(triple, cpu, features)
              : nullptr);
}

/// Why code of the runtime's calling convention cannot be for a processor;
/// empty where it can.
static StringRef reasonAgainst(const llvm::MCSubtargetInfo &processor) {
  const llvm::Triple &triple = processor.getTargetTriple();
  if (triple.isAArch64())
    return processor.checkFeatures("+neon") ? "" : "has no NEON";
  if (!processor.checkFeatures("+64bit"))
    return "has no 64-bit mode";
  if (triple.isRISCV() && !processor.checkFeatures("+m,+a,+d"))
    return "lacks the extensions M, A and D";
  return "";
}

/// The chips of an architecture that are named first, shortest first.
static std::string listChips(const Architecture &architecture) {
  llvm::SmallVector<StringRef> names;
  for (const NamedChip &chip : architecture.chips)
    names.push_back(chip.name);
  llvm::sort(names, [](StringRef x, StringRef y) {
    return std::pair(x.size(), x) < std::pair(y.size(), y);
  });
  return llvm::join(names, ", ") + ", or another processor of " +
         architecture.name.str() + " that LLVM knows";
}

/// The architecture whose chips' names a name resembles most; that of the
/// compiling machine where it resembles none.
static const Architecture &guessArchitecture(StringRef chip) {
  const Architecture *best = &hostArchitecture();
  unsigned bestDistance = unsigned(chip.size() / 2) + 1;
  auto offer = [&](const Architecture *architecture, StringRef name) {
    unsigned distance = chip.edit_distance(name, true, bestDistance);
    // A name that goes on where the wrong one ends is near, however long.
    if (chip.size() > 2 && name.starts_with(chip))
      distance = 0;
    if (distance < bestDistance) {
      best = architecture;
      bestDistance = distance;
    }
  };
  for (const Architecture *architecture : hostFirst()) {
    for (const NamedChip &named : architecture->chips)
      offer(architecture, named.name);
    auto general = makeSubtarget(tripleOf(*architecture), "", "");
    if (!general)
      continue;
    for (const llvm::SubtargetSubTypeKV &entry :
         general->getAllProcessorDescriptions())
      offer(architecture, entry.Key);
  }
  return *best;
}

/// Fills in what a table says of a chip.
static void readNamed(const NamedChip &named, Processor &processor) {
  processor.cpu = (named.cpu.empty() ? named.name : named.cpu).str();
  processor.features = named.features.str();
  processor.tune = named.tune.str();
  processor.l1 = named.l1 << 10;
  processor.l2 = named.l2 << 10;
  processor.l3 = named.l3 << 10;
  processor.line = named.line;
  processor.pipes = named.pipes;
  processor.vectorBits = named.vectorBits;
  processor.group = named.group;
  processor.streamingBits = named.streamingBits;
}

/// Finds a chip among those of the tables, then among LLVM's.
static bool findByName(StringRef chip, Processor &processor) {
  for (const Architecture &architecture : architectures())
    for (const NamedChip &named : architecture.chips)
      if (named.name == chip) {
        processor.architecture = &architecture;
        readNamed(named, processor);
        return true;
      }
  for (const Architecture *architecture : hostFirst()) {
    auto general = makeSubtarget(tripleOf(*architecture), "", "");
    if (!general || !general->isCPUStringValid(chip))
      continue;
    processor.architecture = architecture;
    processor.cpu = chip.str();
    return true;
  }
  return false;
}

/// The features of the compiling machine that its processor's name does not say
/// already. LLVM reads the list for each module and each function.
static std::string featuresBesideName(const Processor &processor) {
  llvm::Triple triple = tripleOf(*processor.architecture);
  auto all = makeSubtarget(triple, processor.cpu, processor.features);
  auto named = makeSubtarget(triple, processor.cpu, "");
  if (!all || !named)
    return processor.features;
  llvm::StringSet<> known;
  for (const auto &feature : named->getEnabledProcessorFeatures())
    known.insert(feature.Key);
  llvm::SmallVector<StringRef> features;
  StringRef(processor.features).split(features, ',');
  llvm::erase_if(features, [&](StringRef feature) {
    bool isOn = !feature.consume_front("-");
    feature.consume_front("+");
    return known.contains(feature) == isOn;
  });
  std::string text = llvm::join(features, ",");
  auto brief = makeSubtarget(triple, processor.cpu, text);
  // Features that are switched off switch off those that are made of them.
  return brief->getFeatureBits() == all->getFeatureBits() ? text
                                                          : processor.features;
}

Processor cpu_target::findProcessor(StringRef chip, std::string &problem) {
  cpu::initializeBackends();
  Processor processor;
  processor.chip = chip.empty() ? "native" : chip.str();
  if (processor.chip == "native") {
    processor.architecture = &hostArchitecture();
    readMachine(processor);
    static const std::string brief = featuresBesideName(processor);
    processor.features = brief;
  } else if (!findByName(chip, processor)) {
    problem = "target 'cpu' has no chip '" + chip.str() +
              "', expected native, " + listChips(guessArchitecture(chip));
    return processor;
  }
  processor.triple = tripleOf(*processor.architecture);
  processor.subtarget =
      makeSubtarget(processor.triple, processor.cpu, processor.features);
  StringRef reason;
  if (!processor.subtarget)
    problem = "target 'cpu' has no code generator for '" +
              processor.triple.str() + "'";
  else if (reason = reasonAgainst(*processor.subtarget); !reason.empty())
    problem = "unsupported: chip '" + processor.chip + "' " + reason.str() +
              ", expected native, " + listChips(*processor.architecture);
  if (!problem.empty())
    processor.subtarget.reset();
  return processor;
}
