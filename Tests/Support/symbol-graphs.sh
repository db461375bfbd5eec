#!/usr/bin/env bash
# Builds the package and extracts the public declarations of every documented module: symbol-graphs.sh FOLDER
# It writes the symbol graphs of each module to FOLDER/MODULE, and prints the modules' names, dependencies first.
set -euo pipefail
cd "$(dirname "$0")/../.."

bash Packaging/packages.sh build
# Uses the modules of the last build, and builds only changed files.
# SwiftPM orders the traits in the compiler's arguments by their hashes, so without this setting, each plan would compile everything.
export SWIFT_DETERMINISTIC_HASHING=1
swift build --traits Development >&2

built=.build/debug
# The compiled modules, and the module maps of C targets: ours, those of other packages, and those that SwiftPM makes.
imports=(-I "$built/Modules")
for map in Sources/CLibraries/*/module.modulemap Sources/CLibraries/*/include/module.modulemap .build/checkouts/*/Sources/*/include/module.modulemap "$built"/C*.build/module.modulemap; do
  case $map in
  *-tool.build/*) ;; # the same modules, built for macros
  *) imports+=(-I "$(dirname "$map")") ;;
  esac
done

# Prints the modules that an app can import: the library products, the modules that Syrinx re-exports, and other modules with a
# catalog. Syrinx is last, because its page links to the pages of all others.
modules() {
  swift package dump-package | python3 -c '
import glob, graphlib, json, pathlib, sys

package = json.load(sys.stdin)
dependencies = lambda target: {list(d.values())[0][0] for d in target["dependencies"]}
graph = {target["name"]: dependencies(target) for target in package["targets"]}
wanted = {target for product in package["products"] if "library" in product["type"] for target in product["targets"]}
wanted |= graph["Syrinx"] | {pathlib.Path(catalog).stem for catalog in glob.glob("Sources/**/*.docc", recursive=True)}
names = [name for name in graphlib.TopologicalSorter(graph).static_order() if name in wanted - {"Syrinx"}]
print(*names, "Syrinx", sep="\n")'
}

names=$(modules)
for module in $names; do
  mkdir -p "$1/$module"
  swift symbolgraph-extract -module-name "$module" "${imports[@]}" -target "$(uname -m)-unknown-linux-gnu" \
    -minimum-access-level public -output-dir "$1/$module" >&2
done
printf '%s\n' "$names"
