#!/usr/bin/env bash
# Times two harness binaries in turns on this machine: A B B A or B A A B, by chance.
#
#   ci/abba.sh RUNS DIRECTORY OLD_BINARY NEW_BINARY
#
# Each binary runs RUNS times (an even number). DIRECTORY/old.json and new.json hold all runs of
# each, merged: one figure per run, so that what differs between processes shows in the intervals.
# NEW_PLANT=maglev=10 plants a slowdown in the new binary's runs, to try the comparison.
set -euo pipefail

runs=$1 directory=$2 old=$3 new=$4
mkdir -p "$directory"

measure() { # which, number
  local binary=$old plant=
  if [ "$1" = new ]; then
    binary=$new plant=${NEW_PLANT:-}
  fi
  HARNESS_PLANT=${plant:-} "$binary" --report --only times --quick --rounds 5 --keys 20000 \
    --format json --output "$directory/$1-$2.json" 2>"$directory/errors" || {
    cat "$directory/errors" >&2
    exit 1
  }
}

for ((pair = 0; pair < runs; pair += 2)); do
  if ((RANDOM % 2)); then order=(old new new old); else order=(new old old new); fi
  declare -A seen=([old]=0 [new]=0)
  for which in "${order[@]}"; do
    measure "$which" $((pair + seen[$which]))
    seen[$which]=$((seen[$which] + 1))
  done
done
"$new" merge "$directory"/old-[0-9]*.json --output "$directory/old.json"
"$new" merge "$directory"/new-[0-9]*.json --output "$directory/new.json"
