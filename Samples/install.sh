#!/usr/bin/env bash
# Installs the command with its manual, completions, and systemd units:
#   Samples/install.sh [--prefix FOLDER] [--command FILE]
#   Samples/install.sh --uninstall [--prefix FOLDER]
# FOLDER is /usr/local by default. DESTDIR, if set, is put in front of it, as for packages. FILE is a built command;
# without it, Samples/build.sh builds one. The list of installed files is in share/syrinx, for --uninstall.
set -euo pipefail

prefix=/usr/local command='' uninstall=false
usage() {
  echo "install.sh: $1" >&2
  echo "usage: Samples/install.sh [--prefix FOLDER] [--command FILE | --uninstall]" >&2
  exit 64
}
while [ $# -gt 0 ]; do
  case "$1" in
  --prefix | --command)
    [ -n "${2:-}" ] || usage "$1 needs a value"
    if [ "$1" = --prefix ]; then prefix=$2; else command=$(realpath -- "$2"); fi
    shift
    ;;
  --uninstall) uninstall=true ;;
  *) usage "unknown option $1" ;;
  esac
  shift
done
cd "$(dirname "$0")/.."
case "$prefix" in
/*) prefix=${prefix%/} ;;
*) usage "--prefix $prefix is not an absolute path" ;;
esac
root=${DESTDIR:-}$prefix
list=share/syrinx/installed

# remove: the files that standard input names, and folders that are then empty.
remove() {
  while IFS= read -r file; do
    rm -f "$root/$file"
    rmdir --parents --ignore-fail-on-non-empty "$(dirname "$root/$file")" 2>/dev/null || true
  done
}

if $uninstall; then
  if [ ! -f "$root/$list" ]; then
    echo "install.sh: nothing is installed in $root: $list is missing" >&2
    exit 1
  fi
  installed=$(cat "$root/$list")
  remove <<<"$installed"
  echo "removed from $root"
  exit
fi

if [ -z "$command" ]; then command=$(bash Samples/build.sh); fi
[ -f "$command" ] && [ -x "$command" ] || usage "--command $command is not a program"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# put MODE FILE TARGET: a file for the installation; the target is below the prefix.
put() { install -D -m "$1" "$2" "$stage/$3"; }

put 755 "$command" bin/syrinx
for shell in bash zsh fish; do
  "$command" --generate-completion-script "$shell" >"$stage/completion"
  case $shell in
  # Shells source it; it is not a program.
  bash) sed -i '1{/^#!/d}' "$stage/completion" && put 644 "$stage/completion" share/bash-completion/completions/syrinx ;;
  zsh) put 644 "$stage/completion" share/zsh/site-functions/_syrinx ;;
  fish) put 644 "$stage/completion" share/fish/vendor_completions.d/syrinx.fish ;;
  esac
done
rm "$stage/completion"
# swift-argument-parser's generator omits the environment and the exit statuses, puts spaces into page names, and leaves empty
# lines between paragraphs.
swift build --product generate-manual >&2
mkdir "$stage/manual"
"$(swift build --show-bin-path)/generate-manual" "$command" --multi-page --output-directory "$stage/manual" \
  --date "$(git log -1 --format=%cs 2>/dev/null || date --utc --iso-8601)" >&2
for page in "$stage"/manual/*; do
  name=$(basename "$page" .1)
  # A page's name has hyphens: also in its title, and where others name it.
  sed -e '/^\.\(Dt\|Xr\) /s/\./-/2g' -e "s/^\.Nm \".*\"$/.Nm ${name//./-}/" -e "s/^\.Nm$/.Nm ${name//./ }/" -e 's/^$/.Pp/' \
    -e '/^\.Sh "EXIT STATUS"$/,/^\.Ex/{/^\.Ex/r Samples/manual/sections.mdoc' -e 'd}' "$page" >"$stage/page"
  put 644 "$stage/page" "share/man/man1/${name//./-}.1"
done
rm -r "$stage/page" "$stage/manual"
for unit in Samples/systemd/*; do
  sed "s|@BIN@|$prefix/bin|" "$unit" >"$stage/unit"
  put 644 "$stage/unit" "lib/systemd/system/$(basename "$unit")"
done
rm "$stage/unit"
for document in README.md CHANGELOG.md LICENSE THIRD-PARTY-NOTICES.md; do
  put 644 "$document" "share/doc/syrinx/$document"
done
files=$(cd "$stage" && { find . -type f -printf '%P\n'; echo "$list"; } | LC_ALL=C sort)
echo "$files" >"$stage/list"
put 644 "$stage/list" "$list"
rm "$stage/list"

outdated=''
if [ -f "$root/$list" ]; then outdated=$(LC_ALL=C sort "$root/$list" | LC_ALL=C comm -23 - <(echo "$files")); fi
# Existing folders keep their modes. A running command keeps its old file; the new one takes its name.
while IFS= read -r file; do
  install -D -m "$(stat -c %a "$stage/$file")" "$stage/$file" "$root/$file"
done <<<"$files"
# Files that only an older version installed are removed last: an earlier failure leaves both.
if [ -n "$outdated" ]; then remove <<<"$outdated"; fi
echo "installed in $root"
