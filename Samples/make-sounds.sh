#!/bin/sh
# Makes the sound files in Samples/sounds: speech that the model recognizes word by word, a tone, a chirp.
# Needs flite and sox.
set -eu
cd "$(dirname "$0")/sounds"

# say NAME TEXT: 16 kHz, mono, 16 bit, with silence around it.
say() {
  flite -voice rms -t "$2" -o raw.wav
  sox -R -D raw.wav -r 16000 -b 16 "$1.wav" pad 0.3 0.7
  rm raw.wav
}

say go-forward "go forward ten meters"
say window "open the window and close the door"
say turn "turn left and go back"

# Two utterances with a pause between them that ends the first.
sox -R -D turn.wav go-forward.wav two-utterances.wav
# The same words in a format of music: 44.1 kHz, stereo, one side quieter.
sox -R -D turn.wav -r 44100 turn-44100-stereo.flac remix 1 1v0.5
rm turn.wav

sox -R -D -n -r 48000 -c 2 -b 16 tone.wav synth 3 sine 440 vol 0.5
sox -R -D -n -r 48000 -c 1 -b 16 chirp.wav synth 2 sine 200:8000 vol 0.5
