#!/usr/bin/env bash
# Runs three servers behind Debian's HAProxy with Samples/cluster/balancer/haproxy.cfg, and kills one while six clients speak:
#   Tests/Support/balancer.sh COMMAND
# A killed server may lose its current utterances, and must lose at least one, or nothing was tested. A stopped server still has
# an open port, so only `describe` shows that it does not respond.
set -euo pipefail
cd "$(dirname "$0")/../.."

command=$(realpath -- "$1")
bash Packaging/packages.sh cluster
bash Tests/Support/python.sh
folder=$(mktemp -d)
servers=() ports=()
sound=Samples/sounds/go-forward.wav
fail() {
  echo "balancer.sh: $1" >&2
  exit 1
}
clean() {
  for process in "${servers[@]}" "${balancer:-}"; do
    if [ -n "$process" ]; then kill -CONT "$process" 2>/dev/null && kill "$process" 2>/dev/null || true; fi
  done
  wait
  rm -rf "$folder"
}
trap clean EXIT

# appears FILE TEXT PROCESS [LINE]: waits until the process has written the text to line LINE or a later line.
appears() { grep -q -m 1 -e "$2" <(exec timeout 120 tail --pid "$3" --lines "+${4:-1}" --follow "$1"); }

# serve NUMBER PORT: starts a server; PORT 0 selects a free port.
serve() {
  local log=$folder/server$1
  : >"$log"
  "$command" serve --wyoming "tcp://127.0.0.1:$2" --engine pocketsphinx --connections 6 2>"$log" &
  servers[$1]=$!
  appears "$log" 'listening on' "$!" || fail "a server does not start: $(cat "$log")"
  ports[$1]=$(sed -n 's/.*listening on tcp:[^:]*:\([0-9]*\).*/\1/p' "$log")
}

# speak UTTERANCES [PROCESS PORT]: runs six clients at the same time, and prints the number of lost utterances.
speak() {
  PYTHONPATH=.build/python python3 Tests/Support/Wyoming/load.py "tcp://127.0.0.1:$port" "$sound" "go forward ten meters" 6 "$@"
}

recognized() { grep -c ' recognized ' "$folder/server$1" || true; }

# changes SERVER STATE: waits until the balancer reports this state of the server after all lines seen before.
changes() {
  appears "$folder/log" "recognizers/$1 is $2" "$balancer" $((seen + 1)) || fail "$1 is never $2: $(cat "$folder/log")"
  seen=$(wc --lines <"$folder/log")
}

for number in 0 1 2; do serve "$number" 0; done
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
sed -e "s/bind .*/bind 127.0.0.1:$port/" -e "s/192.168.1.11:10300/127.0.0.1:${ports[0]}/" \
  -e "s/192.168.1.12:10300/127.0.0.1:${ports[1]}/" -e "s/192.168.1.13:10300/127.0.0.1:${ports[2]}/" \
  Samples/cluster/balancer/haproxy.cfg >"$folder/haproxy.cfg"
seen=0
: >"$folder/log"
haproxy -W -f "$folder/haproxy.cfg" >"$folder/log" 2>&1 &
balancer=$!
appears "$folder/log" 'Loading success' "$balancer" || fail "haproxy does not start: $(cat "$folder/log")"

[ "$(speak 3)" = 0 ] || fail "utterances are lost without a cause"
for number in 0 1 2; do
  [ "$(recognized "$number")" -ge 4 ] || fail "server $number recognized $(recognized "$number") of 18 utterances"
done

lost=$(speak 6 "${servers[1]}" "${ports[1]}")
[ "$lost" -ge 1 ] || fail "the killed server was in no utterance"
changes two DOWN

serve 1 "${ports[1]}"
changes two UP
[ "$(speak 3)" = 0 ] || fail "utterances are lost after the return of a server"
[ "$(recognized 1)" -ge 4 ] || fail "the server that returned recognized $(recognized 1) of 18 utterances"

kill -STOP "${servers[2]}"
changes three DOWN
[ "$(speak 2)" = 0 ] || fail "a stopped server gets utterances"
kill -CONT "${servers[2]}"
changes three UP
echo "balanced; a killed server cost $lost of 36 utterances"
