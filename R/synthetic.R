#' Counts that look like single cells
#'
#' A made-up matrix for examples, tests and benchmarks. The weight of the gene
#' of rank r is proportional to (r + 10)^-0.9, in random order; the depth of a
#' cell is log-normal (sigma 0.5) around `detected`; a gene is seen with
#' probability 1 - exp(-1.6 x depth x weight) and then counted 1 + Poisson(8 x
#' depth x weight) times, at most 65,535.
#'
#' @param n_cells,n_genes Size of the matrix.
#' @param detected About how many genes a cell shows.
#' @param seed Makes the result reproducible; the session's random numbers are
#'   left as they are.
#' @returns A [Matrix::dgCMatrix-class], genes x cells, with names.
#' @examples
#' m <- synthetic_counts(20, 100)
#' m[1:5, 1:5]
#' @export
synthetic_counts <- function(n_cells, n_genes, detected = n_genes / 10,
                             seed = 1) {
    n_cells <- check_count(n_cells, max = .Machine$integer.max)
    n_genes <- check_count(n_genes, max = 65536)
    is_number <- is.numeric(detected) && length(detected) == 1L &&
        is.finite(detected)
    if (!is_number) {
        abort_argument("detected", "a number", detected, rlang::current_env())
    }
    with_seed(check_count(seed, min = 0, max = 2^31 - 1), {
        weight <- (sample.int(n_genes) + 10)^-0.9
        weight <- weight / sum(weight)
        cells <- lapply(seq_len(n_cells), function(cell) {
            expected <- detected * stats::rlnorm(1, 0, 0.5) * weight
            seen <- which(stats::runif(n_genes) < 1 - exp(-1.6 * expected))
            counts <- 1 + stats::rpois(length(seen), 8 * expected[seen])
            list(seen = seen, counts = pmin(counts, 65535))
        })
    })
    sizes <- vapply(cells, function(cell) length(cell$seen), 1L)
    Matrix::sparseMatrix(
        i = unlist(lapply(cells, `[[`, "seen")),
        p = c(0, cumsum(sizes)),
        x = as.double(unlist(lapply(cells, `[[`, "counts"))),
        dims = c(n_genes, n_cells),
        dimnames = list(
            default_names("gene", n_genes), default_names("cell", n_cells)
        )
    )
}

# Runs `code` with the generators of R 4.2, whatever the session's are.
with_seed <- function(seed, code) {
    env <- globalenv()
    old <- env[[".Random.seed"]]
    kinds <- RNGkind()
    on.exit({
        do.call(RNGkind, as.list(kinds))
        if (is.null(old)) {
            rm(".Random.seed", envir = env)
        } else {
            assign(".Random.seed", old, envir = env)
        }
    })
    set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
    code
}
