#!/usr/bin/env bash
# A PulseAudio server without hardware, for tests. It has two null sinks, paced by the clock:
# `syrinx`, whose monitor `syrinx.monitor` captures what is played, and `syrinx51`, with the six
# channels of 5.1. The server is an ordinary process with its own socket. It ends 30 s after its
# last client has disconnected.
#
#   Tests/Support/pulse.sh start DIRECTORY   starts it, waits until it responds, and prints to stdout the
#                                            variables for its clients, as `export NAME=VALUE` lines
#   Tests/Support/pulse.sh stop DIRECTORY    ends it
#   Tests/Support/pulse.sh pause DIRECTORY   pauses it, so that it responds to no client (SIGSTOP)
#   Tests/Support/pulse.sh kill DIRECTORY    ends it abruptly (SIGKILL), like a crash
#   Tests/Support/pulse.sh continue DIRECTORY   continues it (SIGCONT)
#   Tests/Support/pulse.sh suspend DIRECTORY    suspends the sink syrinx with its monitor, as for an idle card
#   Tests/Support/pulse.sh resume DIRECTORY     resumes it
#   Tests/Support/pulse.sh move DIRECTORY SINK  moves all streams to a sink, or to its monitor
#
# DIRECTORY belongs to the server and is created if necessary. Its path has at most 80 characters, because
# the path of a socket must be short. With the variables, ALSA's devices `default` and `pulse` play to the sink
# and record its monitor.
set -euo pipefail

action=${1:?start, stop, kill, pause, continue, suspend, resume, or move}
directory=${2:?a directory for the socket}
socket=$directory/native
pid=$directory/pid
wav51=front-left,front-right,front-center,lfe,rear-left,rear-right

start() {
  command -v pulseaudio >/dev/null || {
    echo "pulse.sh: no pulseaudio; install it: apt-get install pulseaudio libasound2-plugins" >&2
    exit 1
  }
  mkdir -p "$directory"
  export HOME=$directory PULSE_RUNTIME_PATH=$directory XDG_CONFIG_HOME=$directory
  unset PULSE_SERVER DBUS_SESSION_BUS_ADDRESS DISPLAY
  is_running || launch
  cat <<END
export PULSE_SERVER=unix:$socket
export PULSE_RUNTIME_PATH=$directory
export PULSE_SINK=syrinx
export PULSE_SOURCE=syrinx.monitor
END
}

is_running() {
  [ -f "$pid" ] && kill -0 "$(cat "$pid")" 2>/dev/null
}

launch() {
  # The server accepts connections as soon as the daemon's first process has ended.
  pulseaudio -n --daemonize=yes --system=no --exit-idle-time=30 --use-pid-file=yes \
    --disable-shm=yes --realtime=no --high-priority=no --log-target=file:"$directory/log" \
    -L "module-null-sink sink_name=syrinx format=float32le rate=48000 channels=2" \
    -L "module-null-sink sink_name=syrinx51 format=float32le rate=48000 channels=6 channel_map=$wav51" \
    -L "module-native-protocol-unix auth-anonymous=1 socket=$socket" >&2
}

stop() {
  is_running || return 0
  local server
  server=$(cat "$pid")
  # A paused server would not receive this signal.
  kill "$server"
  kill -CONT "$server"
  tail -s 0.05 --pid="$server" -f /dev/null
}

crash() {
  local server
  server=$(cat "$pid")
  kill -KILL "$server"
  tail -s 0.05 --pid="$server" -f /dev/null
}

control() {
  pactl --server="unix:$socket" "$@"
}

move() {
  local stream
  for stream in $(control list short sink-inputs | cut -f1); do
    control move-sink-input "$stream" "$1"
  done
  for stream in $(control list short source-outputs | cut -f1); do
    control move-source-output "$stream" "$1.monitor"
  done
}

case $action in
  start) start ;;
  stop) stop ;;
  kill) crash ;;
  pause) kill -STOP "$(cat "$pid")" ;;
  continue) kill -CONT "$(cat "$pid")" ;;
  suspend) control suspend-sink syrinx 1 ;;
  resume) control suspend-sink syrinx 0 ;;
  move) move "${3:?a sink}" ;;
  *)
    echo "pulse.sh: start, stop, kill, pause, continue, suspend, resume, or move, not $action" >&2
    exit 64
    ;;
esac
