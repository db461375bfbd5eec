#!/usr/bin/env bash
# Makes the manual pages and completions of a built command, for Packaging/install.sh:
#   Packaging/manual/make.sh COMMAND FOLDER
# They are written to FOLDER, with the structure of a prefix's share. SYRINX_GENERATE_MANUAL is the path of swift-argument-parser's
# generator; without it, the generator is built.
set -euo pipefail
command=$(realpath -- "$1") folder=$(realpath -m -- "$2")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$folder"

# put FILE TARGET: copies a file into the folder.
put() { install -D -m 644 "$1" "$folder/$2"; }

for shell in bash zsh fish; do
  "$command" --generate-completion-script "$shell" >"$work/completion"
  case $shell in
  # Without the first line, because shells source the file instead of running it.
  bash) sed -i '1{/^#!/d}' "$work/completion" && put "$work/completion" bash-completion/completions/syrinx ;;
  zsh) put "$work/completion" zsh/site-functions/_syrinx ;;
  fish) put "$work/completion" fish/vendor_completions.d/syrinx.fish ;;
  esac
done

generator=${SYRINX_GENERATE_MANUAL:-}
if [ -z "$generator" ]; then
  swift build --traits Command --product generate-manual >&2
  generator=$PWD/.build/debug/generate-manual
fi
mkdir "$work/manual"
"$generator" "$command" --multi-page --output-directory "$work/manual" \
  --date "$(git log -1 --format=%cs 2>/dev/null || date --utc --iso-8601)" >&2
for page in "$work"/manual/*; do
  name=$(basename "$page" .1)
  # The name of a page has hyphens, also in its title and in references.
  sed -e '/^\.\(Dt\|Xr\) /s/\./-/2g' -e "s/^\.Nm \".*\"$/.Nm ${name//./-}/" -e "s/^\.Nm$/.Nm ${name//./ }/" "$page" |
    awk -v name="${name//./-}" -v sections=Packaging/manual/sections.mdoc -f Packaging/manual/page.awk >"$work/page"
  put "$work/page" "man/man1/${name//./-}.1"
done
