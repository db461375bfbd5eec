#!/usr/bin/env bash
# Builds the library of fake-vosk.c and a model with plausible files: fake-vosk.sh FOLDER [COMPILER FLAG...]
# Their paths are FOLDER/libvosk.so and FOLDER/vosk-model-small-en-us-0.1; the model's file "script" determines the behavior.
set -euo pipefail
folder=$1
shift
mkdir -p "$folder"

if ! command -v cc >/dev/null; then
  echo "no C compiler: apt-get install gcc" >&2
  exit 1
fi
cc -std=gnu11 -shared -fPIC -O1 -Wall -Werror "$@" -o "$folder/libvosk.so" "$(dirname "$0")/fake-vosk.c"

model=$folder/vosk-model-small-en-us-0.1
mkdir -p "$model"/{am,conf,graph/phones,ivector}
printf '\0B<TransitionModel> ' >"$model/am/final.mdl"
printf '%s\n' '--use-energy=false' >"$model/conf/mfcc.conf"
printf '%s\n' '# options' '--beam=10.0' >"$model/conf/model.conf"
# Magic number, kind, arcs, version, flags, properties, first state, and no states and arcs.
transducer='\xd6\xfd\xb2\x7e\x06\0\0\0vector\x08\0\0\0standard\x02\0\0\0\0\0\0\0'
zero='\0\0\0\0\0\0\0\0'
for name in HCLr Gr; do printf "$transducer$zero$zero$zero$zero" >"$model/graph/$name.fst"; done
echo 1 >"$model/graph/disambig_tid.int"
echo '1 nonword' >"$model/graph/phones/word_boundary.int"
printf '\0B<IvectorExtractor> ' >"$model/ivector/final.ie"
printf '\0B<DiagGMM> ' >"$model/ivector/final.dubm"
printf '\0BFM ' >"$model/ivector/final.mat"
echo ' [ 1 ]' >"$model/ivector/global_cmvn.stats"
echo '--left-context=3' >"$model/ivector/splice.conf"
: >"$model/ivector/online_cmvn.conf"
