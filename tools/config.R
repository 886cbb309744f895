# Run by configure in the package root: src/Makevars.in -> src/Makevars (on
# Windows Makevars.win). A released tarball carries its crates
# (src/rust/vendor.tar.xz), builds offline inside its own folder and removes
# all of it again. A development tree, or any build with NOT_CRAN set, takes
# crates from the user's Cargo home and keeps the target folder, so that
# rebuilding is incremental. AXTILE_PROFILE=dist builds as
# the release is built.
source("tools/msrv.R")
cargo_bin <- find_rust()

not_cran <- tolower(Sys.getenv("NOT_CRAN")) %in% c("true", "1", "yes")
vendored <- file.exists("src/rust/vendor.tar.xz") && !not_cran
windows <- .Platform$OS.type == "windows"

target_dir <- Sys.getenv("CARGO_TARGET_DIR")
if (vendored || !nzchar(target_dir)) {
    target_dir <- "rust/target" # relative to src/
} else {
    dir.create(target_dir, showWarnings = FALSE, recursive = TRUE)
    target_dir <- normalizePath(target_dir, winslash = "/")
}

# The archive holds all of Rust's standard library with debug information and
# thousands of global symbols. Only R_init_axtile has to be visible: hiding the
# rest lets the linker drop what is not reached, and avoids clashes with other
# packages that are linked with Rust. ALTREP vectors may outlive the package's
# namespace, hence nodelete: their code must never be unmapped.
link_flags <- switch(Sys.info()[["sysname"]],
    Linux = paste(
        "-Wl,--gc-sections -Wl,--exclude-libs,ALL",
        "-Wl,-z,nodelete -Wl,--strip-all"
    ),
    Darwin = "-Wl,-dead_strip -Wl,-exported_symbol,_R_init_axtile",
    ""
)

profile <- Sys.getenv("AXTILE_PROFILE", if (vendored) "dist" else "release")

values <- c(
    PROFILE = profile,
    VENDORED = if (vendored) "yes" else "no",
    CARGO_BIN = cargo_bin,
    # CRAN allows two processes.
    CARGO_FLAGS = if (vendored) "-j 2 --offline --locked" else "--locked",
    TARGET_DIR = target_dir,
    LINK_FLAGS = link_flags,
    # Empty in development: nothing is removed.
    CLEAN_DIRS = if (vendored) ".cargo vendor rust/target" else ""
)
from <- if (windows) "src/Makevars.win.in" else "src/Makevars.in"
text <- readLines(from)
for (key in names(values)) {
    text <- gsub(paste0("@", key, "@"), values[[key]], text, fixed = TRUE)
}
writeLines(text, sub("\\.in$", "", from))
message(if (vendored) "building offline from vendored crates" else
    paste("development build in", target_dir))
