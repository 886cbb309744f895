# Sourced by the other scripts: what they expect of the environment.
# The folder of the package, and the folder for logs, library and checks.
cd "$(dirname "$0")/.." || exit 1
build=${BUILD_DIR:-.build}
mkdir -p "$build"
# Where rustup puts cargo: a new shell may not have it yet.
PATH="$PATH:$HOME/.cargo/bin"
export PATH
# A bare machine has no locale; R then cannot read or print UTF-8.
case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
  *[Uu][Tt][Ff]*8*) ;;
  *) export LC_ALL=C.UTF-8 ;;
esac
