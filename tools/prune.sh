#!/bin/sh
# Makes vendored crates smaller: tools/prune.sh vendor, in the workspace.
# Crates that no platform of R compiles (wasm, UEFI, Redox, Windows where only
# other systems' code asks for it) have to be in the lock and in the folder,
# but not their code: a manifest and an empty library satisfy cargo. Tests and
# benchmarks of crates are never compiled. What is changed loses its list of
# file checksums; the checksum of the crate as published stays.
set -eu
used=$(mktemp)
trap 'rm -f "$used"' EXIT
for target in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu \
  x86_64-unknown-linux-musl i686-unknown-linux-gnu \
  armv7-unknown-linux-gnueabihf powerpc64le-unknown-linux-gnu \
  riscv64gc-unknown-linux-gnu s390x-unknown-linux-gnu \
  loongarch64-unknown-linux-gnu x86_64-unknown-freebsd x86_64-apple-darwin \
  aarch64-apple-darwin x86_64-pc-windows-gnu aarch64-pc-windows-gnullvm
do
  cargo tree --locked --workspace --edges normal,build --target $target \
    --prefix none --format '{p}' >>"$used"
done
for dir in "$1"/*; do
  name=$(sed -n 's/^name = "\(.*\)"/\1/p' "$dir/Cargo.toml" | head -n 1)
  version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$dir/Cargo.toml" | head -n 1)
  if grep -q "^$name v$version\( \|$\)" "$used"; then
    rm -rf "$dir/tests" "$dir/benches" "$dir/examples"
  else
    find "$dir" -mindepth 1 -maxdepth 1 ! -name Cargo.toml \
      ! -name .cargo-checksum.json ! -iname 'license*' -exec rm -rf {} +
    mkdir "$dir/src"
    : >"$dir/src/lib.rs"
  fi
  sed 's/"files":{[^}]*}/"files":{}/' "$dir/.cargo-checksum.json" >"$dir/sum"
  mv "$dir/sum" "$dir/.cargo-checksum.json"
done
