#!/usr/bin/env bash
# Uses the page of `syrinx serve --http` in Chromium, as a person does:
#   page.sh COMMAND [FOLDER]
# It talks through Chromium's fake microphone, opens a file, plays words, downloads subtitles, and enters an API key. It
# checks the console, names, roles, contrast, and the width of a phone. Screenshots are saved in FOLDER, if one is given.
set -euo pipefail
command=$(realpath -- "$1")
folder=${2:+$(realpath -m -- "$2")}
cd "$(dirname "$0")/../.."
bash Packaging/packages.sh site
bash Tests/Support/python.sh
PYTHONPATH=.build/python exec python3 Tests/Support/page.py "$command" ${folder:+"$folder"}
