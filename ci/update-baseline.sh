#!/usr/bin/env bash
# Renews results/baseline.json from the working tree and prints what changed.
set -euo pipefail
cd "$(dirname "$0")/.."

new=$(mktemp)
trap 'rm -f "$new"' EXIT
cargo run --quiet --locked -p harness -- --report --only exact --format json --output "$new"
if [ -f results/baseline.json ]; then
  code=0
  cargo run --quiet --locked -p harness -- compare --only exact results/baseline.json "$new" || code=$?
  case $code in
    0 | 3) ;; # a difference is what this script is for
    *) echo "ci/update-baseline.sh: the old baseline could not be compared; it is replaced" >&2 ;;
  esac
fi
cp "$new" results/baseline.json
