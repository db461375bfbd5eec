#!/usr/bin/env bash
# Builds the documentation of ClientDependencies from a finished debug build, and fails at each warning: a link that
# leads nowhere is one. documentation.sh FOLDER leaves the pages there, for `docc preview` or a web server.
#
# It calls what the toolchain brings, and not swift-docc-plugin: everybody who depends on this package would fetch that.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pages=${1:-$work/pages}
catalogue=Sources/ClientDependencies/ClientDependencies.docc

mkdir "$work/symbols"
swift symbolgraph-extract -module-name ClientDependencies -I "$(swift build --show-bin-path)/Modules" \
  -target "$(uname -m)-unknown-linux-gnu" -minimum-access-level public -output-dir "$work/symbols"

docc convert "$catalogue" --additional-symbol-graph-dir "$work/symbols" --output-path "$pages" >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
# Nobody passes the place of a call, so that no comment describes it.
place="Parameter '(fileID|filePath|line|column)' is missing documentation"
if grep -E '^(warning|error): ' "$work/log" | grep -vE "$place"; then
  cat "$work/log" >&2
  echo "the documentation of ClientDependencies has warnings" >&2
  exit 1
fi
echo "the documentation of ClientDependencies: $(ls "$catalogue" | wc -l) articles, $(
  find "$pages" -name '*.json' -path '*/data/documentation/*' | wc -l
) pages"
