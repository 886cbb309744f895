# Random small stores for the naive evaluator.

one_of <- function(...) {
    x <- list(...)
    if (length(x) == 1L && length(x[[1L]]) > 1L) x <- as.list(x[[1L]])
    x[[sample.int(length(x), 1L)]]
}

chance <- function(p) stats::runif(1) < p

random_numbers <- function(n, nan = 0) {
    x <- sample(c(0, 0, 0, -1, 0.5, 1, 1.5, 2, 2.5, 3, 7), n, replace = TRUE)
    x[stats::runif(n) < nan] <- NaN
    x
}

random_counts <- function(n) {
    sample(c(0L, 0L, 0L, 1L, 1L, 2L, 5L, 9L), n, replace = TRUE)
}

# Names that look like nothing in particular, some of them longer than others.
random_names <- function(prefix, n) {
    endings <- sample(c(1:9, 10:30, "B", "b", ".x", "-y"), n)
    if (n == 0L) character() else paste0(prefix, endings)
}

random_refs <- function(entries, n, empty) {
    if (length(entries) == 0L) {
        return(rep("", n))
    }
    refs <- sample(entries, n, replace = TRUE)
    refs[stats::runif(n) < empty] <- ""
    refs
}

random_store <- function() {
    sizes <- c(
        cell = sample(0:9, 1), gene = sample(1:6, 1), type = sample(1:4, 1),
        color = sample(1:3, 1)
    )
    if (chance(0.85)) sizes[["cell"]] <- sample(1:9, 1)
    axes <- Map(function(axis, n) random_names(substr(axis, 1, 1), n),
        names(sizes), sizes
    )
    n <- as.list(sizes)
    empty <- one_of(0, 0, 0.3)
    type <- random_refs(axes$type, n$cell, empty)
    if (chance(0.05) && n$cell > 0) type[[1]] <- "nowhere"
    vectors <- list(
        cell = list(
            age = random_counts(n$cell) - one_of(0L, 3L),
            score = random_numbers(n$cell, one_of(0, 0, 0.2)),
            flag = stats::runif(n$cell) < 0.5,
            type = type,
            type.manual = random_refs(axes$type, n$cell, 0),
            label = sample(c("a", "b", "B", "", "a1"), n$cell, replace = TRUE)
        ),
        gene = list(
            weight = random_numbers(n$gene),
            marker = stats::runif(n$gene) < 0.5,
            type = random_refs(axes$type, n$gene, 0)
        ),
        type = list(
            color = random_refs(axes$color, n$type, empty),
            level = random_counts(n$type), known = stats::runif(n$type) < 0.7
        ),
        color = list(
            value = random_numbers(n$color),
            code = sample(c("x", "y", ""), n$color, replace = TRUE)
        )
    )
    grid <- function(x, rows, columns) matrix(x, rows, columns)
    matrices <- list(
        "cell,gene" = list(
            UMIs = grid(random_counts(n$cell * n$gene), n$cell, n$gene),
            level = grid(
                random_numbers(n$cell * n$gene, one_of(0, 0, 0.1)),
                n$cell, n$gene
            ),
            kind = grid(
                sample(c("p", "q", ""), n$cell * n$gene, replace = TRUE),
                n$cell, n$gene
            ),
            type.each = grid(
                random_refs(axes$type, n$cell * n$gene, one_of(0, 0.2)),
                n$cell, n$gene
            ),
            seen = grid(stats::runif(n$cell * n$gene) < 0.5, n$cell, n$gene)
        ),
        "gene,cell" = list(
            turned = grid(random_counts(n$cell * n$gene), n$gene, n$cell)
        ),
        "cell,cell" = list(
            distance = grid(random_numbers(n$cell^2), n$cell, n$cell)
        )
    )
    list(
        axes = axes, vectors = vectors, matrices = matrices,
        sparse = names(which(vapply(
            c(level = 0.5, distance = 0.5), chance, TRUE
        )))
    )
}

# The same data in a real store.
as_daf <- function(store, daf) {
    for (axis in names(store$axes)) add_axis(daf, axis, store$axes[[axis]])
    for (axis in names(store$vectors)) {
        for (name in names(store$vectors[[axis]])) {
            set_vector(daf, axis, name, store$vectors[[axis]][[name]])
        }
    }
    for (key in names(store$matrices)) {
        axes <- strsplit(key, ",", fixed = TRUE)[[1L]]
        for (name in names(store$matrices[[key]])) {
            m <- store$matrices[[key]][[name]]
            if (name %in% store$sparse) {
                m <- Matrix::Matrix(m, sparse = TRUE, doDiag = FALSE)
                m <- methods::as(m, "generalMatrix")
            }
            set_matrix(
                daf, axes[[1L]], axes[[2L]], name, m,
                relayout = axes[[1L]] != axes[[2L]] && chance(0.5)
            )
        }
    }
    daf
}
