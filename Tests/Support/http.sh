#!/usr/bin/env bash
# Runs the HTTP server, and sends it requests that are made from its own description, and bad ones:
#   Tests/Support/http.sh COMMAND [ROUNDS]
# schemathesis compares the responses with /openapi.json; HTTP/hostile.py leaves in the middle ROUNDS times (1,000), and sends
# requests that no client library sends. The last line has the figures of the whole run.
set -euo pipefail
cd "$(dirname "$0")/../.."

command=$(realpath -- "$1")
bash Tests/Support/python.sh schemathesis
folder=$(mktemp -d)
server=
clean() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
  wait
  rm -rf "$folder"
}
trap clean EXIT
fail() {
  echo "http.sh: $1" >&2
  exit 1
}

# serve OPTION...: starts a server in place of the last one, and sets `url`.
serve() {
  end
  : >"$folder/log"
  "$command" serve --http tcp://127.0.0.1:0 --engine pocketsphinx "$@" 2>"$folder/log" &
  server=$!
  grep -q -m 1 'listening on' <(exec timeout 120 tail --pid "$server" --lines +1 --follow "$folder/log") ||
    fail "the server does not start: $(cat "$folder/log")"
  url=$(sed -n 's/.*listening on \(http:[^; ]*\).*/\1/p' "$folder/log")
}

# end: ends the server, which must not have crashed.
end() {
  local status=0
  [ -n "$server" ] || return 0
  kill "$server" 2>/dev/null || true
  wait "$server" || status=$?
  server=
  [ "$status" = 0 ] || fail "the server ended with status $status: $(tail -n 20 "$folder/log")"
}

sound=$PWD/Samples/sounds/go-forward.wav
for suffix in wav flac ogg mp3; do
  sox "$sound" "$folder/said.$suffix" trim 0.3 0.2
done

status=0
serve
# It writes files into its folder. The commands that repeat a request are cut, because they contain whole files.
(
  tests=$PWD/Tests/Support/HTTP packages=$PWD/.build/schemathesis
  cd "$folder"
  FILES=$folder PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$packages:$tests SCHEMATHESIS_HOOKS=files \
    python3 -m schemathesis.cli --config-file "$tests/schemathesis.toml" run "$url/openapi.json" \
    --phases examples,coverage,fuzzing --max-examples 200 --seed 39 --request-timeout 60 \
    --suppress-health-check all --warnings off | cut -c 1-600
) || status=1

serve --connections 4 --idle-timeout 5 --upload-limit 8000000
PYTHONDONTWRITEBYTECODE=1 python3 Tests/Support/HTTP/hostile.py "$url" "$server" "$sound" "${2:-1000}" || status=1
end
exit "$status"
