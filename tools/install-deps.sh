#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the Debian packages that Kiln needs and that are missing.
# Usage: install-deps.sh [bench | fuzz | style | venv | site | other-mlir | cross]
#   bench adds the libraries that Kiln is compared with, fuzz the fuzzers' runtime, style the
#   formatter and the linter, venv what environments of Python need, site what draws
#   the pages of C and C++ interfaces, other-mlir a compiler of
#   another version of LLVM that reads Kiln's files, cross the compilers for other architectures.
set -euo pipefail

packages=(
  ca-certificates cmake ninja-build ccache g++ python3 python3-psutil python3-numpy
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools clang-22 lld-22
  libtbb-dev liblapack3 nlohmann-json3-dev libcli11-dev libprotozero-dev zlib1g-dev libsodium-dev binutils pkgconf
  dpkg-dev file python3-dev python3-pip python3-setuptools python3-wheel patchelf
)
case "${1:-}" in
bench) packages+=(libopenblas-dev libdnnl-dev) ;;
fuzz) packages+=(libclang-rt-22-dev) ;;
style) packages+=(clang-format-22 clang-tidy-22) ;;
venv) packages+=(python3-venv) ;;
site) packages+=(python3-venv doxygen) ;;
other-mlir) packages+=(mlir-19-tools) ;; # the headers of 19 conflict with those of 22
cross) packages+=(g++-aarch64-linux-gnu g++-riscv64-linux-gnu) ;;
esac

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "error: these packages are missing and need root to install: ${missing[*]}" >&2; exit 1; }
  root=(sudo)
fi
echo "installing: ${missing[*]}"
"${root[@]}" apt-get update -qq

# LLVM 22 comes from the security suite of the release. A bare chroot may list only the
# main suite; its mirror then serves the security suite beside it.
policy=$(apt-cache policy llvm-22-dev 2>/dev/null || true)
if ! grep -q 'Candidate: [0-9]' <<<"$policy"; then
  . /etc/os-release
  sources=$(find /etc/apt/sources.list /etc/apt/sources.list.d -name '*.list' -exec cat {} + 2>/dev/null || true)
  mirror=$(awk '$1=="deb" { for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) { print $i; exit } }' <<<"$sources")
  [ -n "$mirror" ] || { echo "error: no Debian mirror found in the apt sources; add the suite $VERSION_CODENAME-security" >&2; exit 1; }
  echo "deb ${mirror%/}-security $VERSION_CODENAME-security main" \
    | "${root[@]}" tee /etc/apt/sources.list.d/kiln-security.list >/dev/null
  "${root[@]}" apt-get update -qq
fi
DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
