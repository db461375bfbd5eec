#!/usr/bin/env bash
# The linker of Packaging/build.sh, which the compiler calls. A command that it links loads each C library at the first call of one
# of its functions: to load all of them at the start takes longer than the rest of `syrinx --version`.
#   Packaging/lazy-linker.sh ARGUMENT OF ld.lld...
# FILE.linked, beside the linked FILE, needs the libraries from its start: dpkg-shlibdeps reads their names there.
set -euo pipefail

tools=$(swiftc -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift".*|\1/bin|p')
"$tools/ld.lld" "$@"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The compiler puts many arguments into a file.
command=$(case $1 in
@*) xargs printf '%s\n' <"${1#@}" ;;
*) printf '%s\n' "$@" ;;
esac | sed -n '/^-o$/{n;p}')
case $command in
*/syrinx) ;;
# A macro's plug-in, or the like.
*) exit ;;
esac
mv "$command" "$command.linked"

undefined=$(nm -D --undefined-only "$command.linked" | awk '{ sub(/@.*/, "", $2); print $2 }' | LC_ALL=C sort -u)
# functions FILE: the functions of a library that the command calls.
functions() {
  nm -D --defined-only "$1" | awk '$2 ~ /[TWi]/ { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u |
    LC_ALL=C comm -12 - <(echo "$undefined")
}
ldd "$command.linked" | awk '$2 == "=>" { print $1, $3 }' | while read -r name file; do
  case $name in
  # Of these, the start needs functions, or Swift's libraries use variables.
  libc.so.* | libm.so.* | libgcc_s.so.* | libstdc++.so.*) ;;
  *) functions "$file" | sed "s/.*/FUNCTION(\"$name\", &)/" ;;
  esac
done | awk '!known[$2]++' >"$work/functions.h"
"$tools/clang" -O2 -fPIC -Wall -Werror -I "$work" -c "$(dirname "$0")/lazy-libraries.c" -o "$work/lazy-libraries.o"
# The libraries are not needed, because the object defines all that the command calls.
"$tools/ld.lld" --as-needed "$work/lazy-libraries.o" "$@"
