#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes a release of the commit that is checked out: tests, Debian packages, wheels with a platform tag, the site,
# a source archive, the snapshots of interfaces, check sums, and an annotated tag. It pushes nothing.
# Usage: release.sh [--dry-run] VERSION    --dry-run checks what a release needs and stops before it builds.
set -euo pipefail
cd "$(dirname "$0")/.."
dry=
if [ "${1:-}" = --dry-run ]; then dry=1; shift; fi
version=${1:?usage: release.sh [--dry-run] VERSION}
build=build out=build/release-$version

fail() { echo "error: $*" >&2; exit 1; }
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "expected a version like 1.2.3, found '$version'"
stated=$(sed -n 's/^project(Kiln VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
[ "$stated" = "$version" ] || fail "CMakeLists.txt: expected version $version, found $stated"
grep -q "^## $version\$" CHANGELOG.md || fail "CHANGELOG.md: expected a section '## $version'"
if [ -z "$dry" ]; then
  [ -z "$(git status --porcelain)" ] || fail "the working tree has changes: commit or stash them"
fi
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || fail "tag v$version exists"
minor=${version%.*}
ls test/versions/Inputs | grep -q "$minor" || fail "test/versions/Inputs: expected snapshots of $minor: docs/versions.md says how"
if [ -n "$dry" ]; then
  echo "version $version can be released"
  exit 0
fi

make test
mkdir -p "$out"
make packages && cp build/packages/*.deb "$out"
make wheels
# auditwheel states the oldest Linux that a wheel runs on, and fails where a wheel needs a library it does not carry.
python3 -m venv build/venv-release
build/venv-release/bin/pip install -q auditwheel
for wheel in build/wheels/*.whl; do
  build/venv-release/bin/auditwheel repair --wheel-dir "$out" "$wheel"
done
make site SITE_VERSION="$version" && tar -C build/sites -czf "$out/kiln-site-$version.tar.gz" .
git archive --prefix="kiln-$version/" -o "$out/kiln-$version.tar.gz" HEAD
# The exported names of the C interfaces, for comparison with the next release.
for library in kiln-runtime Kiln; do
  nm -D --defined-only "$build/lib/lib$library.so" | awk '{ print $3 }' | sort > "$out/lib$library-$version.symbols"
done
(cd "$out" && sha256sum -- * > SHA256SUMS)
git tag -a "v$version" -m "Kiln $version"
echo "release $version is in $out; publish it with: git push origin v$version"
