#!/usr/bin/env bash
# Installs the Python packages that tests run as independent peers, for nobody but them: python.sh
# They go to .build/python; PYTHONPATH names that folder where a test runs one of them.
set -euo pipefail
cd "$(dirname "$0")/../.."

wanted=(wyoming==1.10.2)

folder=.build/python
mark="$folder/.installed"
mkdir -p "$folder"
# Several tests want it at once, and one of them installs it.
exec 9>"$folder.lock"
flock 9
[ "$(cat "$mark" 2>/dev/null || true)" != "${wanted[*]}" ] || exit 0
echo "installing ${wanted[*]} for the tests" >&2
python3 -m pip install -q --disable-pip-version-check --root-user-action ignore --upgrade \
  --target "$folder" "${wanted[@]}" >&2
echo "${wanted[*]}" >"$mark"
