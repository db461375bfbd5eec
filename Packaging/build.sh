#!/usr/bin/env bash
# Builds the small command, as Building.md in SyrinxCommand.docc explains, and prints its path. Its manual and completions are in a
# folder beside it, named like the command with .share appended.
#   Packaging/build.sh [OPTION OF swift build]...
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v swift >/dev/null; then
  echo "build.sh: swift is not on the PATH: install Swift 6.3 from swift.org first" >&2
  exit 1
fi
bash Packaging/packages.sh build
scratch=.build/small

# A binary contains the path of its sources, so each build mounts them at the same path. Builds of a commit are then identical.
place=/srv/syrinx
user=()
[ "$(id -u)" = 0 ] || user=(--map-root-user)
in_place() {
  unshare "${user[@]}" --mount bash -euc '
    mount -t tmpfs none "${0%/*}"
    mkdir "$0"
    mount --rbind "$1" "$0"
    cd "$0"
    shift
    exec "$@"' "$place" "$PWD" "$@"
}
mkdir -p "$scratch"
case "$PWD:$HOME:$(realpath "$(command -v swift)")" in
# Not mounted, because the mount would hide the sources, the home folder, or the compiler.
"${place%/*}"/* | *:"${place%/*}"/*) own=false ;;
*) if in_place test -w Package.swift -a -w "$scratch" 2>/dev/null; then own=true; else own=false; fi ;;
esac
if ! $own; then
  echo "build.sh: the sources cannot be mounted at $place, so the command will contain the path of this folder" >&2
  place=$PWD
  in_place() { "$@"; }
fi
# Cached modules are valid only at the path at which they were built.
[ "$(cat "$scratch/place" 2>/dev/null)" = "$place" ] || rm -rf "$scratch"
mkdir -p "$scratch"
echo "$place" >"$scratch/place"

# Discards the tables for unwinding, because no code in the command throws C++ exceptions. Discards the compiler's hashes of
# modules, because only the next build uses them, and they depend on earlier builds.
discarded='.eh_frame .gcc_except_table .gcc_except_table.* .swift_modhash'
echo "SECTIONS { /DISCARD/ : { *($discarded) } } INSERT AFTER .text;" >"$scratch/discarded.ld"

# Strips symbols, exports none, and makes relocations read-only before the program begins (full RELRO).
build=(
  swift build --configuration release --product syrinx --scratch-path "$scratch" --traits Command,Plots
  # Otherwise libraries in the command's own folder would be loaded instead of the system's.
  --disable-local-rpath
  # Type information would use variables of TagLib, and a library whose variables are used is loaded at the start.
  -Xcxx -fno-rtti
  --static-swift-stdlib -Xswiftc -use-ld=lld -Xswiftc -Xclang-linker -Xswiftc "--ld-path=$place/Packaging/lazy-linker.sh"
  -Xlinker --no-export-dynamic
  -Xlinker --strip-all -Xlinker --no-eh-frame-hdr -Xlinker "-T$place/$scratch/discarded.ld"
  -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now "$@"
)
# Links the command again, because swift build does not detect a change of the linker script.
rm -f "$scratch/release/syrinx"
in_place "${build[@]}" >&2
bash Packaging/manual/make.sh "$scratch/release/syrinx" "$scratch/release/syrinx.share"
echo "$PWD/$scratch/release/syrinx"
