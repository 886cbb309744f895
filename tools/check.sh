#!/bin/sh
# R CMD check --as-cran: tools/check.sh tarball folder. Fails on errors and
# warnings. Where the system can take the network away it is taken away: the
# package has to install and to test without.
set -eu
. "$(dirname "$0")/env.sh"
tarball=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
cd "$2"
offline=""
for try in "unshare -n" "unshare -rn"; do
  if $try true 2>/dev/null; then offline=$try; break; fi
done
# What needs a network or is missing outside CRAN's machines.
export _R_CHECK_CRAN_INCOMING_REMOTE_=FALSE _R_CHECK_SYSTEM_CLOCK_=FALSE
export _R_CHECK_FORCE_SUGGESTS_=FALSE
export _R_CHECK_PACKAGE_DEPENDS_IGNORE_MISSING_ENHANCES_=TRUE
unset NOT_CRAN CARGO_TARGET_DIR MAKEFLAGS MFLAGS 2>/dev/null || true
$offline R CMD check --as-cran --no-manual "$tarball" >check.log 2>&1 || true
log=axtile.Rcheck/00check.log
if ! grep -q '^Status:' $log 2>/dev/null ||
  grep -Eq '^Status:.*(ERROR|WARNING)' $log
then
  cat check.log axtile.Rcheck/tests/*.Rout.fail >&2 2>/dev/null || true
  tail -n 100 axtile.Rcheck/00install.out >&2 2>/dev/null || true
  exit 1
fi
grep -A8 -E '\.\.\. NOTE$' check.log || true
grep '^Status:' $log
