// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "kiln/Runtime/Trust.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace kiln::runtime;
namespace fs = std::filesystem;

namespace {

/// The name of the user if `group` is the one that is made with the user and
/// has no other members; systems with such groups let them write everywhere.
bool isPrivateGroup(gid_t group) {
  std::vector<char> bytes(1 << 14), more(1 << 16);
  passwd user, *foundUser = nullptr;
  struct group about, *foundGroup = nullptr;
  if (getpwuid_r(geteuid(), &user, bytes.data(), bytes.size(), &foundUser) ||
      !foundUser || user.pw_gid != group ||
      getgrgid_r(group, &about, more.data(), more.size(), &foundGroup) ||
      !foundGroup || std::strcmp(about.gr_name, user.pw_name) != 0)
    return false;
  for (char **member = about.gr_mem; *member; ++member)
    if (std::strcmp(*member, user.pw_name) != 0)
      return false;
  return true;
}

/// Why others may write to what `info` describes, or nothing.
std::string whoElseWrites(const struct stat &info, bool isOnTheWay) {
  char text[80];
  if (info.st_uid != geteuid() && info.st_uid != 0) {
    std::snprintf(text, sizeof text, "belongs to another user (%u)",
                  unsigned(info.st_uid));
    return text;
  }
  bool isSticky = isOnTheWay && (info.st_mode & S_ISVTX);
  bool group = (info.st_mode & S_IWGRP) && info.st_gid != 0;
  if (isSticky ||
      (!(info.st_mode & S_IWOTH) && (!group || isPrivateGroup(info.st_gid))))
    return "";
  std::snprintf(text, sizeof text, "may be written by other users (mode %04o)",
                unsigned(info.st_mode & 07777));
  return text;
}

} // namespace

Error kiln::runtime::checkTrusted(const std::string &path) {
  const char *given = std::getenv("KILN_TRUST_WRITABLE_FOLDERS");
  if (given && std::strcmp(given, "1") == 0)
    return Error::success();
  std::error_code error;
  fs::path whole = fs::canonical(path, error);
  if (error)
    return Error::success();
  fs::path part;
  for (const fs::path &name : whole) {
    part /= name;
    struct stat info;
    if (lstat(part.c_str(), &info) != 0)
      continue;
    std::string why = whoElseWrites(info, part != whole);
    if (why.empty())
      continue;
    std::string where = part == whole ? "it" : "'" + part.string() + "'";
    return Error(path + ": not trusted, as " + where + " " + why +
                 "; KILN_TRUST_WRITABLE_FOLDERS=1 trusts it");
  }
  return Error::success();
}
