#!/usr/bin/env bash
# Renews results/baseline.json and results/callgrind.json from the working tree and prints what
# changed.
set -euo pipefail
cd "$(dirname "$0")/.."

harness() {
  cargo run --quiet --locked -p harness -- "$@"
}

renew() { # baseline, record
  if [ -f "$1" ]; then
    local code=0
    harness compare --only exact "$1" "$2" || code=$?
    case $code in
      0 | 3) ;; # a difference is what this script is for
      *) echo "ci/update-baseline.sh: $1 could not be compared; it is replaced" >&2 ;;
    esac
  fi
  cp "$2" "$1"
}

mkdir -p target
harness --report --only exact --format json --output target/exact.json
renew results/baseline.json target/exact.json
ci/callgrind.sh target/callgrind.json
renew results/callgrind.json target/callgrind.json
