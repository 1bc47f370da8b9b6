#!/usr/bin/env bash
# Runs the commands that stand in README.md, GUIDE.md, METHODOLOGY.md and results/README.md and renews what they
# printed. A block begins with <!-- made by: COMMAND --> and ends with <!-- made -->; what follows a
# " | " in the command cuts its output and is not shown to readers. Fenced where the output is no Markdown.
# With an argument only the blocks whose command contains it: some take many minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
only=${1-}

renewed=$(mktemp)
trap 'rm -f "$renewed"' EXIT
for document in README.md GUIDE.md METHODOLOGY.md results/README.md; do
  inside=false
  while IFS= read -r line <&3 || [ -n "$line" ]; do
    case "$line" in
      "<!-- made by: "*" -->")
        command=${line#<!-- made by: }
        command=${command% -->}
        printf '%s\n' "$line" >>"$renewed"
        case "$command" in
          *"$only"*) ;;
          *) continue ;;
        esac
        inside=true
        echo "== $command" >&2
        output=$(bash -o pipefail -c "$command")
        printf '\nMade by `%s`:\n\n' "${command%% | *}" >>"$renewed"
        case "$command" in
          *"--format markdown"*) printf '%s\n\n' "$output" >>"$renewed" ;;
          *) printf '```text\n%s\n```\n\n' "$output" >>"$renewed" ;;
        esac
        continue
        ;;
      "<!-- made -->") inside=false ;;
    esac
    $inside || printf '%s\n' "$line" >>"$renewed"
  done 3<"$document"
  cat "$renewed" >"$document"
  : >"$renewed"
done
git --no-pager diff --stat -- README.md GUIDE.md METHODOLOGY.md results/README.md
