#!/usr/bin/env bash
# Types speech into a window of an X server without a screen, as on the page "Dictation into any window":
#   dictation.sh COMMAND
# It needs Debian's packages xvfb, xdotool, and xterm.
set -euo pipefail
command=$1
cd "$(dirname "$0")/../.."
for program in Xvfb xdotool xterm; do
  type "$program" >/dev/null || { echo "dictation.sh: $program is missing: apt-get install xvfb xdotool xterm" >&2; exit 1; }
done
folder=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || :; rm -rf "$folder"' EXIT
mkfifo "$folder/display" "$folder/typed" "$folder/notices"

exec 3<>"$folder/display"
Xvfb -displayfd 3 -screen 0 800x600x24 >"$folder/xvfb.log" 2>&1 & pids+=($!)
read -r -t 60 number <&3
export DISPLAY=:$number

# The shell in the window passes on the line that is typed into it.
xterm -e bash -c "echo ready >'$folder/typed'; read -r line; echo \"\$line\" >'$folder/typed'" & pids+=($!)
exec 4<>"$folder/typed"
read -r -t 60 line <&4
xdotool search --sync --onlyvisible --class xterm windowfocus --sync

exec 5<>"$folder/notices"
"$command" listen --toggle -d virtual:Samples/sounds/go-forward.wav --exec-shell \
  --exec 'xdotool type --clearmodifiers -- "$SYRINX_TEXT" && xdotool key Return' 2>&5 >/dev/null & listening=$!
pids+=("$listening")
await() {
  while read -r -t 60 line <&5; do case $line in *"$1"*) return ;; esac; done
  echo "dictation.sh: listen never reported \"$1\"" >&2
  return 1
}
await "listening is off;"
kill -USR1 "$listening"
await "listening is on"
read -r -t 60 line <&4
kill -INT "$listening"
wait "$listening"
[ "$line" = "go forward 10 meters" ] || { echo "dictation.sh: the window got \"$line\"" >&2; exit 1; }
echo "the window got \"$line\""
