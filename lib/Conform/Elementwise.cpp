//===- Elementwise.cpp - Programs of operations of one shape --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proposals.h"
#include "Registry.h"
#include "Text.h"
#include "llvm/ADT/StringSet.h"

using namespace kiln::conform;
using llvm::StringRef;

namespace {

/// Operations that keep the bits of NaN.
const llvm::StringSet<> &bitwiseOps() {
  static const llvm::StringSet<> names = {
      "arith.negf",    "arith.select", "arith.bitcast", "math.absf",
      "math.copysign", "prim.where",   "tile.sort"};
  return names;
}

/// Operations of which -0 and +0 are one.
const llvm::StringSet<> &zeroOps() {
  static const llvm::StringSet<> names = {"arith.maxnumf", "arith.minnumf"};
  return names;
}

const llvm::StringSet<> &signedDivisions() {
  static const llvm::StringSet<> names = {
      "arith.divsi", "arith.remsi", "arith.floordivsi", "arith.ceildivsi"};
  return names;
}

void describe(Entry &entry, const Proposal &proposal) {
  entry.variant = proposal.variant;
  entry.isBitwise = bitwiseOps().contains(proposal.op);
  entry.hasFreeZeros = zeroOps().contains(proposal.op);
  entry.profile("elementwise");
  for (const auto *types : {&proposal.operands, &proposal.results})
    for (const std::string &type : *types)
      if (isSmallFloatText(type))
        entry.profile("float8");
}

/// Everything that a program of one form needs.
class Builder {
public:
  Builder(Plan &plan, const Proposal &proposal)
      : plan(plan), proposal(proposal) {}

  Entry &add(StringRef form) {
    Entry &entry = plan.add(proposal.op, proposal.typeText(),
                            proposal.variant.empty()
                                ? form.str()
                                : (form + "." + proposal.variant).str());
    describe(entry, proposal);
    return entry;
  }

  /// A call with values of one class for all operands.
  void call(Entry &entry, StringRef name, const Shape &shape, Fill fill,
            std::array<int64_t, 3> grid = {1, 1, 1}, const Shape &in = {},
            const Shape &out = {}) {
    std::vector<CallArgument> args;
    for (auto [i, type] : llvm::enumerate(proposal.operands))
      args.push_back(of(shape, fillFor(proposal.op, i, type, fill), in));
    if (entry.isKernel)
      for (size_t i = 0; i < proposal.results.size(); ++i)
        args.push_back(of(shape, "plain", out));
    addCall(entry, name, std::move(args), grid);
  }

  bool hasFloat() const { return isFloatText(proposal.operands[0]); }
  /// As many elements as there are tuples of values that hurt.
  int64_t hurting() const {
    int64_t one = hasFloat() ? proposal.operands[0].size() > 5 ? 256 : 52 : 20;
    return proposal.operands.size() == 1 ? 4 * one : one * one;
  }

  void tileForms(bool isFirst);
  void primForms(bool isFirst);

private:
  void stored(KernelText &kernel, const std::string &values,
              llvm::ArrayRef<std::string> coords, const Shape &tile,
              const std::vector<std::string> &outs);
  void flat();
  void rows();
  void high();
  void scalar();

  Plan &plan;
  const Proposal &proposal;
};

/// Stores each result.
void Builder::stored(KernelText &kernel, const std::string &values,
                     llvm::ArrayRef<std::string> coords, const Shape &tile,
                     const std::vector<std::string> &outs) {
  bool isOne = outs.size() == 1;
  for (auto [i, out] : llvm::enumerate(outs))
    kernel.store(isOne ? values : values + "#" + std::to_string(i), out, coords,
                 tile, proposal.results[i]);
}

/// Adds a line with as many results as the operation has; how to name them.
std::string addLine(KernelText &kernel, const Proposal &proposal,
                    const std::string &text) {
  if (proposal.results.size() == 1)
    return kernel.op(text);
  kernel.line("%both:" + llvm::Twine(proposal.results.size()) + " = " + text);
  return "%both";
}

/// Blocks of a view of any size.
void Builder::flat() {
  constexpr int64_t block = 64;
  Entry &entry = add("flat");
  KernelText kernel(entry);
  std::vector<std::string> ins, outs, values;
  for (const std::string &type : proposal.operands)
    ins.push_back(kernel.view({-1}, type));
  for (const std::string &type : proposal.results)
    outs.push_back(kernel.view({-1}, type, /*isWritten=*/true));
  auto ids = kernel.programId();
  for (auto [i, in] : llvm::enumerate(ins))
    values.push_back(kernel.load(in, ids, {block}, proposal.operands[i]));
  stored(kernel,
         addLine(kernel, proposal, proposal.text(values, {block}, false)), ids,
         {block}, outs);
  kernel.finish();
  auto at = [&](StringRef name, int64_t n, Fill fill) {
    call(entry, name, {n}, fill,
         {std::max<int64_t>(1, ceilDiv(n, block)), 1, 1});
  };
  at("n0-plain", 0, "plain");
  at("n1-plain", 1, "plain");
  at("n37-plain", 37, "plain");
  at("n64-plain", 64, "plain");
  at("n200-plain", 200, "plain");
  at("n" + std::to_string(hurting()) + "-hurt", hurting(), "hurt");
  at("n999-bits", 999, "bits");
  if (hasFloat()) {
    at("n300-finite", 300, "finite");
    at("n400-ties", 400, "ties");
  }
}

/// Blocks of odd size, of views with strides.
void Builder::rows() {
  Entry &entry = add("rows");
  KernelText kernel(entry);
  Shape tile = {5, 33}, any = {-1, -1};
  std::vector<std::string> ins, outs, values;
  for (const std::string &type : proposal.operands)
    ins.push_back(kernel.view(any, type, false, any));
  for (const std::string &type : proposal.results)
    outs.push_back(kernel.view(any, type, /*isWritten=*/true, any));
  auto ids = kernel.programId(2);
  for (auto [i, in] : llvm::enumerate(ins))
    values.push_back(kernel.load(in, ids, tile, proposal.operands[i]));
  stored(kernel, addLine(kernel, proposal, proposal.text(values, tile, false)),
         ids, tile, outs);
  kernel.finish();
  call(entry, "padded-plain", {12, 70}, "plain", {3, 3, 1}, {75, 1}, {71, 1});
  call(entry, "columns-plain", {12, 70}, "plain", {3, 3, 1}, {1, 13}, {70, 1});
  call(entry, "scattered-hurt", {12, 70}, "hurt", {3, 3, 1}, {150, 2}, {1, 12});
  call(entry, "repeated-plain", {12, 70}, "plain", {3, 3, 1}, {0, 1}, {80, 1});
  call(entry, "small-bits", {4, 3}, "bits", {1, 1, 1}, {3, 1}, {3, 1});
}

/// Tiles of four dimensions, of a view of a size that is known.
void Builder::high() {
  Entry &entry = add("high");
  KernelText kernel(entry);
  Shape view = {4, 3, 2, 5}, tile = {2, 3, 2, 5};
  std::vector<std::string> ins, outs, values;
  for (const std::string &type : proposal.operands)
    ins.push_back(kernel.view(view, type));
  for (const std::string &type : proposal.results)
    outs.push_back(kernel.view(view, type, /*isWritten=*/true));
  auto ids = kernel.programId();
  std::string zero = kernel.index(0);
  std::vector<std::string> at = {ids[0], zero, zero, zero};
  for (auto [i, in] : llvm::enumerate(ins))
    values.push_back(kernel.load(in, at, tile, proposal.operands[i]));
  stored(kernel, addLine(kernel, proposal, proposal.text(values, tile, false)),
         at, tile, outs);
  kernel.finish();
  call(entry, "plain", view, "plain", {2, 1, 1});
  call(entry, "hurt", view, "hurt", {2, 1, 1});
  call(entry, "bits", view, "bits", {2, 1, 1});
}

/// Scalars, handed over as such.
void Builder::scalar() {
  Entry &entry = add("scalar");
  entry.isProposal = true;
  KernelText kernel(entry);
  std::vector<std::string> values, outs;
  for (const std::string &type : proposal.operands)
    values.push_back(kernel.scalar(type));
  for (const std::string &type : proposal.results)
    outs.push_back(kernel.view({1}, type, /*isWritten=*/true));
  std::string zero = kernel.index(0);
  std::string result =
      addLine(kernel, proposal, proposal.text(values, {}, true));
  for (auto [i, out] : llvm::enumerate(outs)) {
    std::string one =
        outs.size() == 1 ? result : result + "#" + std::to_string(i);
    std::string tile = kernel.op("tile.splat " + one + " : " +
                                 tensorText({1}, proposal.results[i]));
    kernel.store(tile, out, {zero}, {1}, proposal.results[i]);
  }
  kernel.finish();
  for (auto [name, fill] : {std::pair("plain-a", "plain"),
                            {"plain-b", "plain"},
                            {"bits-a", "bits"},
                            {"bits-b", "bits"},
                            {"finite", "finite"}}) {
    std::vector<CallArgument> args;
    for (auto [i, type] : llvm::enumerate(proposal.operands))
      args.push_back(of({}, fillFor(proposal.op, i, type, fill)));
    for (size_t i = 0; i < outs.size(); ++i)
      args.push_back(of({1}));
    addCall(entry, name, std::move(args));
  }
}

void Builder::tileForms(bool isFirst) {
  flat();
  bool converts = proposal.operands.size() == 1 &&
                  proposal.results[0] != proposal.operands[0] &&
                  proposal.results[0] != "i1";
  if (isFirst && !converts)
    rows();
  if (isFirst && !converts)
    high();
  if (isFirst)
    scalar();
}

void Builder::primForms(bool isFirst) {
  auto form = [&](StringRef name, const Shape &shape) -> Entry & {
    Entry &entry = add(name);
    std::vector<std::string> operands, values;
    for (auto [i, type] : llvm::enumerate(proposal.operands)) {
      operands.push_back(tensorText(shape, type));
      values.push_back("%a" + std::to_string(i));
    }
    primFunction(entry, operands, tensorText(shape, proposal.results[0]),
                 "%r = " + proposal.text(values, shape, false));
    return entry;
  };
  Entry &any = form("any", {-1, -1});
  call(any, "0x5-plain", {0, 5}, "plain");
  call(any, "1x1-plain", {1, 1}, "plain");
  call(any, "3x37-plain", {3, 37}, "plain");
  call(any, "16x64-plain", {16, 64}, "plain");
  int64_t n = hurting();
  call(any, "hurt", {4, n / 4}, "hurt");
  call(any, "37x27-bits", {37, 27}, "bits");
  if (hasFloat()) {
    call(any, "20x20-ties", {20, 20}, "ties");
    call(any, "10x31-finite", {10, 31}, "finite");
  }
  if (!isFirst)
    return;
  Entry &odd = form("odd", {5, 37});
  call(odd, "plain", {5, 37}, "plain");
  call(odd, "hurt", {5, 37}, "hurt");
  call(odd, "bits", {5, 37}, "bits");
  Entry &high = form("high", {2, 1, 3, 2, 5});
  call(high, "plain", {2, 1, 3, 2, 5}, "plain");
  call(high, "bits", {2, 1, 3, 2, 5}, "bits");
  Entry &scalar = form("scalar", {});
  call(scalar, "plain", {}, "plain");
  call(scalar, "bits", {}, "bits");
  Entry &empty = form("empty", {3, 0});
  call(empty, "plain", {3, 0}, "plain");
}

/// Dialects whose operations a tile program may have, beside those of plug-ins.
bool isOfTile(StringRef dialect) {
  return dialect == "arith" || dialect == "math" || dialect == "tile" ||
         pluginDialects().contains(dialect);
}

} // namespace

void kiln::conform::addElementwise(
    Plan &plan, StringRef level,
    llvm::function_ref<bool(StringRef op)> mayBeWanted,
    std::set<std::string> &covered) {
  const Registry &registry = Registry::get();
  for (mlir::RegisteredOperationName name :
       plan.context.getRegisteredOperations()) {
    StringRef op = name.getStringRef(), dialect = name.getDialectNamespace();
    bool isHere = level == "prim" ? dialect == "prim" : isOfTile(dialect);
    if (!isHere || registry.recipes.count(op.str()) ||
        registry.exemptions.count(op.str()))
      continue;
    if (!mayBeWanted(op)) {
      if (hasProposal(name, plan.context))
        covered.insert(op.str());
      continue;
    }
    llvm::StringSet<> seen;
    for (const Proposal &proposal : proposalsFor(name, plan.context)) {
      // -1 is all that i1 could be divided by, and -1 / -1 has no value.
      if (proposal.operands[0] == "i1" && signedDivisions().contains(op))
        continue;
      Builder builder(plan, proposal);
      bool isFirst = seen.insert(proposal.typeText()).second;
      if (level == "prim")
        builder.primForms(isFirst);
      else
        builder.tileForms(isFirst);
    }
  }
}
