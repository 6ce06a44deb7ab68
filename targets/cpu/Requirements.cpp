//===- Requirements.cpp - What compiled code needs of a machine -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Requirements.h"
#include "device/CodeFeatures.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Triple.h"

using namespace kiln;
using namespace kiln::cpu_target;
using llvm::StringRef;

template <typename Table>
static bool isListed(const Table &table, StringRef name) {
  return llvm::any_of(table, [&](const auto &feature) {
    return std::string_view(name) == feature.name;
  });
}

/// The longest N of the features zvlNb, which say how long registers are at
/// least; 0 without any.
static int64_t leastLength(llvm::ArrayRef<std::string> features) {
  int64_t least = 0;
  for (StringRef name : features) {
    int64_t bits = 0;
    if (name.consume_front("zvl") && name.consume_back("b") &&
        !name.getAsInteger(10, bits))
      least = std::max(least, bits);
  }
  return least;
}

static void require(std::vector<std::string> &requirements,
                    std::string_view prefix, int64_t bits) {
  requirements.push_back(std::string(prefix) + std::to_string(bits));
}

static void keepArm(target::TargetAttr description,
                    std::vector<std::string> &requirements) {
  llvm::erase_if(requirements,
                 [](StringRef name) { return !isListed(kArmFeatures, name); });
  auto unit = description.getUnitOfKind(target::UnitKind::Vector);
  if (unit && unit.getBits() > 128 && llvm::is_contained(requirements, "sve"))
    require(requirements, kVectorBits, unit.getBits());
  constexpr int64_t kLeastBits = 128;
  mlir::DictionaryAttr extra = description.getExtra();
  if (auto scale = extra ? extra.getAs<mlir::IntegerAttr>("streaming_vscale")
                         : mlir::IntegerAttr())
    require(requirements, kStreamingBits, scale.getInt() * kLeastBits);
}

static void keepRiscv(std::vector<std::string> &requirements) {
  int64_t least = leastLength(requirements);
  // Instructions of a vendor can stand anywhere, but for those that only
  // a program asks for.
  llvm::erase_if(requirements, [](StringRef name) {
    return !isListed(kRiscvFeatures, name) &&
           (!name.starts_with("x") || name.starts_with("xsf") ||
            name.starts_with("xsmt"));
  });
  if (least)
    require(requirements, kVectorBits, least);
}

void cpu_target::keepRequirements(target::TargetAttr description,
                                  std::vector<std::string> &requirements) {
  if (!description)
    return;
  llvm::Triple triple(description.getTriple());
  if (triple.isAArch64())
    keepArm(description, requirements);
  else if (triple.isRISCV())
    keepRiscv(requirements);
  else
    llvm::erase_if(requirements,
                   [](StringRef name) { return isUnusedX86Feature(name); });
  requirements.push_back(triple.getArchName().str());
}
