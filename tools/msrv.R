# Finds cargo and rustc and stops when they are missing or older than the
# workspace's rust-version. Returns the folder that holds cargo.
find_rust <- function(manifest = "src/rust/Cargo.toml") {
    # R started from a desktop does not see what a shell profile adds to PATH.
    home <- Sys.getenv("CARGO_HOME", file.path(path.expand("~"), ".cargo"))
    if (.Platform$OS.type == "windows" && !nzchar(Sys.getenv("CARGO_HOME"))) {
        home <- file.path(Sys.getenv("USERPROFILE"), ".cargo")
    }
    old_path <- Sys.getenv("PATH")
    Sys.setenv(PATH = paste(old_path, file.path(home, "bin"),
                            sep = .Platform$path.sep))
    on.exit(Sys.setenv(PATH = old_path))

    how <- paste(
        "axtile is built with Rust: install cargo and rustc from",
        "<https://rustup.rs> or from your system's packages"
    )
    if (!nzchar(Sys.which("cargo")) || !nzchar(Sys.which("rustc"))) {
        stop(how, "; neither the PATH nor ", home, "/bin has them.",
             call. = FALSE)
    }
    number <- "[0-9]+\\.[0-9]+(\\.[0-9]+)?"
    first_number <- function(x) regmatches(x, regexpr(number, x))
    wanted <- first_number(grep("^rust-version", readLines(manifest),
                                value = TRUE)[1])
    cargo <- system2("cargo", "--version", stdout = TRUE)
    rustc <- system2("rustc", "--version", stdout = TRUE)
    message("using ", cargo, "\nusing ", rustc)
    if (numeric_version(first_number(rustc)) < wanted) {
        stop("rustc ", wanted, " or newer is needed, found ",
             first_number(rustc), " (", Sys.which("rustc"), "). ", how, ".",
             call. = FALSE)
    }
    dirname(Sys.which("cargo"))
}
