#!/usr/bin/env bash
# Compares the working tree with a base commit: exact figures exactly, times in interleaved runs.
#
#   ci/regressions.sh [BASE]        BASE is HEAD~1 by default
#
# Prints the comparison as Markdown, keeps it in target/regressions/report.md beside the records,
# and exits with 3 on a regression. RUNS (8) is the number of runs of each side.
set -euo pipefail
cd "$(dirname "$0")/.."

base=$(git rev-parse --verify --quiet "${1:-HEAD~1}^{commit}") || {
  echo "ci/regressions.sh: there is no commit ${1:-HEAD~1}; name a base to compare with" >&2
  exit 2
}
out=$PWD/target/regressions
rm -rf "$out"
mkdir -p "$out"
worktree=$(mktemp -d)
trap 'git worktree remove --force "$worktree" 2>/dev/null; rm -rf "$worktree"' EXIT
git worktree add --quiet --force --detach "$worktree" "$base"

echo "building $base and the working tree" >&2
(cd "$worktree" && CARGO_TARGET_DIR="$out-base" cargo build --quiet -p harness --locked)
cargo build --quiet -p harness --locked
old=$out-base/debug/harness
new=$out/new-harness
cp "${CARGO_TARGET_DIR:-target}/debug/harness" "$new"

echo "measuring what is exact" >&2
"$old" --report --only exact --quick --format json --output "$out/old-exact.json"
"$new" --report --only exact --quick --format json --output "$out/new-exact.json"
echo "timing both in turns" >&2
ci/abba.sh "${RUNS:-8}" "$out" "$old" "$new"

# Both comparisons are made and shown before either decides.
code=0
{
  echo "## Exact figures"
  echo
  "$new" compare --only exact --format markdown "$out/old-exact.json" "$out/new-exact.json" || code=$?
  echo
  echo "## Times"
  echo
  "$new" compare --only times --format markdown "$out/old.json" "$out/new.json" || code=$?
} > "$out/report.md"
cat "$out/report.md"
exit "$code"
