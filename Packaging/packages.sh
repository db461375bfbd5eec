#!/usr/bin/env bash
# Installs the Debian packages that are missing: packages.sh build | test | bench | site | deb | cluster
# `build` has the packages to build and use Syrinx; `test` adds the peers of its tests, and `bench` the peers of its
# benchmarks. `site`, `deb`, and `cluster` have only the packages that check the documentation's site and the
# server's page, a Debian package, and the samples for many machines.
set -euo pipefail

build=(
  g++ gcc pkg-config
  libasound2-dev libcairo2-dev libebur128-dev libflac-dev libkissfft-dev libmpg123-dev libpng-dev
  libsndfile1-dev libsoxr-dev libtag1-dev libvorbis-dev libpocketsphinx-dev libsphinxbase-dev libyaml-dev pocketsphinx-en-us python3-pip
)
test=(
  alsa-utils avahi-daemon avahi-utils cmake curl dbus-daemon debootstrap ffmpeg fish flac iproute2 libasound2-plugins
  libcurl4-openssl-dev # Programs that are linked statically with Foundation need it.
  libsoundtouch1 libsox-fmt-all libspeexdsp1 ninja-build pulseaudio sndfile-programs sox systemd zsh
)
bench=(flite opus-tools parallel pocketsphinx)

case "${1:-}" in
build) wanted=("${build[@]}") ;;
test) wanted=("${build[@]}" "${test[@]}") ;;
bench) wanted=("${build[@]}" "${test[@]}" "${bench[@]}") ;;
site) wanted=(chromium) ;;
deb) wanted=(debootstrap dpkg-dev lintian) ;;
cluster) wanted=(default-jre-headless haproxy inotify-tools iproute2 munge procps slurm-wlm sox) ;;
*)
  echo "usage: packages.sh build | test | bench | site | deb | cluster" >&2
  exit 64
  ;;
esac

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "installing ${missing[*]}" >&2
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install these packages first: ${missing[*]} (not root, and no sudo to do it here)" >&2
    exit 1
  fi
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -q >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -qy --no-install-recommends "${missing[@]}" >&2
