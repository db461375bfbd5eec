#!/usr/bin/env bash
# Builds the documentation of every public module, and fails at each warning, such as a link that leads nowhere. It also
# fails if the public declarations are not those of Tests/Fixtures/API.txt.
# documentation.sh FOLDER leaves one static site of all modules in FOLDER, for any web server:
#   bash Tests/Support/documentation.sh .build/site && python3 -m http.server --directory .build/site
#
# It calls the toolchain's docc, not swift-docc-plugin: every package that depends on this one would fetch the plugin.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
modules=$(bash Tests/Support/symbol-graphs.sh "$work/graphs")
python3 Tests/Support/api.py "$work/graphs"
# Parameters for the source location need no documentation, because callers do not pass them.
place="Parameter '(fileID|filePath|line|column)' is missing documentation"
first=Sources/Syrinx/Syrinx.docc/Syrinx.md

archives=()
convert() {
  local module=$1 log=$work/log catalog others=()
  catalog=$(find Sources -name "$1.docc")
  for archive in "${archives[@]}"; do others+=(--dependency "$archive"); done
  docc convert ${catalog:+"$catalog"} --additional-symbol-graph-dir "$work/graphs/$module" --fallback-display-name "$module" \
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

for module in $modules; do
  if [ "$module" != Syrinx ] && ! grep -qxF -- "- \`\`/$module\`\`" "$first"; then
    echo "$first does not list $module" >&2
    exit 1
  fi
  convert "$module"
done

# The page of Syrinx becomes the first page of the site, and determines the order in the navigator. The page that docc makes
# only lists the modules in the order in which they were converted.
ordered=("$work/Syrinx.doccarchive")
for module in $(sed -nE 's/^- ``\/(\w+)``$/\1/p' "$first"); do ordered+=("$work/$module.doccarchive"); done
docc merge "${ordered[@]}" --synthesized-landing-page-name Syrinx --output-path "$work/site"
cp "$work/site/data/documentation/syrinx.json" "$work/site/data/documentation.json"
echo '<!DOCTYPE html><title>Syrinx</title><meta http-equiv="refresh" content="0; url=documentation/">' >"$work/site/index.html"
echo "the documentation of ${#archives[@]} modules: $(find "$work/site/data" -name '*.json' | wc -l) pages"
if [ $# -gt 0 ]; then
  if [ -e "$1" ] && [ ! -d "$1/data/documentation" ]; then
    echo "$1 is there and is no site of documentation: name another folder" >&2
    exit 1
  fi
  rm -rf "$1"
  mv "$work/site" "$1"
fi
