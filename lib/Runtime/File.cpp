// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading whole files.
#include "kiln/Runtime/Package.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace kiln::runtime;

namespace {

/// Closes a file descriptor.
struct FileDescriptor {
  int fd;
  ~FileDescriptor() {
    if (fd >= 0)
      close(fd);
  }
};

Error systemError(const std::string &path, const char *what) {
  return Error(path + ": " + what + ": " + std::strerror(errno));
}

/// For pipes and the like, whose size is not known.
Expected<Blob> readStream(const std::string &path, int fd) {
  std::vector<uint8_t> bytes;
  uint8_t chunk[1 << 16];
  while (true) {
    ssize_t got = read(fd, chunk, sizeof(chunk));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError(path, "cannot read");
    if (got == 0)
      return Blob::own(std::move(bytes));
    bytes.insert(bytes.end(), chunk, chunk + got);
  }
}

} // namespace

bool kiln::runtime::isEndless(const std::string &path) {
  // The devices of memory (1) are zero, random and the like; null (3) ends.
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISCHR(info.st_mode) &&
         major(info.st_rdev) == 1 && minor(info.st_rdev) != 3;
}

Expected<Blob> kiln::runtime::mapRegularFile(const std::string &path) {
  // A look first: opening a pipe waits for its other end.
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return systemError(path, "cannot open");
  if (S_ISREG(info.st_mode))
    return mapFile(path);
  const char *kind = S_ISDIR(info.st_mode)    ? "a directory"
                     : S_ISFIFO(info.st_mode) ? "a pipe"
                     : S_ISSOCK(info.st_mode) ? "a socket"
                                              : "a device";
  return Error(path + ": expected a regular file, found " + kind);
}

Expected<Blob> kiln::runtime::copyFile(const std::string &path) {
  if (isEndless(path))
    return Error(path + ": cannot open: is a device without an end");
  FileDescriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0)
    return systemError(path, "cannot open");
  Expected<Blob> bytes = readStream(path, file.fd);
  if (!bytes || !bytes->size)
    return bytes;
  constexpr size_t align = 64;
  void *data =
      std::aligned_alloc(align, (bytes->size + align - 1) / align * align);
  if (!data)
    return Error(path + ": no memory for " + std::to_string(bytes->size) +
                 " bytes");
  std::memcpy(data, bytes->data, bytes->size);
  return Blob{
      std::shared_ptr<const void>(
          data, [](const void *p) { std::free(const_cast<void *>(p)); }),
      static_cast<const uint8_t *>(data), bytes->size};
}

Expected<Blob> kiln::runtime::mapFile(const std::string &path) {
  FileDescriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0)
    return systemError(path, "cannot open");
  struct stat info;
  if (fstat(file.fd, &info) != 0)
    return systemError(path, "cannot open");
  if (S_ISDIR(info.st_mode))
    return Error(path + ": cannot open: is a directory");
  if (isEndless(path))
    return Error(path + ": cannot open: is a device without an end");
  if (!S_ISREG(info.st_mode))
    return readStream(path, file.fd);
  size_t size = size_t(info.st_size);
  if (!size)
    return Blob();
  void *data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED)
    return systemError(path, "cannot map");
  std::shared_ptr<const void> owner(
      data, [size](const void *p) { munmap(const_cast<void *>(p), size); });
  return Blob{owner, static_cast<const uint8_t *>(data), size};
}
