#!/bin/sh
# All tests: tools/test.sh library. The last line is "N passed, N failed".
# The Rust crates are tested without R: the binding crate cannot be linked
# outside R and is tested through the R package.
set -u
. "$(dirname "$0")/env.sh"
passed=0 failed=0

step() { # name log command...: runs it; shows the log if it fails
  echo "test: $1"
  log=$2
  shift 2
  "$@" >"$log" 2>&1 </dev/null && return 0
  cat "$log"
  return 1
}
count() { # passed failed status: a step that fails without a count is one
  passed=$((passed + $1))
  failed=$((failed + $2))
  [ "$3" = 0 ] || [ "$2" -gt 0 ] || failed=$((failed + 1))
}

step "Rust crates" "$build/cargo-test.log" \
  cargo test --manifest-path src/rust/Cargo.toml --workspace \
  --exclude axtile --locked --no-fail-fast
status=$?
count $(awk '/^test result:/ { p += $4; f += $6 } END { print p + 0, f + 0 }' \
  "$build/cargo-test.log") $status

if step "R package: install" "$build/install-test.log" tools/install.sh "$1"; then
  step "R package: testthat" "$build/testthat.log" Rscript tools/testthat.R "$1"
  status=$?
  count $(awk '/^testthat:/ { p = $2; f = $4; s = $6 } END { print p + 0, f + 0 }' \
    "$build/testthat.log") $status
  grep '^testthat:' "$build/testthat.log"
else
  failed=$((failed + 1))
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
