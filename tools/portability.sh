#!/bin/sh
# Lints the Rust code as it is compiled for other platforms, as far as rustup
# has their standard library. No C compiler for them is needed: nothing is
# linked, so that "true" can stand in for it. (Paths, and with them errors,
# are larger on Windows: that lint looks at the home platform only.)
set -eu
. "$(dirname "$0")/env.sh"
for target in x86_64-pc-windows-gnu aarch64-apple-darwin \
  aarch64-unknown-linux-gnu
do
  if ! rustup target add "$target" >/dev/null 2>&1; then
    echo "portability: $target skipped, its standard library is not there"
    continue
  fi
  suffix=$(printf %s "$target" | tr - _)
  env "CC_$suffix=true" "AR_$suffix=true" \
    cargo clippy --manifest-path src/rust/Cargo.toml --workspace --locked \
    --quiet --target "$target" -- -D warnings -A clippy::result-large-err
  echo "portability: $target ok"
done
