#' Check every byte of a tile dataset
#'
#' Verifies the checksum of every tile and decodes it, and checks names, gene
#' order, var and obs against the manifest and their own checksums.
#'
#' @inheritParams read_cells
#' @param x A `tile_dataset`, or the path of one.
#' @returns A data frame with a row for each tile of each layer, for the gene
#'   order, var and each part of obs: `file`, `ok`, `problem` (`NA` where `ok`),
#'   invisibly.
#' @section Errors:
#' `axtile_error_corrupt` if anything is wrong; its field `report` is the data
#' frame.
#' @family tiles
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' ds <- write_tiles(synthetic_counts(100, 500), path)
#' print(verify_tiles(ds))
#' @export
verify_tiles <- function(x, ..., threads = axtile_option("threads"),
                         progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    if (!inherits(x, "tile_dataset")) {
        x <- open_dataset(check_path(x))
    }
    progress <- check_progress(progress)
    report <- rust(rs_tiles_verify(handle(
        x,
        threads = threads,
        progress = progress_reporter(
            "Verifying", x$n_cells * length(x$layers$name), progress
        )
    )))
    report <- as.data.frame(report)
    bad <- report[!report$ok, ]
    if (nrow(bad)) {
        shown <- utils::head(bad$problem, 3L)
        more <- nrow(bad) - length(shown)
        axtile_abort("corrupt", paste0(
            paste(shown, collapse = "\n"),
            if (more > 0L) paste0("\nand ", more, " more files")
        ), path = x$path, report = report)
    }
    invisible(report)
}
