// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Disassembler.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace kiln::amd::sim;

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

Disassembler::~Disassembler() = default;

namespace {
class AmdDisassembler : public Disassembler {
public:
  bool prepare(const std::string &chip, unsigned lanes, std::string &problem) {
    static std::once_flag once;
    std::call_once(once, [] {
      LLVMInitializeAMDGPUTargetInfo();
      LLVMInitializeAMDGPUTargetMC();
      LLVMInitializeAMDGPUDisassembler();
    });
    llvm::Triple triple("amdgcn-amd-amdhsa");
    const llvm::Target *target =
        llvm::TargetRegistry::lookupTarget(triple, problem);
    if (!target)
      return false;
    registers.reset(target->createMCRegInfo(triple));
    assembly.reset(target->createMCAsmInfo(*registers, triple, options));
    instructions.reset(target->createMCInstrInfo());
    // CDNA has waves of 64 lanes only, and no name for that.
    bool isWide = lanes == 64 && chip.rfind("gfx9", 0) != 0;
    subtarget.reset(target->createMCSubtargetInfo(
        triple, chip, isWide ? "-wavefrontsize32,+wavefrontsize64" : ""));
    if (!subtarget->isCPUStringValid(chip)) {
      problem = "LLVM does not know the chip '" + chip + "'";
      return false;
    }
    context = std::make_unique<llvm::MCContext>(
        triple, assembly.get(), registers.get(), subtarget.get());
    decoder.reset(target->createMCDisassembler(*subtarget, *context));
    printer.reset(
        target->createMCInstPrinter(triple, assembly->getAssemblerDialect(),
                                    *assembly, *instructions, *registers));
    return true;
  }

  uint32_t print(const uint8_t *bytes, uint64_t size, uint64_t address,
                 std::string &text) const override {
    llvm::MCInst inst;
    uint64_t used = 0;
    auto status = decoder->getInstruction(inst, used,
                                          llvm::ArrayRef<uint8_t>(bytes, size),
                                          address, llvm::nulls());
    if (status != llvm::MCDisassembler::Success)
      return 0;
    text.clear();
    llvm::raw_string_ostream os(text);
    printer->printInst(&inst, address, "", *subtarget, os);
    size_t begin = text.find_first_not_of(" \t");
    text = begin == std::string::npos ? "" : text.substr(begin);
    for (char &c : text)
      c = c == '\t' ? ' ' : c;
    return uint32_t(used);
  }

private:
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> decoder;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};
} // namespace

std::unique_ptr<Disassembler> Disassembler::create(const std::string &chip,
                                                   unsigned lanes,
                                                   std::string &problem) {
  auto made = std::make_unique<AmdDisassembler>();
  if (!made->prepare(chip, lanes, problem))
    return nullptr;
  return made;
}
