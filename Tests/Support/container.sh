#!/usr/bin/env bash
# Carries out the steps of Packaging/Containerfile without a container engine, and uses the server in the tree, as root:
#   Tests/Support/container.sh COMMAND
# debootstrap makes the tree of the image. COMMAND is a built command that needs no other files: Packaging/build.sh prints one.
set -euo pipefail
cd "$(dirname "$0")/../.."

bash Packaging/packages.sh test
command=$(realpath -- "$1")
folder=$(mktemp -d)
tree=$folder/tree context=$folder/context network=''
user=root environment=() health=() start=()
fail() {
  echo "container.sh: $1" >&2
  exit 1
}
clean() {
  if [ -n "${server:-}" ]; then kill "$server" 2>/dev/null || true; fi
  for mount in "$tree/proc" "$tree/dev" "$folder/network"; do
    if mountpoint -q "$mount"; then umount "$mount"; fi
  done
  rm -rf --one-file-system "$folder"
}
trap clean EXIT

# inside WORD...: runs a command in the tree, as the user and with the environment of the previous steps.
inside() {
  ${network:+nsenter --net="$network"} chroot --userspec="$user" "$tree" \
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${environment[@]}" "$@"
}

# step INSTRUCTION REST: carries out one instruction of the Containerfile.
step() {
  case $1 in
  FROM)
    [[ $2 == debian:*-slim ]] || fail "FROM $2 is not a slim Debian"
    local suite=${2#debian:} mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)
    debootstrap --variant=minbase "${suite%-slim}" "$tree" "$mirror"
    cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
    mount --bind /dev "$tree/dev"
    mount -t proc proc "$tree/proc"
    ;;
  RUN) inside sh -c "$2" ;;
  COPY)
    [ "$2" = ". /" ] || fail "COPY $2 is not . /"
    cp -r --preserve=mode "$context/." "$tree/"
    ;;
  ENV) environment+=("$2") ;;
  USER) user=$2 ;;
  EXPOSE) ;;
  HEALTHCHECK) mapfile -d '' health < <(words "${2#*CMD }") ;;
  CMD) mapfile -d '' start < <(words "$2") ;;
  *) fail "$1 is unknown" ;;
  esac
}

# words JSON: prints the texts of an array, separated by NUL.
words() { python3 -c 'import json, sys; print(*json.loads(sys.argv[1]), sep="\0", end="\0")' "$1"; }

DESTDIR=$context bash Packaging/install.sh --prefix /usr --command "$command"
while read -r instruction rest <&3; do
  step "$instruction" "$rest"
done 3< <(grep -v '^#' Packaging/Containerfile | sed -e ':next' -e '/\\$/{N;s/\\\n *//;b next' -e '}')

# The server gets a separate network, so the image's own port is free.
touch "$folder/network"
unshare --net="$folder/network" ip link set lo up
network=$folder/network
[ "$(inside id -un)" = syrinx ] || fail "the server runs as $(inside id -un)"
! inside "${health[@]}" 2>/dev/null || fail "healthy without a server"
exec 4< <(exec nsenter --net="$network" chroot --userspec="$user" "$tree" \
  env -i PATH=/usr/bin:/bin "${environment[@]}" "${start[@]}" 2>&1)
server=$!
read -r first <&4
read -r second <&4
for address in http://0.0.0.0:8080 tcp://0.0.0.0:10300; do
  [[ $first$second == *"listening on $address"* ]] || fail "the server says: $first $second"
done
inside "${health[@]}" || fail "not healthy"
text=$(nsenter --net="$network" "$command" transcribe --engine wyoming --server tcp://127.0.0.1 Samples/sounds/go-forward.wav)
[ "$text" = "go forward ten meters" ] || fail "the server recognized: $text"
text=$(nsenter --net="$network" curl -sS -F file=@Samples/sounds/go-forward.wav -F model=syrinx -F response_format=text \
  http://127.0.0.1:8080/v1/audio/transcriptions)
[ "$text" = "go forward ten meters" ] || fail "the server recognized over HTTP: $text"
kill "$server"
wait "$server" || fail "the server ended with status $?"
server=''
echo "built, healthy, and used"
