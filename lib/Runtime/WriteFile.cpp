// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing whole files, also in folders that other users may write to.
#include "kiln/Runtime/Package.h"
#include "kiln/System/Process.h"
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

using namespace kiln::runtime;

namespace {

/// As many links in a row as Linux follows.
constexpr int kMaxLinks = 40;

/// Closes a descriptor.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~Descriptor() {
    if (fd >= 0)
      close(fd);
  }
  int get() const { return fd; }
  explicit operator bool() const { return fd >= 0; }

private:
  int fd;
};

/// What a path stands for. The file is created, replaced and removed in the
/// open folder, whatever happens to the path meanwhile.
struct Place {
  Descriptor folder;
  std::string name;      ///< in the folder, behind all links
  int descriptor = -1;   ///< of this process, which /dev/stdout and such name
  bool exists = false;   ///< of whatever kind
  bool isDirect = false; ///< a device or a pipe: there is nothing to replace
  mode_t mode = 0;       ///< of a file that exists, and that is kept
  bool keepsMode = false;
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

/// Whether anybody may create files in a folder, and remove their own only.
bool isSharedFolder(const struct stat &folder) {
  return (folder.st_mode & S_ISVTX) && (folder.st_mode & S_IWOTH);
}

/// Whether a link or a pipe of a folder that everybody writes to may have been
/// put there by another user, to lead the output elsewhere. This is the rule of
/// Linux's fs.protected_symlinks.
bool isPlanted(const struct stat &entry, const struct stat &folder) {
  return isSharedFolder(folder) && entry.st_uid != geteuid() &&
         entry.st_uid != folder.st_uid;
}

Error plantedError(const std::string &path, const char *what) {
  return Error(path + ": cannot write: expected a file of this user, found " +
               what + " of another user in a folder that everybody may write");
}

/// Opens the folder of `rest`, as seen from `base`; the last part is the name.
Error openFolder(const std::string &path, const std::string &rest, int base,
                 Place &place) {
  size_t slash = rest.rfind('/');
  std::string folder =
      slash == std::string::npos ? "." : rest.substr(0, slash + 1);
  place.name = slash == std::string::npos ? rest : rest.substr(slash + 1);
  if (place.name.empty()) {
    // "folder/" is what it says; the empty path is nothing.
    errno = rest.empty() ? ENOENT : EISDIR;
    return systemError(path, "cannot write");
  }
  Descriptor opened(
      openat(base, folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened) {
    std::string shown = folder.size() > 1 && folder.back() == '/'
                            ? folder.substr(0, folder.size() - 1)
                            : folder;
    if (errno == ENOTDIR)
      return Error(path + ": cannot write: '" + shown + "' is no folder");
    return Error(path + ": cannot write: folder '" + shown +
                 "': " + std::strerror(errno));
  }
  place.folder = std::move(opened);
  return Error::success();
}

/// Fills in what is known of an entry that is no link.
Error describe(const std::string &path, const struct stat &entry,
               const struct stat &folder, Place &place) {
  if (S_ISDIR(entry.st_mode))
    return Error(path + ": cannot write: it is a folder");
  place.exists = true;
  place.isDirect = !S_ISREG(entry.st_mode);
  if (S_ISFIFO(entry.st_mode) && isPlanted(entry, folder))
    return plantedError(path, "a pipe");
  place.mode = entry.st_mode & 0777;
  // Who else may write must not be for another user to decide.
  place.keepsMode = entry.st_uid == geteuid() || !isSharedFolder(folder);
  return Error::success();
}

/// Follows the links of the last part of a path, which need not exist.
Error resolve(const std::string &path, Place &place) {
  std::string rest = path;
  for (int links = 0;; ++links) {
    place.descriptor = descriptorOf(rest);
    if (place.descriptor >= 0) {
      place.isDirect = place.exists = true;
      return Error::success();
    }
    int base = rest[0] == '/' || !place.folder ? AT_FDCWD : place.folder.get();
    if (Error error = openFolder(path, rest, base, place))
      return error;
    // What is checked is what is read: the entry may change meanwhile.
    Descriptor entry(openat(place.folder.get(), place.name.c_str(),
                            O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!entry) {
      if (errno == ENOENT)
        return Error::success();
      return systemError(path, "cannot write");
    }
    struct stat info, folder;
    struct statfs system;
    if (fstat(entry.get(), &info) != 0 ||
        fstat(place.folder.get(), &folder) != 0 ||
        fstatfs(place.folder.get(), &system) != 0)
      return systemError(path, "cannot write");
    // What links of /proc name has no name of its own.
    bool isMagic = system.f_type == PROC_SUPER_MAGIC;
    if (!S_ISLNK(info.st_mode) || isMagic) {
      if (!isMagic)
        return describe(path, info, folder, place);
      place.exists = place.isDirect = true;
      return Error::success();
    }
    if (isPlanted(info, folder))
      return plantedError(path, "a link");
    char target[PATH_MAX];
    ssize_t length = readlinkat(entry.get(), "", target, sizeof(target));
    if (links == kMaxLinks)
      errno = ELOOP;
    if (length <= 0 || links == kMaxLinks)
      return systemError(path, "cannot write");
    rest.assign(target, size_t(length));
  }
}

Error writeDirectly(const std::string &path, const Place &place,
                    const void *data, size_t size) {
  Descriptor opened;
  int fd = place.descriptor;
  if (fd < 0) {
    opened = Descriptor(openat(place.folder.get(), place.name.c_str(),
                               O_WRONLY | O_CLOEXEC | O_NOCTTY));
    fd = opened.get();
  }
  if (fd < 0)
    return systemError(path, "cannot write");
  if (fd == STDOUT_FILENO)
    std::fflush(stdout);
  return writeFully(fd, data, size) ? Error::success()
                                    : systemError(path, "cannot write");
}

/// A file of a new name, which is removed unless it is renamed.
class Temporary {
public:
  explicit Temporary(const Place &place) : place(place) {
    for (int attempt = 0; attempt < 100; ++attempt) {
      uint64_t number = 0;
      if (getrandom(&number, sizeof number, 0) != sizeof number)
        number = uint64_t(getpid()) << 8 | unsigned(attempt);
      char text[32];
      std::snprintf(text, sizeof text, ".kiln-%016llx",
                    static_cast<unsigned long long>(number));
      name = text;
      file = openat(place.folder.get(), text,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (file >= 0 || errno != EEXIST)
        return;
    }
  }
  ~Temporary() {
    if (file >= 0)
      close(file);
    if (exists)
      unlinkat(place.folder.get(), name.c_str(), 0);
  }
  Temporary(const Temporary &) = delete;

  /// Writes all of it, to the disk. False: errno says why.
  bool write(const void *data, size_t size) {
    exists = true;
    if (place.keepsMode && fchmod(file, place.mode) != 0)
      return false;
    if (!writeFully(file, data, size))
      return false;
    // Some file systems tell only now that there is no space.
    return close(std::exchange(file, -1)) == 0;
  }
  bool rename() {
    int folder = place.folder.get();
    exists = renameat(folder, name.c_str(), folder, place.name.c_str()) != 0;
    return !exists;
  }
  bool isOpen() const { return file >= 0; }

private:
  const Place &place;
  std::string name;
  int file = -1;
  bool exists = false;
};

/// Whether a resolved path can be written; changes nothing.
Error checkPlace(const std::string &path, const Place &place) {
  if (place.descriptor >= 0)
    return fcntl(place.descriptor, F_GETFD) >= 0
               ? Error::success()
               : systemError(path, "cannot write");
  int folder = place.folder.get();
  if (place.exists && faccessat(folder, place.name.c_str(), W_OK, 0) != 0)
    return systemError(path, "cannot write");
  if (place.isDirect)
    return Error::success();
  if (faccessat(folder, ".", W_OK | X_OK, 0) != 0)
    return Error(path + ": cannot write: its folder: " + std::strerror(errno));
  return Error::success();
}

} // namespace

Error kiln::runtime::checkWritable(const std::string &path) {
  Place place;
  if (Error error = resolve(path, place))
    return error;
  return checkPlace(path, place);
}

Error kiln::runtime::writeFile(const std::string &path, const void *data,
                               size_t size) {
  Place place;
  if (Error error = resolve(path, place))
    return error;
  if (Error error = checkPlace(path, place))
    return error;
  if (place.isDirect)
    return writeDirectly(path, place, data, size);
  Temporary file(place);
  if (!file.isOpen())
    return systemError(path, "cannot create");
  if (!file.write(data, size))
    return systemError(path, "cannot write");
  return file.rename() ? Error::success() : systemError(path, "cannot replace");
}
