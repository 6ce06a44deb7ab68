//===- Link.cpp - From an object to a code object -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Link.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

/// The path of the linker, or nothing.
static std::string findLinker(const target::TargetOptions &options) {
  StringRef given = options.get("lld", "");
  if (!given.empty())
    return llvm::sys::fs::can_execute(given) ? given.str() : "";
  for (StringRef name : {"ld.lld-22", "ld.lld"}) {
    SmallVector<SmallVector<StringRef, 1>, 2> places = {{KILN_LLVM_TOOLS}, {}};
    for (ArrayRef<StringRef> place : places)
      if (auto found = llvm::sys::findProgramByName(name, place))
        return *found;
  }
  return "";
}

FailureOr<std::string> amd::linkObject(ModuleOp module, StringRef object,
                                       const target::TargetOptions &options) {
  std::string linker = findLinker(options);
  if (linker.empty())
    return module.emitError("expected LLVM's linker ld.lld (package lld-22, or "
                            "lld=PATH), found none that can be run");
  SmallString<128> from, to, log;
  int file = 0;
  if (llvm::sys::fs::createTemporaryFile("kiln-amd", "o", file, from))
    return module.emitError("cannot make a temporary file");
  llvm::FileRemover removeFrom(from);
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << object;
  if (llvm::sys::fs::createTemporaryFile("kiln-amd", "hsaco", to) ||
      llvm::sys::fs::createTemporaryFile("kiln-amd", "log", log))
    return module.emitError("cannot make a temporary file");
  llvm::FileRemover removeTo(to), removeLog(log);
  constexpr unsigned kSeconds = 120;
  std::optional<StringRef> streams[] = {StringRef(""), StringRef(log),
                                        StringRef(log)};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(
      linker, {linker, "-shared", "--no-undefined", "-o", to, from},
      std::nullopt, streams, kSeconds, 0, &problem);
  auto said = llvm::MemoryBuffer::getFile(log);
  if (status) {
    if (problem.empty() && said)
      problem = (*said)->getBuffer().split('\n').first.str();
    return module.emitError("the linker ")
           << linker << " fails with status " << status << ": " << problem;
  }
  auto linked = llvm::MemoryBuffer::getFile(to);
  if (!linked)
    return module.emitError("the linker ") << linker << " has written nothing";
  return (*linked)->getBuffer().str();
}

static std::vector<KernelFacts> readKernels(llvm::msgpack::Document &document) {
  std::vector<KernelFacts> result;
  llvm::msgpack::DocNode &root = document.getRoot();
  if (!root.isMap())
    return result;
  llvm::msgpack::DocNode &kernels = root.getMap()["amdhsa.kernels"];
  if (!kernels.isArray())
    return result;
  for (llvm::msgpack::DocNode &kernel : kernels.getArray()) {
    if (!kernel.isMap())
      continue;
    auto number = [&](StringRef key) -> int64_t {
      llvm::msgpack::DocNode &node = kernel.getMap()[key];
      return node.getKind() == llvm::msgpack::Type::UInt
                 ? int64_t(node.getUInt())
             : node.getKind() == llvm::msgpack::Type::Int ? node.getInt()
                                                          : 0;
    };
    KernelFacts facts;
    llvm::msgpack::DocNode &name = kernel.getMap()[".name"];
    if (name.isString())
      facts.name = name.getString().str();
    facts.vectorRegisters = number(".vgpr_count");
    facts.accumulationRegisters = number(".agpr_count");
    facts.scalarRegisters = number(".sgpr_count");
    facts.vectorSpills = number(".vgpr_spill_count");
    facts.scalarSpills = number(".sgpr_spill_count");
    facts.ldsBytes = number(".group_segment_fixed_size");
    facts.scratchBytes = number(".private_segment_fixed_size");
    result.push_back(std::move(facts));
  }
  return result;
}

std::vector<KernelFacts> amd::readFacts(StringRef codeObject) {
  auto file = llvm::object::ELF64LEFile::create(codeObject);
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  auto headers = file->program_headers();
  if (!headers) {
    llvm::consumeError(headers.takeError());
    return {};
  }
  for (const auto &header : *headers) {
    if (header.p_type != llvm::ELF::PT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    std::vector<KernelFacts> found;
    for (const auto &note : file->notes(header, error)) {
      if (note.getName() != "AMDGPU" ||
          note.getType() != llvm::ELF::NT_AMDGPU_METADATA)
        continue;
      llvm::msgpack::Document document;
      StringRef bytes = note.getDescAsStringRef(4);
      if (document.readFromBlob(bytes, /*Multi=*/false))
        found = readKernels(document);
    }
    llvm::consumeError(std::move(error));
    if (!found.empty())
      return found;
  }
  return {};
}
