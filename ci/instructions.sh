#!/usr/bin/env bash
# Counts instructions and compares them with results/callgrind.json, exactly, where compiler, target
# and processor are those of the baseline; elsewhere the verdict is "not comparable" and passes.
#
# To accept a change, renew the baseline: ci/update-baseline.sh
set -euo pipefail
cd "$(dirname "$0")/.."

ci/callgrind.sh target/callgrind.json
cargo run --quiet --locked -p harness -- compare --only exact --fail-on-missing \
  results/callgrind.json target/callgrind.json
