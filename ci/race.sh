#!/usr/bin/env bash
# Looks for data races and undefined behaviour where threads share a placement: ThreadSanitizer on the
# tests with threads, and Miri on those that are small enough for it and on the portable forms of what
# has vectors. Needs a nightly toolchain, which is
# installed with its components where it is missing. Takes some minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

rustup toolchain install nightly --profile minimal --component miri,rust-src
target=$(rustc -vV | sed -n 's/^host: //p')
tests=(-p algorithms --test live --test bounded)

echo "== ThreadSanitizer" >&2
RUSTFLAGS="-Zsanitizer=thread" cargo +nightly test -Zbuild-std --target "$target" \
  --target-dir target/race "${tests[@]}"
echo "== Miri" >&2
MIRIFLAGS="-Zmiri-disable-isolation" cargo +nightly miri test --target-dir target/miri -p algorithms --test live
PROPTEST_CASES=4 MIRIFLAGS="-Zmiri-disable-isolation" cargo +nightly miri test --target-dir target/miri \
  -p algorithms --lib
