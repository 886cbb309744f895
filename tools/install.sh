#!/bin/sh
# Installs the development tree into a library: tools/install.sh library
# Silent unless it fails. Incremental: Cargo's target folder is kept.
set -eu
. "$(dirname "$0")/env.sh"
mkdir -p "$1"
# A job server of a calling make is not visible to R's make and to cargo.
unset MAKEFLAGS MFLAGS 2>/dev/null || true
export NOT_CRAN=true
if ! R CMD INSTALL --no-multiarch --library="$1" . >"$build/install.log" 2>&1
then
  cat "$build/install.log" >&2
  exit 1
fi
