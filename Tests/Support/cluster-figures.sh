#!/usr/bin/env bash
# Measures the times of one process and of four Dask workers for the same recordings, for the page "Scaling":
#   Tests/Support/cluster-figures.sh COMMAND FOLDER [COPIES]
# FOLDER contains recorded speech; each file is transcribed COPIES times (default: 10) with the default engine. COMMAND is a
# release build, and nothing else may run on the machine.
set -euo pipefail
cd "$(dirname "$0")/../.."

command=$(realpath -- "$1")
speech=$(realpath -- "$2")
bash Tests/Support/python.sh cluster
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/bin"
ln -s "$command" "$folder/bin/syrinx"
export PATH=$folder/bin:$PATH PYTHONPATH=$PWD/.build/cluster

for ((copy = 0; copy < ${3:-10}; copy++)); do
  mkdir -p "$folder/audio/$copy"
  find "$speech" -name '*.wav' -exec cp -t "$folder/audio/$copy" {} +
done
audio=$(syrinx info --json "$speech"/*.wav | python3 -c '
import json, sys
print(sum(json.loads(line)["length"] for line in sys.stdin) * int(sys.argv[1]))' "${3:-10}")

# measure NAME COMMAND...: prints the elapsed time, the CPU time, and the CPU time per hour of audio, in seconds.
measure() {
  local name=$1 TIMEFORMAT='%R %U %S' times
  shift
  times=$({ time "$@" >"$folder/log" 2>&1; } 2>&1)
  awk -v name="$name" -v audio="$audio" \
    '{printf "%-16s %7.1f s elapsed, %7.1f s CPU, %6.1f s CPU an hour\n", name, $1, $2 + $3, ($2 + $3) / audio * 3600}' <<<"$times"
}

printf '%s processors, %.1f s of audio\n' "$(nproc)" "$audio"
measure "1 job" syrinx transcribe "$folder/audio" -o "$folder/one" --jobs 1
measure "2 jobs" syrinx transcribe "$folder/audio" -o "$folder/two" --jobs 2
measure "4 Dask workers" python3 Samples/cluster/dask/transcribe.py "$folder/audio" "$folder/dask" --workers 4 --share 16
measure "loading" syrinx transcribe Samples/sounds/chirp.wav -o "$folder/load" | cut -d, -f 1-2
