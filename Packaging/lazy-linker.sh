#!/usr/bin/env bash
# The linker of Packaging/build.sh, which the compiler calls. It makes the command load each C library at the first call of one of
# the library's functions, because loading all of them at the start takes longer than the rest of `syrinx --version`.
#   Packaging/lazy-linker.sh ARGUMENT OF ld.lld...
# FILE.linked, beside the linked FILE, is linked with the libraries as usual, so that dpkg-shlibdeps can read their names.
set -euo pipefail

tools=$(swiftc -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift".*|\1/bin|p')
"$tools/ld.lld" "$@"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The compiler writes long argument lists to a file.
command=$(case $1 in
@*) xargs printf '%s\n' <"${1#@}" ;;
*) printf '%s\n' "$@" ;;
esac | sed -n '/^-o$/{n;p}')
case $command in
*/syrinx) ;;
# Another program, such as the plug-in of a macro.
*) exit ;;
esac
mv "$command" "$command.linked"

undefined=$(nm -D --undefined-only "$command.linked" | awk '{ sub(/@.*/, "", $2); print $2 }' | LC_ALL=C sort -u)
# functions FILE: prints the functions of the library FILE that the command calls.
functions() {
  nm -D --defined-only "$1" | awk '$2 ~ /[TWi]/ { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u |
    LC_ALL=C comm -12 - <(echo "$undefined")
}
ldd "$command.linked" | awk '$2 == "=>" { print $1, $3 }' | while read -r name file; do
  case $name in
  # These cannot be loaded later: the start needs their functions, or Swift's libraries use their variables.
  libc.so.* | libm.so.* | libgcc_s.so.* | libstdc++.so.*) ;;
  *) functions "$file" | sed "s/.*/FUNCTION(\"$name\", &)/" ;;
  esac
done | awk '!known[$2]++' >"$work/functions.h"
"$tools/clang" -O2 -fPIC -Wall -Werror -I "$work" -c "$(dirname "$0")/lazy-libraries.c" -o "$work/lazy-libraries.o"
# --as-needed removes the libraries, because the object defines all functions that the command calls.
"$tools/ld.lld" --as-needed "$work/lazy-libraries.o" "$@"
