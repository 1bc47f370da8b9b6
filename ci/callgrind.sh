#!/usr/bin/env bash
# Counts instructions, data reads and data writes of every algorithm under Callgrind and makes a
# record of them: ci/callgrind.sh [RECORD], target/callgrind.json unless given.
# Installs what is missing: valgrind by apt-get, the runner by cargo into target/tools.
set -euo pipefail
cd "$(dirname "$0")/.."

record=${1:-target/callgrind.json}
tools=$PWD/target/tools

ci/install.sh valgrind

# The runner must be of the very version of the library; cargo does nothing when it is there.
version=$(awk '/^name = "iai-callgrind"$/ { getline; gsub(/"/, ""); print $3 }' Cargo.lock)
cargo install --quiet iai-callgrind-runner --version "$version" --locked --root "$tools"
PATH=$tools/bin:$PATH

counts=$(mktemp)
trap 'rm -f "$counts"' EXIT
cargo bench --locked -p benches --features callgrind --bench callgrind -- \
  --output-format=json > "$counts"

# Built as the benchmark was, so that the record names its profile.
mkdir -p "$(dirname "$record")"
cargo run --quiet --locked --release -p harness -- callgrind "$counts" --output "$record"
echo "ci/callgrind.sh: the counts are in $record" >&2
