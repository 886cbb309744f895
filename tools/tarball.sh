#!/bin/sh
# Builds axtile_<version>.tar.gz, which installs without a network:
#   tools/tarball.sh [folder]
# Works on a copy, so that the development tree keeps building incrementally.
set -eu
. "$(dirname "$0")/env.sh"
root=$(pwd)
out=$(mkdir -p "${1:-.}" && cd "${1:-.}" && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
trap 'exit 1' HUP INT TERM
pkg=$stage/axtile
mkdir "$pkg"

# The files that git knows, as they are in the tree.
git ls-files --others --exclude-standard |
  sed 's/^/tarball: left out, as git does not know it: /' >&2
git ls-files | while IFS= read -r file; do
  if [ -e "$file" ]; then printf '%s\n' "$file"; fi
done >"$stage/files"
tar -cf - -T "$stage/files" | tar -xf - -C "$pkg"

# Tests of the crates stay out of the tarball, and with them the crates that
# only tests need: without these sections cargo drops those from its lock.
cd "$pkg/src/rust"
for manifest in Cargo.toml crates/*/Cargo.toml; do
  awk '/^\[/ { drop = /dev-dependencies|^\[\[(test|bench|example)\]\]/ }
       !drop' "$manifest" >"$stage/manifest"
  cp "$stage/manifest" "$manifest"
done
rm -rf tests benches examples fuzz crates/*/tests crates/*/benches \
  crates/*/examples
quietly() { "$@" 2>"$stage/log" || { cat "$stage/log" >&2; exit 1; }; }
quietly cargo metadata --format-version 1 >/dev/null
quietly cargo vendor --locked vendor >vendor-config.toml
quietly "$root/tools/prune.sh" vendor

XZ_OPT=-9e tar -cJf vendor.tar.xz vendor
rm -rf vendor

# For the vignettes R CMD build installs the package: as a development build,
# whose target folder has the crates compiled already.
cd "$stage"
NOT_CRAN=true CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/src/rust/target} \
  R CMD build --no-manual axtile >"$stage/log" 2>&1 ||
  { cat "$stage/log" >&2; exit 1; }
mv axtile_*.tar.gz "$out/"
ls -l "$out"/axtile_*.tar.gz
