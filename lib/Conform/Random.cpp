//===- Random.cpp - Random programs ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Random.h"
#include "Proposals.h"
#include "Registry.h"
#include "Text.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// splitmix64.
class Numbers {
public:
  explicit Numbers(uint64_t seed) : state(seed * 0xd1342543de82ef95u + 1) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t n) { return next() % n; }
  template <typename T> const T &pick(llvm::ArrayRef<T> from) {
    return from[below(from.size())];
  }

private:
  uint64_t state;
};

/// Functions whose results are rounded in a way of the target's own.
bool isNear(StringRef op) {
  static const llvm::StringSet<> exact = {
      "math.absf", "math.copysign", "math.ceil", "math.floor",     "math.trunc",
      "math.sqrt", "math.round",    "math.fma",  "math.roundeven", "math.absi",
      "math.ctlz", "math.cttz",     "math.ctpop"};
  return op.starts_with("math.") && !exact.contains(op);
}

/// Functions that jump: a small error before them is a large one behind.
bool jumps(StringRef op) {
  static const llvm::StringSet<> names = {
      "math.ceil",  "math.floor",     "math.trunc",
      "math.round", "math.roundeven", "arith.remf",
      "math.tan",   "math.copysign",  "tile.convert_float"};
  return names.contains(op);
}

/// Operations of one type alone, by that type.
using Pool = std::map<std::string, std::vector<Proposal>>;

Pool makePool(mlir::MLIRContext &context) {
  Pool pool;
  const Registry &registry = Registry::get();
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    StringRef dialect = name.getDialectNamespace();
    std::string op = name.getStringRef().str();
    bool isOfTile = dialect == "arith" || dialect == "math" ||
                    pluginDialects().contains(dialect);
    if (!isOfTile || registry.recipes.count(op) ||
        registry.restrictions.count(op))
      continue;
    for (const Proposal &proposal : proposalsFor(name, context)) {
      auto isFirst = [&](const std::string &type) {
        return type == proposal.operands[0];
      };
      if (proposal.results.size() == 1 && proposal.variant.empty() &&
          llvm::all_of(proposal.operands, isFirst) &&
          isFirst(proposal.results[0]))
        pool[proposal.operands[0]].push_back(proposal);
    }
  }
  return pool;
}

/// One program.
class RandomProgram {
public:
  RandomProgram(Plan &plan, const Pool &pool, uint64_t seed, unsigned number,
                const Simpler &simpler)
      : pool(pool), seed(seed * 1000003 + number), numbers(this->seed),
        simpler(simpler),
        drawn(numbers.pick<StringRef>({"f32", "f32", "f64", "bf16", "f16",
                                       "i32", "i32", "i64", "i8", "i16"})),
        type(!is("type")          ? drawn
             : isFloatText(drawn) ? "f32"
                                  : "i32"),
        entry(plan.add("random", type, "program" + Twine(number))),
        kernel(entry) {
    isSmooth = numbers.below(2);
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 16, 17, 33};
    tile = {numbers.pick<int64_t>(sizes), numbers.pick<int64_t>(sizes)};
    for (size_t dim = 0; dim < tile.size(); ++dim)
      if (simpler.tile[dim])
        tile[dim] = std::min(tile[dim], simpler.tile[dim]);
  }

  void write() {
    entry.isProposal = true;
    entry.isChained = true;
    entry.hasFreeZeros = isFloatText(type);
    entry.profile("random");
    Shape any = {-1, -1};
    constexpr unsigned kInputs = 3;
    std::vector<std::string> ins;
    for (unsigned i = 0; i < kInputs; ++i)
      ins.push_back(kernel.view(any, type, false, any));
    std::string out = kernel.view(any, type, true, any);
    auto ids = kernel.programId(2);
    zero = kernel.index(0);
    one = kernel.index(1);
    id = ids[0];
    for (const std::string &in : ins)
      values.push_back(kernel.load(in, ids, tile, type));
    for (unsigned step = 0; step < kRandomSteps; ++step) {
      Numbers own(seed * 64 + step + 7);
      values.push_back(simpler.dropped.count(step) ? values[0] : add(own));
    }
    kernel.store(values.back(), out, ids, tile, type);
    kernel.finish();
    int64_t m = is("block") ? tile[0] : 2 * tile[0] + 1;
    int64_t n = is("block") ? tile[1] : 2 * tile[1];
    for (const char *name : {"plain", "seldom"}) {
      bool hurts = StringRef(name) == "seldom";
      // Errors that are multiplied leave numbers that hurt without a bound.
      if (hurts &&
          (is("plain") || is("ones") || (isFloatText(type) && isSmooth)))
        continue;
      Fill fill = is("ones") ? Fill::value(1) : Fill(name);
      std::vector<CallArgument> args;
      const std::array<Shape, 4> strides = {
          Shape{n + 3, 1}, {1, m}, {0, 1}, {n + 1, 1}};
      for (const Shape &gaps : strides)
        args.push_back(of({m, n}, fill, is("rows") ? Shape{n, 1} : gaps));
      if (!is("ones"))
        args.back().fill = "plain";
      addCall(entry, name, args,
              is("block") ? std::array<int64_t, 3>{1, 1, 1}
                          : std::array<int64_t, 3>{3, 2, 1});
    }
  }

private:
  bool is(const char *way) const { return simpler.ways.count(way); }

  std::string operand(Numbers &own) { return values[own.below(values.size())]; }

  std::string add(Numbers &own) {
    switch (own.below(8)) {
    case 0:
      return reduced(own);
    case 1:
      return scanned(own);
    case 2:
      return looped(own);
    case 3:
      return chosen(own);
    default:
      return elementwise(own);
    }
  }

  std::string elementwise(Numbers &own) {
    const std::vector<Proposal> &all = pool.at(drawn.str());
    for (;;) {
      const Proposal &proposal = all[own.below(all.size())];
      if (isFloatText(type) &&
          (isSmooth ? jumps(proposal.op) : isNear(proposal.op)))
        continue;
      std::vector<std::string> operands;
      for (size_t i = 0; i < proposal.operands.size(); ++i)
        operands.push_back(operand(own));
      const std::vector<Proposal> &here = pool.at(type.str());
      auto same = llvm::find_if(here, [&](const Proposal &other) {
        return other.op == proposal.op &&
               other.attributes == proposal.attributes;
      });
      return same == here.end() ? operands.front()
                                : kernel.op(same->text(operands, tile, false));
    }
  }

  const char *combiner(Numbers &own) {
    static const char *const floats[] = {"maximumf", "minimumf", "maxnumf"};
    static const char *const ints[] = {"addi", "maxsi", "minui", "xori",
                                       "muli"};
    return isFloatText(type) ? floats[own.below(3)] : ints[own.below(5)];
  }

  std::string region(Numbers &own) {
    return fillIn("{\n  ^bb0(%left: $T, %right: $T):\n    %both = arith.$op "
                  "%left, %right : $T\n    tile.yield %both : $T\n  }",
                  {{"T", type.str()}, {"op", combiner(own)}});
  }

  /// A row or column of results, repeated.
  std::string reduced(Numbers &own) {
    size_t axis = own.below(2);
    Shape rest = {tile[1 - axis]}, thin = tile;
    thin[axis] = 1;
    std::string x = operand(own);
    std::string r =
        kernel.op("tile.reduce " + Twine(x) + " axis " + Twine(axis) + " : " +
                  tensorText(tile, type) + " -> " + tensorText(rest, type) +
                  " " + region(own));
    std::string e = kernel.op("tile.expand_dims " + Twine(r) + " axis " +
                              Twine(axis) + " : " + tensorText(rest, type) +
                              " -> " + tensorText(thin, type));
    return kernel.op("tile.broadcast " + Twine(e) + " : " +
                     tensorText(thin, type) + " -> " + tensorText(tile, type));
  }

  std::string scanned(Numbers &own) {
    std::string x = operand(own), T = tensorText(tile, type);
    return kernel.op("tile.scan " + Twine(x) + " axis " + Twine(own.below(2)) +
                     (own.below(2) ? " reverse" : "") + " : " + T + " -> " + T +
                     " " + region(own));
  }

  std::string looped(Numbers &own) {
    std::string end = kernel.index(int64_t(own.below(4)));
    std::string T = tensorText(tile, type), n = std::to_string(loops++);
    return kernel.op(fillIn(
        "scf.for %i$n = $zero to $end step $one iter_args(%c$n = $x) -> ($T) "
        "{\n"
        "    %d$n = arith.$op %c$n, $y : $T\n    scf.yield %d$n : $T\n  }",
        {{"n", n},
         {"zero", zero},
         {"one", one},
         {"end", end},
         {"x", operand(own)},
         {"y", operand(own)},
         {"T", T},
         {"op", combiner(own)}}));
  }

  std::string chosen(Numbers &own) {
    std::string c =
        kernel.op("arith.cmpi slt, " + Twine(id) + ", " + one + " : index");
    std::string T = tensorText(tile, type);
    return kernel.op("scf.if " + Twine(c) + " -> (" + T +
                     ") {\n    scf.yield " + operand(own) + " : " + T +
                     "\n  } else {\n    scf.yield " + operand(own) + " : " + T +
                     "\n  }");
  }

  const Pool &pool;
  uint64_t seed;
  Numbers numbers;
  const Simpler &simpler;
  StringRef drawn; ///< what operations were chosen for
  StringRef type;
  Entry &entry;
  KernelText kernel;
  bool isSmooth = false;
  Shape tile;
  std::string zero, one, id;
  std::vector<std::string> values;
  unsigned loops = 0;
};

} // namespace

void kiln::conform::addRandomPrograms(Plan &plan, uint64_t seed, unsigned first,
                                      unsigned last, const Simpler &simpler) {
  Pool pool = makePool(plan.context);
  for (unsigned number = first; number < last; ++number)
    RandomProgram(plan, pool, seed, number, simpler).write();
}
