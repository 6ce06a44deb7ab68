#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Unpacks the headers and libraries of another version of MLIR, for tests of programs of targets that are built with it.
# Debian's packages of two versions conflict, so that nothing is installed.
# Usage: unpack-mlir.sh VERSION FOLDER, such as `unpack-mlir.sh 19 build/other-mlir`
#   Afterwards FOLDER/usr/lib/llvm-VERSION has include and lib. Does nothing where that is there.
set -euo pipefail

version=${1:?usage: unpack-mlir.sh VERSION FOLDER} folder=${2:?usage: unpack-mlir.sh VERSION FOLDER}
home=$folder/usr/lib/llvm-$version
[ -e "$home/complete" ] && exit 0
command -v dpkg-deb >/dev/null || { echo "error: expected dpkg-deb, which unpacks Debian's packages" >&2; exit 1; }

packages=("libmlir-$version-dev" "libmlir-$version" "llvm-$version-dev" "libllvm$version")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo "unpacking: ${packages[*]}"
(cd "$scratch" && apt-get download -qq "${packages[@]}" 2>"$scratch/log") || { cat "$scratch/log" >&2; exit 1; }
mkdir -p "$folder"
for package in "$scratch"/*.deb; do
  dpkg-deb -x "$package" "$folder"
done

# What the packages expect elsewhere: headers beside the folder of the version, libraries in that of the machine.
libraries=$folder/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
for library in "$libraries"/libLLVM*"$version"* "$libraries"/libMLIR*"$version"*; do
  [ -e "$library" ] && ln -sf "$(realpath --relative-to="$home/lib" "$library")" "$home/lib/$(basename "$library")"
done
for name in llvm llvm-c; do
  if [ ! -e "$home/include/$name/Config" ] && [ -e "$folder/usr/include/llvm-$version/$name" ]; then
    ln -sfn "../../../include/llvm-$version/$name" "$home/include/$name"
  fi
done
rm -f "$home"/lib/*.a  # a gigabyte that no test needs
touch "$home/complete"
