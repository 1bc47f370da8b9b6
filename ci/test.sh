#!/usr/bin/env bash
# Everything that must hold before a change lands: format, lints, documentation, tests, benchmarks
# as tests, and the exact figures and instruction counts of the baseline.
# Runs on a machine with nothing but a Rust toolchain; what else is needed is installed.
# With --long also the simulations that take many minutes, such as how often a mark is false.
set -euo pipefail
cd "$(dirname "$0")/.."

long=false
case "${1-}" in
  "") ;;
  --long) long=true ;;
  *) echo "usage: ci/test.sh [--long]" >&2; exit 2 ;;
esac

if ! command -v cargo >/dev/null; then
  echo "ci/test.sh: cargo is not installed; get Rust from https://rustup.rs" >&2
  exit 1
fi
for component in rustfmt clippy; do
  cargo "${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
done

# The tests start real servers.
ci/install.sh memcached

step() {
  echo "== $*" >&2
  "$@"
}

step cargo fmt --all --check
step cargo clippy --workspace --all-targets --all-features --locked -- -D warnings
RUSTDOCFLAGS="-D warnings" step cargo doc --workspace --no-deps --locked
step cargo test --workspace --locked
if $long; then
  step cargo test --workspace --locked -- --ignored --nocapture
fi
step cargo bench --workspace --locked -- --test
step ci/exact.sh
step ci/instructions.sh
