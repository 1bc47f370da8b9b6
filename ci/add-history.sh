#!/usr/bin/env bash
# Measures with --quick and adds results/history/<date>-<commit>.json: the headlines of the record,
# without samples, for `harness trend`. Another run of the same commit on the same day replaces it.
# Needs jq.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "ci/add-history.sh: $*" >&2
  exit 1
}
command -v jq >/dev/null || fail "jq is not installed"
# What build.rs calls the sources: a figure must belong to a commit.
changes=$(git status --porcelain -- algorithms harness Cargo.lock)
[ -z "$changes" ] || fail "the sources differ from the commit; commit first"

record=$(mktemp)
trap 'rm -f "$record"' EXIT
cargo run --quiet -p harness -- --report --quick --format json --output "$record"
jq -e '.tool.dirty == false' "$record" >/dev/null || fail "the record does not name a clean commit"

name=$(jq -r '(.created_unix_s | strftime("%Y-%m-%d")) + "-" + .tool.commit[:9]' "$record")
mkdir -p results/history
jq --indent 1 '
  def headline: IN("lookup_ns", "single_ns", "latency_ns", "build_ns", "add_ns", "heap_bytes", "shares_cv",
    "moved_add_1", "moved_add_2", "unneeded_add_1", "unneeded_add_2");
  (.overheads | keys) as $overheads
  | .units |= with_entries(select(.key | headline or IN($overheads[])))
  | .cells[].metrics |= with_entries(select(.key | headline))
  | del(.cells[].metrics[].samples, .overheads[].samples)
' "$record" > "results/history/$name.json"
echo "results/history/$name.json"
