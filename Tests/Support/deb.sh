#!/usr/bin/env bash
# Makes the Debian package and lets lintian check it; installs it in a clean Debian 12, uses it there, and removes it, as root:
#   Tests/Support/deb.sh COMMAND
# COMMAND is a built command that needs no other files: Packaging/build.sh prints one.
set -euo pipefail
cd "$(dirname "$0")/../.."

bash Packaging/packages.sh deb
folder=$(mktemp -d)
tree=$folder/tree
fail() {
  echo "deb.sh: $1" >&2
  exit 1
}
clean() {
  for mount in "$tree/proc" "$tree/dev"; do
    if mountpoint -q "$mount"; then umount "$mount"; fi
  done
  rm -rf --one-file-system "$folder"
}
trap clean EXIT

[ "$(stat -Lc %s "$1")" -lt 25000000 ] || fail "the command is larger than 25 MB: does something import all of Foundation?"
started=$(objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }' | grep -vE '^(ld-linux-.*|lib(c|gcc_s|m|stdc\+\+))\.so' || true)
[ -z "$started" ] || fail "the command loads $started at its start"
package=$(bash Packaging/deb.sh --command "$1" "$folder")
again=$(bash Packaging/deb.sh --command "$1" "$folder/again")
cmp "$package" "$again" || fail "the same command makes another package"
lintian --fail-on error,warning,info "$package"
dpkg-deb --field "$package" Depends | grep -q 'libc6 (>= 2\.\(3[6-9]\|[4-9][0-9]\)' || fail "the package does not need the C library of its loader"

debootstrap --variant=minbase bookworm "$tree" "$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)" >/dev/null
cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
mount --bind /dev "$tree/dev"
mount -t proc proc "$tree/proc"
inside() { chroot "$tree" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
files() { (cd "$tree" && find usr lib -path '*syrinx*' | LC_ALL=C sort); }

cp "$package" Samples/sounds/go-forward.wav "$tree/tmp"
# Of the recommended packages, only the model is installed, because pip depends on a compiler.
inside apt-get install -qy --no-install-recommends "/tmp/$(basename "$package")" pocketsphinx-en-us \
  >"$folder/log" 2>&1 || fail "apt says: $(tail -n 5 "$folder/log")"
[ "$(inside syrinx --version)" = "$("$1" --version)" ] || fail "the version is $(inside syrinx --version)"
text=$(inside syrinx transcribe --engine pocketsphinx /tmp/go-forward.wav)
[ "$text" = "go forward 10 meters" ] || fail "it recognized: $text"
inside syrinx play --device virtual --quiet /tmp/go-forward.wav
inside syrinx record --device virtual:/tmp/go-forward.wav --seconds 1 --quiet /tmp/take.flac
[ "$(inside syrinx info --json /tmp/take.flac | grep -c '"frames":16000')" = 1 ] || fail "the recording does not have 16,000 frames"
# cairo is loaded with the first drawing, and TagLib with the first tag.
inside syrinx plot /tmp/take.flac -o /tmp/cover.png
inside syrinx convert /tmp/take.flac /tmp/take.mp3 --tag ARTIST=Ann --cover /tmp/cover.png
tags=$(inside syrinx info --json /tmp/take.mp3)
[[ $tags == *'"artist":"Ann"'* && $tags == *image/png* ]] || fail "the tags are: $tags"
# Without a library, only the commands that need it fail.
inside find /usr/lib -name 'libcairo.so.2*' -delete
if inside syrinx plot /tmp/take.flac -o /tmp/take.png 2>"$folder/log"; then fail "it drew without cairo"; fi
grep -q '^syrinx: cannot load a library: libcairo.so.2: .*; install it$' "$folder/log" || fail "without cairo it says: $(cat "$folder/log")"
inside syrinx info --json /tmp/take.flac >"$folder/log"
inside apt-get purge -qy syrinx >"$folder/log" 2>&1 || fail "apt says: $(tail -n 5 "$folder/log")"
[ -z "$(files)" ] || fail "it left $(files)"
echo "packaged, installed, used, and removed"
