#!/usr/bin/env bash
# Runs a test of the Python package against the wheel that wheel.sh installed:  run.sh BUILD SCRIPT. 77: there is none.
set -euo pipefail
python=$(cd "$1" && pwd)/python/clean/bin/python
[ -x "$python" ] || exit 77
cd /
exec "$python" -B -m pytest -q --tb=short -p no:cacheprovider "$2"
