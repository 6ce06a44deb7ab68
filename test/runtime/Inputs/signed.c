/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* signed PACKAGE KEY OTHER: packages that must be signed, through the C interface. */
#include "kiln-c/Runtime.h"
#include <stdio.h>

static void show(const char *what, int status, KilnPackage *package) {
  if (status) {
    printf("%s: %s\n", what, kilnLastError());
    return;
  }
  const char *signer = kilnPackageSigner(package);
  printf("%s: loaded, signer %s\n", what, signer ? signer : "none");
  kilnPackageDestroy(package);
}

int main(int argc, char **argv) {
  static char bytes[1 << 20];
  if (argc != 4)
    return 2;
  const char *key = argv[2], *other = argv[3];
  KilnPackage *package = NULL;
  int status = kilnPackageLoadFileSigned(argv[1], 1, &key, &package);
  show("signed", status, package);
  status = kilnPackageLoadFileSigned(argv[1], 1, &other, &package);
  show("other", status, package);
  FILE *file = fopen(argv[1], "rb");
  if (!file)
    return 1;
  size_t size = fread(bytes, 1, sizeof(bytes), file);
  fclose(file);
  status = kilnPackageLoadSigned(bytes, size, 1, &key, &package);
  show("bytes", status, package);
  status = kilnPackageLoadSigned(bytes, size, 0, NULL, &package);
  show("none", status, package);
  return 0;
}
