#!/usr/bin/env bash
# Installs the command into an empty folder, uses the installed files, and removes them.
#   Tests/Support/installed.sh COMMAND
set -euo pipefail
cd "$(dirname "$0")/../.."

command=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "installed.sh: $1" >&2
  exit 1
}
install() { DESTDIR=$folder bash Packaging/install.sh --prefix /opt/syrinx "$@"; }
root=$folder/opt/syrinx

# Another program's file, which must survive.
mkdir -p "$root/bin" && echo mine >"$root/bin/other"
chmod 775 "$root" "$root/bin"
mkdir -p "$root/lib" "$root/share/man"
bash Packaging/manual/make.sh "$command" "$command.share"
install --command "$command"
[ "$(stat -c %a "$root" "$root/bin" "$root/share/doc" | xargs)" = "775 775 755" ] || fail "folders have other modes"
# An older version's file, which the newer one removes.
touch "$root/share/old" && echo share/old >>"$root/share/syrinx/installed"
install --command "$command"
[ ! -e "$root/share/old" ] || fail "an old file was left"

"$root/bin/syrinx" --version
"$root/bin/syrinx" info Samples/sounds/go-forward.wav
for page in syrinx syrinx-play syrinx-engines-install; do
  manual=$root/share/man/man1/$page.1
  for section in NAME SYNOPSIS DESCRIPTION ENVIRONMENT FILES "EXIT STATUS" "SEE ALSO"; do
    [ "$(grep -c "^\.Sh $section$" "$manual")" = 1 ] || fail "$page.1 has not one section $section"
  done
  ! grep -q '^\.Ex' "$manual" || fail "$page.1 has the generator's exit status"
done
grep -A 2 '^\.Sh EXAMPLES$' "$root/share/man/man1/syrinx-play.1" | grep -q '^syrinx play ' || fail "syrinx-play.1 has no examples"
! grep -q '^Examples:' "$root"/share/man/man1/*.1 || fail "examples are left in a description"
# Each manual page that another page refers to is installed.
named=$(sed -n 's/^\.Xr \([^ ]*\) .*/\1/p' "$root"/share/man/man1/*.1 | sort -u)
grep -qx syrinx-play <<<"$named" || fail "the manual pages do not name each other"
for page in $named; do [ -f "$root/share/man/man1/$page.1" ] || fail "a manual page names $page, which is missing"; done
bash -n "$root/share/bash-completion/completions/syrinx"

units=$root/lib/systemd/system
grep -q '^ExecStart="/opt/syrinx/bin/syrinx" serve --http --wyoming' "$units/syrinx.service" || fail "the unit starts something else"
# The units contain the final path of the program, so it is replaced with that of this test.
sed -i "s|/opt/syrinx/bin/|$root/bin/|" "$units"/*.service
SYSTEMD_UNIT_PATH=$units: systemd-analyze verify --man=no "$units/syrinx.service" "$units/syrinx.socket" 2>&1 |
  { ! grep -F "$units"; } || fail "systemd does not accept a unit"
for unit in syrinx syrinx@; do
  systemd-analyze security --offline=yes --threshold=30 "$units/$unit.service" >"$folder/security" ||
    fail "$unit.service is exposed: $(tail -1 "$folder/security")"
done

# With a built command, the installer builds nothing.
mkdir "$folder/bin"
printf '#!/bin/sh\necho "built: $*" >&2\nexit 1\n' >"$folder/bin/swift"
chmod +x "$folder/bin/swift"
PATH=$folder/bin:$PATH install --command "$command" || fail "the installer builds something"
cp "$command" "$folder/bin/syrinx"
! install --command "$folder/bin/syrinx" 2>/dev/null || fail "a command without its manual was taken"

# The path of the command is relative to the folder in which the installer is called.
(
  cd "$(dirname "$command")"
  DESTDIR=$folder bash "$OLDPWD/Packaging/install.sh" --prefix /opt/syrinx --command "./$(basename "$command")"
)

install --uninstall
left=$(cd "$folder/opt" && find . -type f)
[ "$left" = ./syrinx/bin/other ] || fail "not only the other file was left: $left"
left=$(cd "$root" && find . -mindepth 1 -type d | LC_ALL=C sort | xargs)
[ "$left" = "./bin ./lib ./share ./share/man" ] || fail "not only the existing folders were left: $left"

# A relative DESTDIR is relative to the caller's folder, and a prefix may contain special characters of systemd and sed.
(cd "$folder" && DESTDIR=odd bash "$OLDPWD/Packaging/install.sh" --prefix '/opt/100% sy & rinx' --command "$command")
grep -qxF 'ExecStart="/opt/100%% sy & rinx/bin/syrinx" serve --http --wyoming' "$folder/odd/opt/100% sy & rinx/lib/systemd/system/syrinx.service" ||
  fail "a unit has the wrong prefix"
DESTDIR=$folder/homes bash Packaging/install.sh --prefix /home/user/.local --command "$command" 2>/dev/null
[ ! -e "$folder/homes/home/user/.local/lib/systemd" ] || fail "a home folder has units"

! install --uninstall 2>/dev/null || fail "what is not installed was removed"
! bash Packaging/install.sh --prefix relative 2>/dev/null || fail "a relative prefix was taken"
echo "installed, used, and removed"
