#!/usr/bin/env bash
# Installs the command with its manual, completions, and systemd units:
#   Packaging/install.sh [--prefix FOLDER] [--command FILE]
#   Packaging/install.sh --uninstall [--prefix FOLDER]
# FOLDER is /usr/local by default. If DESTDIR is set, it precedes FOLDER, as for packages. FILE is a command that Packaging/build.sh
# has built, with its manual in FILE.share beside it; without --command, Packaging/build.sh builds one. Run install.sh without sudo:
# it builds as the current user, and calls sudo only if the folder is not writable.
# The list of installed files and folders is in share/syrinx, for --uninstall.
set -euo pipefail

prefix=/usr/local command='' uninstall=false
usage() {
  echo "install.sh: $1" >&2
  echo "usage: Packaging/install.sh [--prefix FOLDER] [--command FILE | --uninstall]" >&2
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
if [ -n "${DESTDIR:-}" ]; then DESTDIR=$(realpath -m -- "$DESTDIR"); fi
cd "$(dirname "$0")/.."
case "$prefix" in
/*) prefix=${prefix%/} ;;
*) usage "--prefix $prefix is not an absolute path" ;;
esac
root=${DESTDIR:-}$prefix
list=share/syrinx/installed

as_root=()
existing=${root:-/}
until [ -e "$existing" ]; do existing=$(dirname "$existing"); done
if [ ! -w "$existing" ]; then
  if ! command -v sudo >/dev/null; then
    echo "install.sh: $existing is not writable, and sudo is not installed; use --prefix ~/.local" >&2
    exit 1
  fi
  as_root=(sudo)
fi

# remove: removes the files that standard input lists, and after them the folders (with a final slash) that are then empty.
remove() {
  LC_ALL=C sort --reverse | while IFS= read -r file; do
    case $file in
    */) "${as_root[@]}" rmdir "$root/$file" 2>/dev/null || true ;;
    *) "${as_root[@]}" rm -f "$root/$file" ;;
    esac
  done
}

if $uninstall; then
  if [ ! -f "$root/$list" ]; then
    echo "install.sh: nothing is installed in $root: $list is missing" >&2
    exit 1
  fi
  installed=$(cat "$root/$list")
  # The list is removed last, so that an interrupted removal can be repeated.
  { grep -vxF "$list" <<<"$installed" || true; } | remove
  { echo "$list"; grep -xE 'share/(syrinx/)?' <<<"$installed" || true; } | remove
  echo "removed from $root"
  exit
fi

if [ -z "$command" ]; then command=$(bash Packaging/build.sh); fi
[ -f "$command" ] && [ -x "$command" ] || usage "--command $command is not a program"
[ -f "$command.share/man/man1/syrinx.1" ] || usage "$command.share with the manual is missing; Packaging/build.sh makes it"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# put MODE FILE TARGET: adds a file to the installation; TARGET is relative to the prefix.
put() { install -D -m "$1" "$2" "$stage/$3"; }

put 755 "$command" bin/syrinx
# Packaging/build.sh has made the manual and the completions beside the command.
while IFS= read -r file; do put 644 "$command.share/$file" "share/$file"; done < <(cd "$command.share" && find . -type f -printf '%P\n')
case $prefix/ in
/home/* | "${HOME:-/root}"/*) echo "install.sh: systemd starts no services from home folders, so no units are installed" >&2 ;;
*)
  # Escapes the special characters of systemd (%) and sed (\, &, and |).
  folder=$(sed -e 's/%/%%/g' -e 's/[\\&|]/\\&/g' <<<"$prefix/bin")
  for unit in Packaging/systemd/*; do
    sed "s|@BIN@|$folder|" "$unit" >"$stage/unit"
    put 644 "$stage/unit" "lib/systemd/system/$(basename "$unit")"
  done
  rm "$stage/unit"
  ;;
esac
for document in README.md CHANGELOG.md LICENSE THIRD-PARTY-NOTICES.md; do
  put 644 "$document" "share/doc/syrinx/$document"
done
mkdir -p "$stage/$(dirname "$list")"
files=$(cd "$stage" && { find . -type f -printf '%P\n'; echo "$list"; })
# The folders that this or an earlier installation has created.
folders=$(cd "$stage" && find . -mindepth 1 -type d -printf '%P\n' | while IFS= read -r folder; do
  if [ ! -d "$root/$folder" ] || grep -qxF "$folder/" "$root/$list" 2>/dev/null; then echo "$folder/"; fi
done)
LC_ALL=C sort <<<"$files${folders:+$'\n'$folders}" >"$stage/list"
put 644 "$stage/list" "$list"

outdated=''
if [ -f "$root/$list" ]; then outdated=$(LC_ALL=C sort "$root/$list" | LC_ALL=C comm -23 - "$stage/list"); fi
# Existing folders keep their modes. A running command keeps its old file, because the new file only takes over the name.
while IFS= read -r file; do
  "${as_root[@]}" install -D -m "$(stat -c %a "$stage/$file")" "$stage/$file" "$root/$file"
done <<<"$files"
# Files that only an older version installed are removed last, so that a failure before leaves the old and the new files.
if [ -n "$outdated" ]; then remove <<<"$outdated"; fi
echo "installed in $root"
