#!/usr/bin/env bash
# Measures anew and puts the first table of the report into README.md, between its markers, with
# the command that made it.
set -euo pipefail
cd "$(dirname "$0")/.."

report=$(mktemp)
trap 'rm -f "$report"' EXIT
cargo run --quiet -p harness -- --report --format markdown --output "$report"

awk -v report="$report" '
  /<!-- report:begin -->/ {
    print
    print "\nMade by `cargo run -p harness -- --report --format markdown`:\n"
    while ((getline line < report) > 0) {
      if (line ~ /^### Lookup/) break
      sub(/^### At a glance$/, "", line)
      print line
    }
    inside = 1
  }
  /<!-- report:end -->/ { inside = 0 }
  !inside { print }
' README.md > "$report.md"
mv "$report.md" README.md
git --no-pager diff --stat -- README.md
