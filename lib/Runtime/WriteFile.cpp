// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing whole files.
#include "kiln/Runtime/Package.h"
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kiln::runtime;

namespace {

/// As many links in a row as Linux follows.
constexpr int kMaxLinks = 40;

/// What a path stands for.
struct Place {
  std::string path;      ///< behind all links
  int descriptor = -1;   ///< of this process, which /dev/stdout and such name
  bool exists = false;   ///< of whatever kind
  bool isDirect = false; ///< a device or a pipe: there is nothing to replace
  mode_t mode = 0;       ///< of a file that exists

  std::string folder() const {
    size_t slash = path.rfind('/');
    if (slash == std::string::npos)
      return ".";
    return slash ? path.substr(0, slash) : "/";
  }
};

Error systemError(const std::string &path, const char *what) {
  return Error(path + ": " + what + ": " + std::strerror(errno));
}

/// The number behind a folder of this process's descriptors, or -1.
int descriptorOf(const std::string &path) {
  for (const char *folder : {"/dev/fd/", "/proc/self/fd/"}) {
    size_t length = std::strlen(folder);
    if (path.compare(0, length, folder) != 0)
      continue;
    std::string digits = path.substr(length);
    if (!digits.empty() && digits.size() < 7 &&
        digits.find_first_not_of("0123456789") == std::string::npos)
      return std::stoi(digits);
  }
  return -1;
}

/// Follows the links of the last part of a path, which need not exist.
Error resolve(const std::string &path, Place &place) {
  place.path = path;
  for (int links = 0;; ++links) {
    place.descriptor = descriptorOf(place.path);
    if (place.descriptor >= 0) {
      place.isDirect = place.exists = true;
      return Error::success();
    }
    struct stat info;
    if (lstat(place.path.c_str(), &info) != 0) {
      if (errno == ENOENT && !place.path.empty() && place.path.back() != '/')
        return Error::success();
      return systemError(path, "cannot write");
    }
    if (!S_ISLNK(info.st_mode)) {
      if (S_ISDIR(info.st_mode))
        return Error(path + ": cannot write: it is a folder");
      place.exists = true;
      place.isDirect = !S_ISREG(info.st_mode);
      place.mode = info.st_mode & 0777;
      return Error::success();
    }
    char target[PATH_MAX];
    ssize_t length = readlink(place.path.c_str(), target, sizeof(target));
    if (links == kMaxLinks)
      errno = ELOOP;
    if (length <= 0 || links == kMaxLinks)
      return systemError(path, "cannot write");
    std::string next(target, size_t(length));
    place.path = next[0] == '/' ? next : place.folder() + "/" + next;
  }
}

/// Writes to an open file, whatever a single call takes.
bool writeAll(int fd, const void *data, size_t size) {
  auto *next = static_cast<const uint8_t *>(data);
  while (size) {
    ssize_t put = write(fd, next, size);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return false;
    next += put;
    size -= size_t(put);
  }
  return true;
}

Error writeDirectly(const std::string &path, const Place &place,
                    const void *data, size_t size) {
  int fd = place.descriptor;
  if (fd < 0)
    fd = open(place.path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return systemError(path, "cannot write");
  if (fd == STDOUT_FILENO)
    std::fflush(stdout);
  Error error = writeAll(fd, data, size) ? Error::success()
                                         : systemError(path, "cannot write");
  if (place.descriptor < 0)
    close(fd);
  return error;
}

/// Opens a file of a new name beside `place`.
int openBeside(const Place &place, std::string &name) {
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    name = place.path + ".tmp-" + std::to_string(getpid()) + "-" +
           std::to_string(attempt);
    int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

} // namespace

Error kiln::runtime::checkWritable(const std::string &path) {
  Place place;
  if (Error error = resolve(path, place))
    return error;
  if (place.descriptor >= 0)
    return fcntl(place.descriptor, F_GETFD) >= 0
               ? Error::success()
               : systemError(path, "cannot write");
  if (place.exists && access(place.path.c_str(), W_OK) != 0)
    return systemError(path, "cannot write");
  if (place.isDirect)
    return Error::success();
  std::string folder = place.folder();
  struct stat info;
  if (stat(folder.c_str(), &info) != 0)
    return Error(path + ": cannot write: folder '" + folder +
                 "': " + std::strerror(errno));
  if (!S_ISDIR(info.st_mode))
    return Error(path + ": cannot write: '" + folder + "' is no folder");
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return Error(path + ": cannot write: folder '" + folder +
                 "': " + std::strerror(errno));
  return Error::success();
}

Error kiln::runtime::writeFile(const std::string &path, const void *data,
                               size_t size) {
  if (Error error = checkWritable(path))
    return error;
  Place place;
  if (Error error = resolve(path, place))
    return error;
  if (place.isDirect)
    return writeDirectly(path, place, data, size);
  std::string name;
  int fd = openBeside(place, name);
  if (fd < 0)
    return systemError(path, "cannot create");
  // Who may read a file does not change because it is written again.
  bool good = !place.exists || fchmod(fd, place.mode) == 0;
  good = good && writeAll(fd, data, size);
  // Some file systems tell only now that there is no space.
  int problem = good ? 0 : errno;
  if (close(fd) != 0 && good)
    problem = errno;
  if (!problem && rename(name.c_str(), place.path.c_str()) == 0)
    return Error::success();
  errno = problem ? problem : errno;
  Error error = systemError(path, problem ? "cannot write" : "cannot replace");
  unlink(name.c_str());
  return error;
}
