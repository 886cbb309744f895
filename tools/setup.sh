#!/bin/sh
# Makes sure that what a job needs is there. Usage: tools/setup.sh job...
# Debian as root: missing packages are installed with apt. Elsewhere they are
# named and the script stops. SETUP=no skips all of it.
set -eu
. "$(dirname "$0")/env.sh"
[ "${SETUP:-yes}" != no ] || exit 0

commands="R:r-base-dev cc:build-essential make:make xz:xz-utils git:git"
r_fields="Imports"
r_packages=""
rust_tools=""
for job in "$@"; do
  case $job in
    run) ;;
    demo) r_packages="$r_packages sctransform rhdf5" ;;
    test) r_fields="Imports Suggests" ;;
    document) r_packages="$r_packages roxygen2 jsonlite" ;;
    lint) r_packages="$r_packages lintr"; rust_tools="rustfmt clippy" ;;
    check)
      r_fields="Imports Suggests"
      commands="$commands pandoc:pandoc qpdf:qpdf tidy:tidy"
      commands="$commands checkbashisms:devscripts" ;;
    *) echo "setup.sh: unknown job $job" >&2; exit 2 ;;
  esac
done

say() { echo "setup: $*" >&2; }
updated=no
apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  say "installing $*"
  apt-get install -y -qq --no-install-recommends "$@" >/dev/null </dev/null
}
can_install() {
  [ -f /etc/debian_version ] && [ "$(id -u)" = 0 ] || return 1
  [ $updated = yes ] || apt-get update -qq </dev/null
  updated=yes
}

missing=""
for pair in $commands; do
  command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair#*:}"
done
if [ -n "$missing" ]; then
  can_install || { say "please install (Debian names):$missing"; exit 1; }
  apt_install $missing
fi

missing=$(Rscript --vanilla - "$r_fields" "$r_packages" <<'R'
args <- strsplit(commandArgs(TRUE), " +")
needed <- read.dcf("DESCRIPTION", args[[1]])
needed <- trimws(sub("\\(.*", "", unlist(strsplit(needed, ","))))
needed <- setdiff(c(needed, unlist(args[-1])), c("", NA))
cat(needed[!vapply(needed, function(p) nzchar(system.file(package = p)), NA)])
R
)
if [ -n "$missing" ]; then
  can_install || { say "please install the R packages: $missing"; exit 1; }
  debs=""
  for package in $missing; do
    name=$(printf %s "$package" | tr '[:upper:]' '[:lower:]')
    deb=$(apt-cache search --names-only "^r-(cran|bioc)-$name\$" | cut -d' ' -f1)
    [ -n "$deb" ] || { say "Debian has no package for R's $package"; exit 1; }
    debs="$debs $deb"
  done
  apt_install $debs
fi

# Debian's own rustc is too old, and rustup is the user's to choose.
if ! Rscript --vanilla -e 'source("tools/msrv.R"); invisible(find_rust())' 2>/dev/null
then
  Rscript --vanilla -e 'source("tools/msrv.R"); find_rust()' >&2 || true
  say "with rustup: rustup toolchain install stable --profile minimal"
  exit 1
fi
for tool in $rust_tools; do
  case $tool in rustfmt) sub=fmt ;; *) sub=$tool ;; esac
  cargo $sub --version >/dev/null 2>&1 || rustup component add "$tool" ||
    { say "please install the Rust component $tool"; exit 1; }
done
