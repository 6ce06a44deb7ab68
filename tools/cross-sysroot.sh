#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Unpacks the Debian packages that Kiln's runtime is built and run with on another
# architecture, beside those of this system; nothing is installed.
# Usage: cross-sysroot.sh aarch64|riscv64 FOLDER [compiler]
#          compiler adds what the whole of Kiln is built with: LLVM and MLIR 22, and libraries that these need
#        cross-sysroot.sh emulators FOLDER      qemu-user, which is linked statically, for this system
#   KILN_CROSS_SUITE names the release (trixie, the first with both architectures),
#   KILN_CROSS_PYTHON its Python (3.13), which the package `kiln` is built for and tried with.
set -euo pipefail

python=${KILN_CROSS_PYTHON:-3.13}
packages=(
  libc6 libc6-dev libcrypt-dev libgcc-s1 libstdc++6 libatomic1 libtbb12 libtbb-dev libtbbmalloc2 libtbbbind-2-5 libhwloc15
  libsodium-dev zlib1g-dev linux-libc-dev nlohmann-json3-dev libcli11-dev
  "libpython$python-dev" "python$python-minimal" "libpython$python-minimal" "libpython$python-stdlib"
  python3-numpy libblas3 liblapack3 libgfortran5 libexpat1 libffi8 zlib1g libsodium23 liblzma5 libbz2-1.0
)
if [ "${3:-}" = compiler ]; then
  packages+=(
    llvm-22-dev llvm-22 llvm-22-tools llvm-22-linker-tools libllvm22 libmlir-22-dev libmlir-22 mlir-22-tools
    libstdc++-14-dev libgcc-14-dev libprotozero-dev libffi-dev libedit2 libedit-dev libtinfo6 libbsd0 libmd0
    libxml2 libxml2-dev libicu76 libz3-4 libz3-dev libzstd1 libzstd-dev
  )
fi
case "${1:-}" in
aarch64) architecture=arm64 ;;
riscv64) architecture=riscv64 ;;
emulators)
  architecture=$(dpkg --print-architecture)
  packages=(qemu-user)
  ;;
*) echo "usage: cross-sysroot.sh aarch64|riscv64|emulators FOLDER" >&2; exit 2 ;;
esac
root=$(realpath -m "${2:?the folder is missing}")
suite=${KILN_CROSS_SUITE:-trixie}
[ "$(cat "$root/.complete" 2>/dev/null)" = "${packages[*]}" ] && exit 0

# The mirror of this system, for another release: apt gets lists of its own.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
  grep -oE 'https?://[^ ]+/debian/? *$|https?://[^ ]+/debian ' | head -n 1 | tr -d ' ' || true)
[ -n "$mirror" ] || { echo "error: no Debian mirror found in the apt sources" >&2; exit 1; }
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
state=$root/.apt
mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/packages"
echo "deb [arch=$architecture signed-by=$keyring] $mirror $suite main" >"$state/sources.list"
options=(
  -o "Dir::Etc::SourceList=$state/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$state/lists" -o "Dir::Cache=$state/cache" -o APT::Sandbox::User=
  -o Dir::State::Status=/dev/null -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture"
)
apt-get "${options[@]}" -qq update
cd "$state/packages"
apt-get "${options[@]}" -qq download "${packages[@]}"
for package in *.deb; do
  dpkg-deb -x "$package" "$root"
done
# The package that says where libraries lie is left out.
[ -e "$root/lib" ] || ln -sfn usr/lib "$root/lib"
[ -e "$root/lib64" ] || ln -sfn usr/lib64 "$root/lib64"
rm -rf "$state"
# The libraries that Debian lets systems choose from.
for folder in "$root"/usr/lib/*-linux-gnu/blas "$root"/usr/lib/*-linux-gnu/lapack; do
  if [ -d "$folder" ]; then cp -n "$folder"/*.so.3 "${folder%/*}"; fi
done
echo "${packages[*]}" >"$root/.complete"
