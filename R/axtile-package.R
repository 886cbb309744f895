#' axtile: compact stores, decoded straight into R
#'
#' A *tile dataset* is a folder that holds a matrix of counts (cells x genes)
#' in tiles of, by default, 10,000 cells, with the annotations of cells (obs)
#' and genes (var). Tiles are compressed, memory-mapped and decoded by several
#' threads straight into the slots of a [Matrix::dgCMatrix-class].
#'
#' * Make one: [convert_tiles()] from files, [write_tiles()] from objects.
#' * Read it: [open_tiles()], then [read_tile()], [read_cells()],
#'   [read_genes()], [read_obs()], [read_var()].
#' * Sum it up: [gene_totals()], [cell_totals()], [gene_stats()],
#'   [cell_stats()].
#' * Map instead of decode: [materialize_tiles()], [mmap_dgCMatrix()],
#'   [mmap_int()]; keep counts compact: [TileCounts].
#' * Data in axes, in the formats of dafr and DataAxesFormats.jl: [AxtileDaf],
#'   [files_daf()], [get_query()].
#' * Recordings of electrophysiology, MEF 3.0: [open_mef()], [read_mef()],
#'   [write_mef()], [validate_mef()].
#' * Look after it: [tiles_info()], [verify_tiles()], [localize_obs()].
#' * From a shell: [axtile_command()].
#'
#' @section Options:
#' See [axtile_options()].
#'
#' @section Errors:
#' Errors have the class `axtile_error` and one more that tells their kind; the
#' fields `path` and `place` say where, if there is a where.
#'
#' | class | meaning |
#' |---|---|
#' | `axtile_error_io` | the system refused to open, read or write |
#' | `axtile_error_corrupt` | damaged bytes |
#' | `axtile_error_version` | another format, or a version that is not read |
#' | `axtile_error_unsupported` | valid input that is not supported |
#' | `axtile_error_argument` | a wrong argument |
#' | `axtile_error_range` | what is not there, or a number that does not fit |
#' | `axtile_error_value` | a value that is no count; names cell and gene |
#' | `axtile_error_exists` | the target exists and `overwrite` is `FALSE` |
#' | `axtile_error_limit` | more than the format, or R, can hold |
#' | `axtile_error_stale` | what was opened changed since |
#' | `axtile_error_internal` | a mistake in axtile: please report it |
#'
#' @keywords internal
#' @importFrom methods as is slot setClass setGeneric setMethod setOldClass
#' @importFrom methods setValidity show
#' @importFrom rlang arg_match caller_env check_dots_empty
"_PACKAGE"
