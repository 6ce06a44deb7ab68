// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulated device finds: accesses outside of allocations, and
// registers that are used before their load was waited for.
#include "CodeObject.h"
#include "Values.h"
#include <algorithm>

using namespace kiln::amd::sim;

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

void AddressMap::add(const void *begin, uint64_t bytes, const char *what,
                     bool isReadOnly) {
  auto address = reinterpret_cast<uint64_t>(begin);
  all[address] = {address, bytes, what, isReadOnly};
  last = nullptr;
}
void AddressMap::remove(const void *begin) {
  all.erase(reinterpret_cast<uint64_t>(begin));
  last = nullptr;
}
const Allocation *AddressMap::nearest(uint64_t address) const {
  auto behind = all.upper_bound(address);
  return behind == all.begin() ? nullptr : &std::prev(behind)->second;
}
const Allocation *AddressMap::search(uint64_t address, uint64_t bytes) {
  const Allocation *found = nearest(address);
  if (!found || address - found->begin >= found->bytes ||
      bytes > found->bytes - (address - found->begin))
    return nullptr;
  last = found;
  return found;
}

static std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

uint8_t *kiln::amd::sim::globalAddress(Wave &wave, unsigned lane,
                                       uint64_t address, unsigned bytes,
                                       bool writes) {
  const Allocation *found = wave.machine->memory->find(address, bytes);
  if (!found) {
    std::string text = "lane " + std::to_string(lane) +
                       (writes ? " writes " : " reads ") +
                       std::to_string(bytes) + " bytes at " + hex(address) +
                       ", which is in no allocation";
    const Allocation *near = wave.machine->memory->nearest(address);
    constexpr uint64_t kFar = uint64_t(1) << 20;
    if (near && address - near->begin < near->bytes + kFar)
      text += ": " + std::to_string(address - near->begin) +
              " bytes behind the beginning of a " + near->what + " of " +
              std::to_string(near->bytes) + " bytes";
    constexpr uint64_t kNull = 4096;
    if (address < kNull && !wave.machine->nullArguments.empty())
      text +=
          ": behind a null pointer. Null are also the hidden arguments " +
          wave.machine->nullArguments +
          ": unsupported: printf, assert, malloc and enqueue in the code of "
          "kernels";
    wave.fail(text);
  }
  if (writes && found->isReadOnly)
    wave.fail("lane " + std::to_string(lane) + " writes to a read-only " +
              found->what);
  // Addresses of the device are those of the host.
  return reinterpret_cast<uint8_t *>(address);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void Wave::fail(const std::string &what) { throw Fault{what}; }

bool Wave::hasOcpFloat8() {
  bool isOcp = machine->isa.hasOcpFloat8;
  if (machine->checks && machine->float8 != Float8Kind::Any &&
      isOcp != (machine->float8 == Float8Kind::Ocp))
    fail(std::string("the instruction takes ") + (isOcp ? "OCP" : "FNUZ") +
         " floats of 8 bits, the buffers hold " + (isOcp ? "FNUZ" : "OCP") +
         " ones");
  return isOcp;
}

void Wave::failRegister(unsigned reg) {
  fail("register v" + std::to_string(reg) + " does not exist");
}

void Wave::wait(const uint32_t (&most)[unsigned(Counter::Count)]) {
  for (unsigned c = 0; c < unsigned(Counter::Count); ++c) {
    if (most[c] >= issued[c] - ended[c])
      continue;
    // Scalar loads end in any order: nothing is sure before all have.
    bool isMixed = c == unsigned(Counter::Lds) && lastScalar > ended[c];
    if (most[c] && (isMixed || c == unsigned(Counter::Scalar)))
      continue;
    ended[c] = issued[c] - most[c];
  }
}

void Wave::settle(uint32_t &mark, bool isScalar, unsigned reg) {
  unsigned counter = (mark & 7) - 1;
  if ((mark >> 3) <= ended[counter] || !machine->checks) {
    mark = 0;
    return;
  }
  const char *names[] = {"vmcnt or loadcnt", "vscnt or storecnt",
                         "lgkmcnt or dscnt", "kmcnt"};
  fail(std::string("register ") +
       (isScalar           ? "s"
        : reg >= kFirstAcc ? "a"
                           : "v") +
       std::to_string(reg >= kFirstAcc && !isScalar ? reg - kFirstAcc : reg) +
       " is used before its load was waited for (" + names[counter] + ")");
}

uint64_t kiln::amd::sim::specialValue(Wave &wave, unsigned which) {
  switch (which) {
  case 0: // src_shared_base
  case 8:
    return uint64_t(kSharedAperture) << 32;
  case 2: // src_private_base
  case 9:
    return uint64_t(kPrivateAperture) << 32;
  case 4: // src_scc
  case 7:
    return wave.scc;
  case 5:
    return wave.mask(kVcc) == 0;
  case 6:
    return wave.exec() == 0;
  default:
    wave.fail("reads a special register that is not simulated");
  }
}

uint64_t kiln::amd::sim::textAddress(const Wave &wave) {
  return wave.machine->code->textAddress();
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> result;
  for (const auto &[name, entry] : entries)
    result.push_back(name);
  std::sort(result.begin(), result.end());
  return result;
}

const Table &Table::get() {
  static const Table table = [] {
    Table t;
    addScalar(t);
    addControl(t);
    addVectorFloats(t);
    addVectorIntegers(t);
    addVectorCompares(t);
    addVectorConversions(t);
    addVectorPacked(t);
    addVectorLanes(t);
    addMemory(t);
    addAtomics(t);
    addLds(t);
    addLdsExchanges(t);
    addMatrix(t);
    addVectorBytes(t);
    addVectorTrig(t);
    addVectorFloat6(t);
    addVectorRandom(t);
    addVectorFloat8(t);
    addScaledConversions(t);
    addSparseMatrix(t);
    addRelative(t);
    return t;
  }();
  return table;
}
