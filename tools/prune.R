# Makes the vendored crates smaller: Rscript tools/prune.R metadata.json vendor
# windows-sys is nine tenths of what a release would carry for Windows, most
# of it modules behind features that nothing enables. A module that is
# compiled out need not exist, so those go, and with them the crate's list of
# file checksums. The checksum of the crate as a whole stays.
args <- commandArgs(TRUE)
meta <- jsonlite::fromJSON(args[1], simplifyVector = FALSE)

for (node in meta$resolve$nodes) {
    # Like "registry+https://...#windows-sys@0.61.2"
    if (!grepl("#windows-sys@", node$id, fixed = TRUE)) {
        next
    }
    version <- sub(".*@", "", node$id)
    # cargo vendor names the newest version's folder without the version.
    dir <- file.path(args[2], c(paste0("windows-sys-", version), "windows-sys"))
    dir <- dir[dir.exists(dir)][1]
    manifest <- readLines(file.path(dir, "Cargo.toml"))
    stopifnot(paste0("version = \"", version, "\"") %in% manifest)

    # Feature Win32_System_Threading <-> src/Windows/Win32/System/Threading
    root <- file.path(dir, "src", "Windows")
    modules <- list.dirs(root, full.names = FALSE)[-1]
    wanted <- gsub("/", "_", modules, fixed = TRUE) %in% unlist(node$features)
    unlink(file.path(root, modules[!wanted]), recursive = TRUE)

    checksum <- file.path(dir, ".cargo-checksum.json")
    text <- readLines(checksum, warn = FALSE)
    writeLines(sub("\"files\":\\{[^}]*\\}", "\"files\":{}", text), checksum)
}
