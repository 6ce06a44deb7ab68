//===- Cache.cpp - Answers that are kept ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Isolated/Cache.h"
#include "kiln/Runtime/Package.h"
#include "kiln/Runtime/Trust.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>

using namespace kiln;
using namespace kiln::isolated;
using llvm::StringRef;
namespace fs = std::filesystem;

/// As for packages that `kiln.torch` keeps.
static constexpr uint64_t kDefaultBytes = uint64_t(4) << 30;

static std::string hashOf(StringRef bytes) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes)),
                     /*LowerCase=*/true);
}

/// Where answers are kept: a folder in KILN_CACHE_DIR, which is off where that
/// is empty, else in the user's cache. Empty: nowhere.
static std::string folder() {
  if (const char *given = std::getenv("KILN_CACHE_DIR"))
    return *given ? std::string(given) + "/isolated" : "";
  const char *base = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (base && *base)
    return std::string(base) + "/kiln/isolated";
  return home && *home ? std::string(home) + "/.cache/kiln/isolated" : "";
}

static uint64_t mostBytes() {
  const char *given = std::getenv("KILN_CACHE_SIZE");
  StringRef text(given ? given : "");
  unsigned shift = 0;
  if (!text.empty())
    if (size_t unit = StringRef("KMGT").find(text.back());
        unit != StringRef::npos) {
      shift = 10 * unsigned(unit + 1);
      text = text.drop_back();
    }
  uint64_t number;
  return text.getAsInteger(10, number) ? kDefaultBytes : number << shift;
}

std::string kiln::isolated::cacheKey(llvm::ArrayRef<StringRef> parts) {
  std::string all = "kiln-isolated-1";
  // Sizes keep parts apart.
  for (StringRef part : parts)
    all += ":" + std::to_string(part.size()) + ":" + part.str();
  return hashOf(all);
}

std::string kiln::isolated::fileState(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return "";
  return std::to_string(info.st_dev) + "." + std::to_string(info.st_ino) + "." +
         std::to_string(info.st_size) + "." +
         std::to_string(info.st_mtim.tv_sec) + "." +
         std::to_string(info.st_mtim.tv_nsec) + "." +
         std::to_string(info.st_ctim.tv_nsec);
}

std::optional<Answer> kiln::isolated::findCached(const std::string &key) {
  std::string where = folder();
  if (where.empty() || runtime::checkTrusted(where))
    return std::nullopt;
  std::string path = where + "/" + key;
  if (runtime::checkTrusted(path))
    return std::nullopt;
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return std::nullopt;
  // Its own hash first: a disk may have been full.
  StringRef bytes = (*file)->getBuffer();
  constexpr size_t kHashBytes = 64;
  if (bytes.size() < kHashBytes ||
      hashOf(bytes.drop_front(kHashBytes)) != bytes.take_front(kHashBytes))
    return std::nullopt;
  FrameReader reader;
  std::string error;
  reader.take(bytes.drop_front(kHashBytes));
  std::optional<Frame> frame = reader.next(error);
  if (!frame)
    return std::nullopt;
  // What was used last is removed last.
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return Answer{std::move(frame->head), std::move(frame->body)};
}

/// Removes the files that were used longest ago.
static void prune(const std::string &where, uint64_t most) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(where, error);
       !error && it != fs::directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    files.emplace_back(it->last_write_time(ignored), it->path());
    total += it->file_size(ignored);
  }
  llvm::sort(files);
  for (const auto &[time, path] : files) {
    if (total <= most)
      return;
    std::error_code ignored;
    total -= std::min<uint64_t>(total, fs::file_size(path, ignored));
    fs::remove(path, ignored);
  }
}

void kiln::isolated::keepCached(const std::string &key, const Answer &answer) {
  std::string where = folder();
  if (where.empty())
    return;
  std::error_code error;
  if (!fs::exists(where, error)) {
    fs::create_directories(where, error);
    fs::permissions(where, fs::perms::owner_all, error);
  }
  if (runtime::checkTrusted(where))
    return;
  std::string frame = writeFrame(answer.result, answer.body);
  std::string bytes = hashOf(frame) + frame;
  if (runtime::writeFile(where + "/" + key, bytes.data(), bytes.size()))
    return;
  // Counting all files for each one would cost more than it keeps.
  static std::atomic<unsigned> kept{0};
  if (uint64_t most = mostBytes(); most && kept++ % 64 == 0)
    prune(where, most);
}
