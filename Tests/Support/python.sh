#!/usr/bin/env bash
# Installs the Python packages that tests and benchmarks use as independent peers, only for these:
#   python.sh                the packages for the tests, in .build/python
#   python.sh schemathesis   the packages that send bad requests to the HTTP server, in .build/schemathesis
#   python.sh sherpa         the packages for the benchmarks, in .build/sherpa
#   python.sh cluster        the packages for the test of many machines, in .build/cluster
# Tests set PYTHONPATH to the folder.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=.build/${1:-python}
case "$folder" in
.build/python) wanted=(openai==3.57.0 websockets==17.4 wyoming==1.10.2) ;;
.build/schemathesis) wanted=(schemathesis==4.32.5) ;;
.build/sherpa) wanted=(sherpa-onnx-bin==2.0.1 sherpa-onnx-core==2.0.1) ;;
.build/cluster) wanted=("dask[distributed]==2026.8.0" "moto[server]==5.2.5" pyspark==4.3.0 s3fs==2026.9.0) ;;
*)
  echo "usage: python.sh [schemathesis | sherpa | cluster]" >&2
  exit 64
  ;;
esac

mark="$folder/.installed"
mkdir -p "$folder"
# If several tests need the packages at the same time, one of them installs them.
exec 9>"$folder.lock"
flock 9
[ "$(cat "$mark" 2>/dev/null || true)" != "${wanted[*]}" ] || exit 0
echo "installing ${wanted[*]} for the tests" >&2
python3 -m pip install -q --disable-pip-version-check --root-user-action ignore --upgrade \
  --target "$folder" "${wanted[@]}" >&2
echo "${wanted[*]}" >"$mark"
