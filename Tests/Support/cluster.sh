#!/usr/bin/env bash
# Runs the samples for many machines, as root, on clusters of four workers on this machine, and compares their results byte for
# byte with those of one process:
#   Tests/Support/cluster.sh COMMAND [ENGINE-OPTION...]
# COMMAND is a built command. Without options, the engine is PocketSphinx, and the formats are text and vtt. Moonshine's JSON is
# reproducible, too: --engine moonshine --format vtt,json. One worker of each cluster is killed halfway. Each file must have one
# record in the manifest. SYRINX_CLUSTER_PARTS selects some of the parts: dask s3 spark slurm.
set -euo pipefail
cd "$(dirname "$0")/../.."

command=$(realpath -- "$1")
shift
# No JSON, because PocketSphinx's confidences depend on the files recognized before, so they differ by a thousandth between
# shares.
options=(--format 'text,vtt')
if [ $# -gt 0 ]; then options+=("$@"); else options+=(--engine pocketsphinx); fi
bash Packaging/packages.sh cluster
bash Tests/Support/python.sh cluster
python=$PWD/.build/cluster
samples=$PWD/Samples/cluster
folder=$(mktemp -d)
audio=$folder/audio runs=$folder/runs
started=()
fail() {
  echo "cluster.sh: $1" >&2
  exit 1
}
clean() {
  if [ -n "${SLURM_CONF:-}" ]; then scancel --user "$(id -un)" || true; fi
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  wait
  rm -rf --one-file-system "$folder"
}
trap clean EXIT

# A wrapper of the command writes a line at each start, so that a second start of a share is visible.
mkdir -p "$folder/bin"
printf '#!/bin/sh\necho start >>%q\nexec %q "$@"\n' "$runs" "$command" >"$folder/bin/syrinx"
chmod +x "$folder/bin/syrinx"
export PATH=$folder/bin:$PATH PYTHONPATH=$python TMPDIR=$folder

# make_audio: creates 40 different clips in folders, one of them truncated, and another file.
make_audio() {
  local number sounds=(go-forward.wav two-utterances.wav turn-44100-stereo.flac)
  for number in {0..39}; do
    local path=$audio/day$((number / 15))/clip$number.wav
    mkdir -p "$(dirname "$path")"
    sox -R "Samples/sounds/${sounds[number % 3]}" "$path" gain -$((number % 7)) pad 0.$((number + 10)) 0.5
  done
  sox Samples/sounds/go-forward.wav "$audio/day1/two words.flac"
  truncate --size 20000 "$audio/day0/clip3.wav"
  (cd "$audio" && find . -type f -printf '%P\0' | LC_ALL=C sort --zero-terminated) >"$folder/list"
}

# records FOLDER: prints the sorted manifest, without the times of modification, which a bucket does not keep.
records() { sed 's/"modified":[0-9.]*,//' "$1/manifest.jsonl" | LC_ALL=C sort; }

# compare FOLDER: fails unless transcripts, list of failures, and records equal those of one process.
compare() {
  diff --recursive --exclude .shares --exclude manifest.jsonl "$folder/one" "$1" || fail "other transcripts in $1"
  diff <(records "$folder/one") <(records "$1") || fail "other records in $1"
}

# ancestor PROCESS PATTERN: prints the nearest ancestor whose command line contains the pattern.
ancestor() {
  local process=$1
  while process=$(ps -o ppid= -p "$process" | tr -d ' ') && [ "${process:-0}" -gt 1 ]; do
    if tr '\0' ' ' <"/proc/$process/cmdline" | grep -q -e "$2"; then
      echo "$process"
      return
    fi
  done
  return 1
}

# tree PROCESS: prints the process and its descendants.
tree() {
  echo "$1"
  local child
  for child in $(pgrep --parent "$1"); do tree "$child"; done
}

# kill_worker COUNT PATTERN FOLDER...: when the folders contain COUNT records or subtitles, kills a worker during a share.
kill_worker() {
  local wanted=$1 pattern=$2 count=0 process worker
  shift 2
  mkdir -p "$@"
  exec 3< <(exec inotifywait --quiet --monitor --event moved_to --format %f --include '\.(json|vtt)$' "$@" 2>&1)
  local watch=$!
  started+=("$watch")
  (
    while read -r _ <&3; do
      count=$((count + 1))
      [ "$count" -ge "$wanted" ] || continue
      for process in $(pgrep --full "^$command transcribe .*--output-dir $folder"); do
        worker=$(ancestor "$process" "$pattern") || continue
        # A Slurm node dies with all its processes. In other clusters, child processes end with their worker.
        if [ "$pattern" = slurmstepd ]; then worker=$(tree "$worker"); fi
        if kill -KILL $worker; then
          echo "process" $worker "after $count of them" >"$folder/killed"
          kill "$watch"
          exit
        fi
      done
    done
  ) &
  started+=("$!")
}

# survived NAME SHARES: fails unless a worker was killed and its share was started again.
survived() {
  [ -s "$folder/killed" ] || fail "$1: no worker was killed"
  local starts
  starts=$(wc --lines <"$runs")
  [ "$starts" -gt "$2" ] || fail "$1: $starts starts for $2 shares"
  echo "$1: killed $(cat "$folder/killed"); $starts starts for $2 shares"
  rm "$folder/killed"
}

# nothing_left NAME: fails if a share has left a temporary folder, even that of a killed worker.
nothing_left() {
  local process
  for process in $(pgrep --full "^sh -c cat; rm -rf .* $folder/syrinx-share-"); do tail --pid "$process" --follow /dev/null; done
  [ -z "$(find "$folder" -maxdepth 1 -name 'syrinx-share-*')" ] || fail "$1: a share has left a temporary folder"
}

# refused FOLDER COMMAND...: runs the command while another process has locked the folder; fails unless it is refused.
refused() {
  local status=0 output=$1
  shift
  printf 'process 7 on elsewhere' >"$output/.lock"
  flock "$output/.lock" "$@" 2>"$folder/log" || status=$?
  [ "$status" = 1 ] && grep -q "process 7 on elsewhere is writing into $output;" "$folder/log" ||
    fail "not refused, status $status: $(cat "$folder/log")"
}

# appears FILE TEXT: waits until a process that was just started has written the text.
appears() { grep -q -m 1 -e "$2" <(exec timeout 120 tail --pid "${started[-1]}" --lines +1 --follow "$1"); }

# failed COMMAND...: runs the command; fails unless its status is 1, because of the truncated file.
failed() {
  local status=0
  "$@" 2>"$folder/log" || status=$?
  [ "$status" = 1 ] || fail "status $status: $(tail -n 20 "$folder/log")"
}

# one OUTPUT OPTION...: transcribes everything in one process.
one() { (cd "$audio" && tr '\0' '\n' <"$folder/list" | syrinx transcribe --files-from - -o "$@" "${options[@]}"); }

# change_options OUTPUT: runs with other options, which overwrites one of two shares. A third run with the first options must
# transcribe only this share again, and yield the first transcripts.
change_options() {
  PYTHONPATH=$samples:$python python3 - "$audio/day2" "$1" "${options[@]}" <<'PYTHON'
import sys
from fsspec.core import url_to_fs
import shares

source, output, *options = sys.argv[1:]
target, results = url_to_fs(output)

def transcribe(count, *more):
    archive = shares.Archive(source, output, (*options, *more), ("clip3[0-3].wav",))
    plan = archive.plan(archive.files(), 2)
    for share in plan[:count]:
        archive.transcribe(share)
    return len(plan), [target.cat_file(f"{results}/clip3{number}.vtt") for number in range(4)]

count, first = transcribe(2)
_, other = transcribe(1, "--longest-utterance", "1")
assert count == 2 and other != first, (count, first, other)
again = transcribe(2)
assert again == (1, first), (again, first)
PYTHON
}

test_dask() {
  change_options "$folder/options"
  rm -f "$runs"
  kill_worker 14 . "$folder/dask/.shares"
  failed python3 "$samples/dask/transcribe.py" "$audio" "$folder/dask" --workers 4 --share 3 -- "${options[@]}"
  compare "$folder/dask"
  survived dask 14
  nothing_left dask
  refused "$folder/dask" python3 "$samples/dask/transcribe.py" "$audio" "$folder/dask" --workers 1
  refused "$folder/dask" syrinx transcribe "$audio" --output-dir "$folder/dask" "${options[@]}"
  # A second run starts only the share with the truncated file, and one process skips all finished files.
  rm "$runs"
  failed python3 "$samples/dask/transcribe.py" "$audio" "$folder/dask" --workers 1 --share 3 -- "${options[@]}"
  [ "$(wc --lines <"$runs")" = 1 ] || fail "dask: $(wc --lines <"$runs") starts in a second run"
  compare "$folder/dask"
  (one "$folder/dask" --resume --json 2>/dev/null || true) >"$folder/events"
  grep -q '"skipped":40' "$folder/events" || fail "dask: one process does not know what is done"
}

test_s3() {
  export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_DEFAULT_REGION=us-east-1
  touch "$folder/moto.log"
  python3 -u -m moto.server --port 0 >"$folder/moto.log" 2>&1 &
  started+=("$!")
  appears "$folder/moto.log" 'Running on'
  AWS_ENDPOINT_URL=$(grep -o 'http://.*' "$folder/moto.log")
  export AWS_ENDPOINT_URL
  python3 - "$audio/" <<'PYTHON'
import sys, s3fs

s3fs.S3FileSystem().mkdir("archive")
s3fs.S3FileSystem().put(sys.argv[1], "archive/audio", recursive=True)
PYTHON
  failed python3 "$samples/dask/transcribe.py" s3://archive/audio s3://archive/text --workers 4 --share 3 -- "${options[@]}"
  python3 -c 'import sys, s3fs; s3fs.S3FileSystem().get("archive/text", sys.argv[1], recursive=True)' "$folder/s3/"
  compare "$folder/s3/text"
  change_options s3://archive/options
  echo "s3: equal"
}

test_spark() {
  rm -f "$runs"
  kill_worker 14 CoarseGrainedExecutorBackend "$folder/spark/.shares"
  failed "$python/bin/spark-submit" --master 'local-cluster[4,1,1024]' --conf spark.ui.enabled=false \
    "$samples/spark/transcribe.py" "$audio" "$folder/spark" --share 3 -- "${options[@]}"
  compare "$folder/spark"
  survived spark 14
  nothing_left spark
}

# start_slurm: starts a controller, and one node with four processors, regardless of the machine.
start_slurm() {
  local slurm=$folder/slurm.d node
  node=$(hostname -s)
  mkdir -p "$slurm"/{state,spool}
  head -c 128 /dev/urandom >"$slurm/key"
  chmod 600 "$slurm/key"
  cat >"$slurm/slurm.conf" <<CONFIGURATION
ClusterName=syrinx
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
AuthInfo=socket=$slurm/munge,cred_expire=5
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
BatchStartTimeout=1
SlurmdTimeout=5
MpiDefault=none
NodeName=$node NodeAddr=127.0.0.1 CPUs=4
PartitionName=all Nodes=ALL Default=YES State=UP
CONFIGURATION
  export SLURM_CONF=$slurm/slurm.conf
  touch "$slurm"/{munge,munged,slurmctld}.log
  munged --foreground --force --socket="$slurm/munge" --key-file="$slurm/key" --pid-file="$slurm/munge.pid" \
    --seed-file="$slurm/seed" --log-file="$slurm/munge.log" >"$slurm/munged.log" 2>&1 &
  started+=("$!")
  appears "$slurm/munged.log" 'Created .* work threads'
  slurmctld -D >/dev/null 2>&1 &
  started+=("$!")
  appears "$slurm/slurmctld.log" 'Running as primary controller'
  slurmd -D >/dev/null 2>&1 &
  started+=("$!")
}

# array TASKS LIST: submits an array, and prints its number.
array() {
  sbatch --parsable --array="$1" --output="$folder/slurm-%a.log" "$samples/slurm/transcribe.sbatch" "$audio" "$2" "$folder/slurm" \
    "${options[@]}"
}

# merge ARRAY: merges the results after the array has ended.
merge() {
  sbatch --wait --dependency="afterany:$1" --output="$folder/merge.log" "$samples/slurm/merge.sbatch" "$folder/slurm" "$1"
}

test_slurm() {
  local job output=$folder/slurm lines
  start_slurm
  kill_worker 20 slurmstepd "$output"/.shares/4/{0..3}/day{0..2}
  rm -f "$runs"
  job=$(array 0-3 "$folder/list")
  failed merge "$job"
  compare "$output"
  survived slurm 4
  # In an array of another size, only the first task runs.
  head --zero-terminated --lines 8 "$folder/list" >"$folder/shorter-list"
  job=$(array 0-1%1 "$folder/shorter-list")
  scancel "${job}_1"
  failed merge "$job"
  grep -q "array $job: unfinished tasks: 1\." "$folder/merge.log" || fail "slurm: $(cat "$folder/merge.log")"
  # With one more file, and without the truncated one, an array of the first size transcribes only the new file.
  sox Samples/sounds/go-forward.wav "$audio/day0/added.wav"
  (cat "$folder/list" && printf 'day0/added.wav\0') | grep --null-data --invert-match day0/clip3.wav |
    LC_ALL=C sort --zero-terminated >"$folder/longer-list"
  job=$(array 0-3 "$folder/longer-list")
  merge "$job" || fail "slurm: status $? after a success: $(tail "$folder/merge.log")"
  rm "$audio/day0/added.wav"
  lines=$(wc --lines <"$output/manifest.jsonl")
  [ "$lines" = 41 ] || fail "slurm: $((lines - 40)) files transcribed for a new one"
  [ -s "$output/day0/added.vtt" ] && [ ! -e "$output/failed.txt" ] || fail "slurm: no transcript of a new file, or a failure"
}

make_audio
one "$folder/one" --quiet || [ $? = 1 ]
[ "$(wc --lines <"$folder/one/manifest.jsonl")" = 40 ] || fail "one process transcribed $(wc --lines <"$folder/one/manifest.jsonl")"
for part in ${SYRINX_CLUSTER_PARTS:-dask s3 spark slurm}; do "test_$part"; done
echo "transcribed by four workers as by one process"
