#!/usr/bin/env bash
# Tries the gate itself: how often it cries wolf, and how often it sleeps.
#
#   ci/gate-power.sh [AA] [PLANTED]     100 and 30 comparisons by default
#
# AA comparisons of a binary with itself count false alarms; PLANTED comparisons for each slowdown
# of 5, 10, 20 and 100 % in one algorithm's lookup count how often that algorithm is blamed, and how
# often another one is. Each comparison is that of ci/regressions.sh, RUNS (8) runs of each side.
# LOAD=1 keeps another process busy all the while. Prints a Markdown table.
set -euo pipefail
cd "$(dirname "$0")/.."

aa=${1:-100} planted=${2:-30} algorithm=${ALGORITHM:-maglev}
cargo build --quiet -p harness --locked
work=$(mktemp -d)
binary=$work/harness
cp "${CARGO_TARGET_DIR:-target}/debug/harness" "$binary"
load=
if [ "${LOAD:-0}" = 1 ]; then
  (while :; do :; done) &
  load=$!
fi
trap '[ -z "$load" ] || kill "$load"; rm -rf "$work"' EXIT

# One comparison: prints the algorithms that it blames, each once.
blamed() { # plant
  rm -rf "$work/runs"
  NEW_PLANT=$1 ci/abba.sh "${RUNS:-8}" "$work/runs" "$binary" "$binary"
  local code=0
  "$binary" compare --only times --all --format csv "$work/runs/old.json" "$work/runs/new.json" \
    > "$work/rows.csv" || code=$?
  if [ "$code" != 0 ] && [ "$code" != 3 ]; then exit "$code"; fi
  awk -F, '$5 == "regressed" { print $2 }' "$work/rows.csv" | sort -u
}

row() { # title, plant, comparisons
  local found=0 others=0 names
  for ((trial = 1; trial <= $3; trial++)); do
    echo "$1: $trial of $3, $found found, $others others blamed" >&2
    names=$(blamed "$2")
    if [ -n "$2" ] && grep -qx "$algorithm" <<< "$names"; then found=$((found + 1)); fi
    # Where nothing is planted, whoever is blamed is blamed falsely.
    if grep -v "^${2:+$algorithm}\$" <<< "$names" | grep -q .; then others=$((others + 1)); fi
  done
  local share=–
  [ -z "$2" ] || share="$found ($((100 * found / $3)) %)"
  echo "| $1 | $3 | $share | $others |"
}

echo "| planted in lookups of $algorithm | comparisons | found | false alarms |"
echo "|---|--:|--:|--:|"
row "nothing" "" "$aa"
for percent in 5 10 20 100; do
  row "$percent %" "$algorithm=$percent" "$planted"
done
