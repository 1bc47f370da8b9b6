#!/usr/bin/env bash
# Measures anew and puts the first table of the report, and the verdicts on published figures other
# than "reproduced", into README.md, between their markers, with the commands that made them.
set -euo pipefail
cd "$(dirname "$0")/.."

report=$(mktemp)
reproduced=$(mktemp)
trap 'rm -f "$report" "$reproduced"' EXIT
cargo run --quiet -p harness -- --report --format markdown --output "$report"
cargo run --quiet -p harness -- reproduce --all --format markdown --output "$reproduced"

awk -v report="$report" -v reproduced="$reproduced" '
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
  /<!-- reproduce:begin -->/ {
    print
    print "\nMade by `cargo run -p harness -- reproduce --all --format markdown`:\n"
    part = "lines"
    while ((getline line < reproduced) > 0) {
      if (line ~ /^### /) part = substr(line, 5)
      if (line == "### Holds only for") print "Holds only for:"
      else if (line ~ /^### / || line == "" && last == "") continue
      else if (part == "lines" || part == "Holds only for") print line
      else if (part == "Verdicts" && line !~ /\| reproduced \|$/) print line
      last = line
    }
    inside = 1
  }
  /<!-- (report|reproduce):end -->/ { inside = 0 }
  !inside { print }
' README.md > "$report.md"
mv "$report.md" README.md
git --no-pager diff --stat -- README.md
