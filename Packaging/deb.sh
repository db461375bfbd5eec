#!/usr/bin/env bash
# Makes a Debian package of the command, and prints its path:
#   Packaging/deb.sh [--command FILE] [FOLDER]
# The package is written to FOLDER (default: .build/small). FILE is a built command; without it, Packaging/build.sh builds one.
# DEBFULLNAME and DEBEMAIL name the maintainer, as for Debian's tools.
set -euo pipefail

command='' folder=''
while [ $# -gt 0 ]; do
  case "$1" in
  --command)
    [ -f "${2:-}" ] || { echo "deb.sh: --command needs a built command" >&2; exit 64; }
    command=$(realpath "$2")
    shift
    ;;
  -*)
    echo "usage: Packaging/deb.sh [--command FILE] [FOLDER]" >&2
    exit 64
    ;;
  *) folder=$(realpath -m "$1") ;;
  esac
  shift
done
cd "$(dirname "$0")/.."
folder=${folder:-.build/small}
[ -n "$command" ] || command=$(bash Packaging/build.sh)
mkdir -p "$folder"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
version=$("$command" --version)-1
maintainer="${DEBFULLNAME:-The Syrinx authors} <${DEBEMAIL:-syrinx@example.com}>"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
DESTDIR=$tree bash Packaging/install.sh --prefix /usr --command "$command" >&2
# dpkg keeps its own list of installed files.
rm -r "$tree/usr/share/syrinx"
gzip -9n "$tree"/usr/share/man/man1/*
# Debian's zsh reads completions of packages from this folder.
mv "$tree/usr/share/zsh/site-functions" "$tree/usr/share/zsh/vendor-completions"

documents=$tree/usr/share/doc/syrinx
rm "$documents/README.md" "$documents/LICENSE"
gzip -9nc "$documents/CHANGELOG.md" >"$documents/changelog.gz"
rm "$documents/CHANGELOG.md"
gzip -9n >"$documents/changelog.Debian.gz" <<END
syrinx ($version) unstable; urgency=medium

  * See changelog.gz.

 -- $maintainer  $(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
END
{
  cat <<'END'
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Comment: THIRD-PARTY-NOTICES.md has the notices and the license texts of what the command contains, links, and loads.

Files: *
END
  sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
  echo 'License: MIT'
  sed '1,/^Copyright/d' LICENSE | sed -e '1{/^$/d}' -e 's/^$/./' -e 's/^/ /'
  echo
  echo 'Files: usr/bin/syrinx'
  sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
  cat <<'END'
 2014-2026, Apple Inc. and the Swift project authors
 2017-2026, the SwiftNIO, SwiftLog, and SwiftMetrics project authors
 2018, Fedor Indutny
License: MIT and Apache-2.0
 The command contains Swift's libraries and packages under the Apache License
 2.0, most of them with the Runtime Library Exception, and llhttp under the MIT
 license. THIRD-PARTY-NOTICES.md in this folder has their notices and license
 texts. On Debian systems, the Apache License 2.0 is also in
 /usr/share/common-licenses/Apache-2.0.
END
} >"$documents/copyright"

mkdir -p "$tree/usr/share/lintian/overrides"
cat >"$tree/usr/share/lintian/overrides/syrinx" <<'END'
# The package is not part of Debian, so no Debian bug asks for it.
syrinx: initial-upload-closes-no-bugs
END

# The packages of the libraries that the command calls. A command of Packaging/build.sh loads them on demand, so the file with
# explicit dependencies is examined.
linked=$command.linked
[ -f "$linked" ] || linked=$command
mkdir -p "$work/debian" "$tree/DEBIAN"
echo 'Source: syrinx' >"$work/debian/control"
libraries=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info "$linked" "$command" 2>/dev/null | sed 's/^shlibs:Depends=//')
# dpkg-shlibdeps considers only the versions of functions, but relative relocations also require a version of the loader.
libc=$(sed -n 's/.*libc6 (>= \([^)]*\)).*/\1/p' <<<"$libraries")
[ -n "$libc" ] || { echo "deb.sh: dpkg-shlibdeps names no version of the C library" >&2; exit 1; }
versions=$(readelf --version-info "$command")
if [[ $versions == *GLIBC_ABI_DT_RELR* ]] && dpkg --compare-versions "$libc" lt 2.36; then
  libraries=${libraries/"libc6 (>= $libc)"/libc6 (>= 2.36)}
fi
case $libraries in
*libsndfile1*) ;;
*) echo "deb.sh: $command needs no libsndfile: give the command that Packaging/build.sh built, where it built it" >&2; exit 1 ;;
esac
cat >"$tree/DEBIAN/control" <<END
Package: syrinx
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $maintainer
Installed-Size: $(du -k --apparent-size -s "$tree/usr" "$tree/lib" 2>/dev/null | awk '{ sum += $1 } END { print sum }')
Depends: $libraries
Recommends: pocketsphinx-en-us, python3-pip
Suggests: ffmpeg, libsoundtouch1
Section: sound
Priority: optional
Description: play, record, and recognize sound
 A command that plays and records through ALSA, recognizes speech with
 Moonshine, PocketSphinx, or Vosk, and looks at, converts, measures, and draws
 sound files. It serves recognition to Home Assistant by the Wyoming protocol.
END
(cd "$tree" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | LC_ALL=C sort | xargs md5sum) >"$tree/DEBIAN/md5sums"
package=$folder/syrinx_${version}_$(dpkg --print-architecture).deb
dpkg-deb --root-owner-group --build "$tree" "$package" >&2
echo "$package"
