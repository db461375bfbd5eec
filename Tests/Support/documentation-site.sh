#!/usr/bin/env bash
# Builds the static site of the documentation and checks in a browser that pages show their text, and that a link from
# one module leads to a page of another.
set -euo pipefail
cd "$(dirname "$0")/../.."
bash Packaging/packages.sh site

work=$(mktemp -d)
fail() {
  echo "documentation-site.sh: $1" >&2
  exit 1
}
clean() {
  if [ -n "${server:-}" ]; then kill "$server" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap clean EXIT

bash Tests/Support/documentation.sh "$work/site"
exec 3< <(exec python3 -uc '
import functools, http.server, sys

handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port)
server.serve_forever()' "$work/site" 2>/dev/null)
server=$!
read -r port <&3

# page PATH: prints the page as the browser renders it.
page() {
  timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" \
    --virtual-time-budget=30000 --dump-dom "http://127.0.0.1:$port$1" 2>/dev/null
}
# shows PATH TEXT: succeeds if the page shows the text.
shows() {
  page "$1" >"$work/page" || fail "the browser cannot open $1"
  grep -qF "$2" "$work/page" || fail "$1 does not show \"$2\""
}

shows / "Where to begin"
shows /documentation/ "MoonshineEngine"
shows /documentation/soundfile/readingandwriting "Reading and writing files"
shows /documentation/moonshineengine "A test needs no model"
link=$(grep -oE 'href="/documentation/speechengine/[a-z]+' "$work/page" | head -n 1 | cut -d '"' -f 2)
[ -n "$link" ] || fail "MoonshineEngine has no link to SpeechEngine"
shows "$link" "Speech"
shows /documentation/nothing "Error code: 404"
echo "the site shows its pages, and its links cross modules"
