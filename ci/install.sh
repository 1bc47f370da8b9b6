#!/usr/bin/env bash
# Installs a Debian package unless there is a program of its name: ci/install.sh PACKAGE
set -euo pipefail

package=${1:?usage: ci/install.sh PACKAGE}
if command -v "$package" >/dev/null; then
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "ci/install.sh: $package is not installed, and there is no apt-get to install it by" >&2
  exit 1
fi
as_root=$([ "$(id -u)" = 0 ] || echo sudo)
$as_root apt-get update --quiet >&2
$as_root apt-get install --quiet --yes "$package" >&2
