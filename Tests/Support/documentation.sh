#!/usr/bin/env bash
# Builds the documentation of every public module from a finished debug build, and fails at each warning, such as a link
# that leads nowhere. documentation.sh FOLDER leaves one static site of all modules in FOLDER, for any web server:
#   bash Tests/Support/documentation.sh .build/site && python3 -m http.server --directory .build/site
#
# It calls the toolchain's docc, not swift-docc-plugin: every package that depends on this one would fetch the plugin.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
built=.build/debug
# The compiled modules, and the module maps of C targets: ours, those of other packages, and those that SwiftPM makes.
imports=(-I "$built/Modules")
for map in Sources/CLibraries/*/module.modulemap Sources/CLibraries/*/include/module.modulemap .build/checkouts/*/Sources/*/include/module.modulemap "$built"/C*.build/module.modulemap; do
  case $map in
  *-tool.build/*) ;; # the same again, for macros
  *) imports+=(-I "$(dirname "$map")") ;;
  esac
done
# Callers do not pass the source location of a call, so no comment describes it.
place="Parameter '(fileID|filePath|line|column)' is missing documentation"

# The library products and other modules with a catalog, dependencies first, because a page may link to theirs.
modules() {
  swift package dump-package | python3 -c '
import glob, graphlib, json, pathlib, sys

package = json.load(sys.stdin)
wanted = {target for product in package["products"] if "library" in product["type"] for target in product["targets"]}
wanted |= {pathlib.Path(catalog).stem for catalog in glob.glob("Sources/**/*.docc", recursive=True)}
dependencies = lambda target: {list(d.values())[0][0] for d in target["dependencies"]}
graph = {target["name"]: dependencies(target) for target in package["targets"]}
print(*(name for name in graphlib.TopologicalSorter(graph).static_order() if name in wanted))'
}

archives=()
convert() {
  local module=$1 log=$work/log catalog others=()
  catalog=$(find Sources -name "$1.docc")
  for archive in "${archives[@]}"; do others+=(--dependency "$archive"); done
  mkdir -p "$work/$module"
  swift symbolgraph-extract -module-name "$module" "${imports[@]}" -target "$(uname -m)-unknown-linux-gnu" \
    -minimum-access-level public -output-dir "$work/$module"
  docc convert ${catalog:+"$catalog"} --additional-symbol-graph-dir "$work/$module" --fallback-display-name "$module" \
    --fallback-bundle-identifier "$module" --fallback-default-module-kind Module "${others[@]}" \
    --enable-experimental-external-link-support --output-path "$work/$module.doccarchive" >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
  }
  if grep -E '^(warning|error): ' "$log" | grep -vE "$place"; then
    cat "$log" >&2
    echo "the documentation of $module has warnings" >&2
    exit 1
  fi
  archives+=("$work/$module.doccarchive")
}

for module in $(modules); do convert "$module"; done
docc merge "${archives[@]}" --synthesized-landing-page-name Syrinx --output-path "$work/site"
echo "the documentation of ${#archives[@]} modules: $(find "$work/site/data" -name '*.json' | wc -l) pages"
if [ $# -gt 0 ]; then
  if [ -e "$1" ] && [ ! -d "$1/data/documentation" ]; then
    echo "$1 is there and is no site of documentation: name another folder" >&2
    exit 1
  fi
  rm -rf "$1"
  mv "$work/site" "$1"
fi
