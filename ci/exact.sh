#!/usr/bin/env bash
# Measures what is the same on every machine and compares it with results/baseline.json: a change of
# placement, memory, movement or spread cannot land unseen.
#
# To accept a change, renew the baseline: ci/update-baseline.sh
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p target
cargo run --quiet --locked -p harness -- --report --only exact --format json --output target/exact.json
cargo run --quiet --locked -p harness -- compare --only exact --fail-on-change --fail-on-missing \
  results/baseline.json target/exact.json
