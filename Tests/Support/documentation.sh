#!/usr/bin/env bash
# Builds the documentation of every module that has a catalog from a finished debug build, and fails at each warning, such
# as a link that leads nowhere. documentation.sh FOLDER leaves the pages in FOLDER/MODULE for `docc preview` or a web server.
#
# It calls the toolchain's docc, not swift-docc-plugin: every package that depends on this one would fetch the plugin.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pages=${1:-$work/pages}
built=$(swift build --show-bin-path)
# The compiled modules, and the module maps of C targets: ours, those that other packages have, and those that SwiftPM makes.
imports=(-I "$built/Modules")
for map in Sources/*/module.modulemap .build/checkouts/*/Sources/*/include/module.modulemap "$built"/C*.build/module.modulemap; do
  case $map in
  *-tool.build/*) ;; # the same again, for macros
  *) imports+=(-I "$(dirname "$map")") ;;
  esac
done
# Nobody passes the place of a call, so no comment describes it.
place="Parameter '(fileID|filePath|line|column)' is missing documentation"

convert() {
  local catalog=$1 module log=$work/log
  module=$(basename "$catalog" .docc)
  mkdir -p "$work/$module" "$pages/$module"
  swift symbolgraph-extract -module-name "$module" "${imports[@]}" -target "$(uname -m)-unknown-linux-gnu" \
    -minimum-access-level public -output-dir "$work/$module"
  docc convert "$catalog" --additional-symbol-graph-dir "$work/$module" --output-path "$pages/$module" >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
  }
  if grep -E '^(warning|error): ' "$log" | grep -vE "$place"; then
    cat "$log" >&2
    echo "the documentation of $module has warnings" >&2
    exit 1
  fi
  echo "the documentation of $module: $(find "$catalog" -name '*.md' | wc -l) articles, $(
    find "$pages/$module" -name '*.json' -path '*/data/documentation/*' | wc -l
  ) pages"
}

for catalog in Sources/*/*.docc; do convert "$catalog"; done
