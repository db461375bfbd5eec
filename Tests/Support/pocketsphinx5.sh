#!/usr/bin/env bash
# Runs the tests of the PocketSphinx engine with version 5, the version of Arch, Fedora, and openSUSE. It is built from PyPI's
# source package into .build, as a shared library like theirs.
set -euo pipefail
cd "$(dirname "$0")/../.."
bash Packaging/packages.sh test
wanted="pocketsphinx==5.1.1 --hash=sha256:675778b309a22dfc9b7d37f7621976bba491d2a5f8c59696bd77fd6d07271355"
folder=$PWD/.build/pocketsphinx-5.1.1

if [ ! -d "$folder" ]; then
  mkdir -p .build
  work=$(mktemp -d .build/pocketsphinx.XXXXXX)
  trap 'rm -rf "$work"' EXIT
  echo "$wanted" >"$work/wanted"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary pocketsphinx \
    --require-hashes --dest "$work" --requirement "$work/wanted"
  tar -xf "$work"/pocketsphinx-*.tar.gz -C "$work"
  cmake -S "$work/pocketsphinx-5.1.1" -B "$work/build" -G Ninja -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$PWD/$work/whole" -DCMAKE_INSTALL_LIBDIR=lib >"$work/log"
  cmake --build "$work/build" >>"$work/log"
  cmake --install "$work/build" >>"$work/log"
  mv -T "$work/whole" "$folder"
fi

package=(
  --package-path Tests/Fixtures/Engines --scratch-path "$PWD/.build/engines-pocketsphinx5"
  -Xcc "-I$folder/include" -Xlinker -rpath -Xlinker "$folder/lib"
)
# The linker would find Debian's library first, so the build runs in a mount namespace in which version 5 replaces it.
unshare --map-root-user --mount bash -c '
  mount --bind "$0/lib/libpocketsphinx.so" "$(gcc -print-file-name=libpocketsphinx.so)" && exec swift build "$@" --build-tests
' "$folder" "${package[@]}"
tests=$(swift build "${package[@]}" --show-bin-path)/enginesPackageTests.xctest
linked=$(readelf -d "$tests")
if [[ "$linked" != *libpocketsphinx.so.5* || "$linked" = *libpocketsphinx.so.3* || "$linked" = *sphinxbase* ]]; then
  echo "the tests are not linked with version 5 alone" >&2
  grep -E 'pocketsphinx|sphinxbase' <<<"$linked" >&2
  exit 1
fi
swift test "${package[@]}" --skip-build --disable-xctest --filter PocketSphinxEngineTests
