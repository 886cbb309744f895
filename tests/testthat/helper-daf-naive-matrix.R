# The naive evaluator of queries that give a matrix.

naive_matrix <- function(store, query) {
    if (!is.null(query$count)) {
        return(naive_count(store, query))
    }
    rows <- naive_axis(store, query$rows)
    columns <- naive_axis(store, query$columns)
    values <- naive_matrix_of(
        store, query$rows$axis, query$columns$axis, query$prop
    )
    values$x <- values$x[rows, columns, drop = FALSE]
    m <- list(
        values = values, property = query$prop$name,
        rows = naive_line(store, query$rows$axis, rows),
        columns = naive_line(store, query$columns$axis, columns)
    )
    for (step in query$tail) m <- naive_matrix_step(store, m, step)
    naive_settled_matrix(m)
}

# The values of a matrix are looked up as those of a vector, but none can be
# dropped.
naive_matrix_chain <- function(store, m, step) {
    if (!is.null(step$ifnot) && is.na(step$ifnot)) {
        naive_stop("dropped from a matrix")
    }
    x <- m$values$x
    finals <- m$finals
    if (is.null(finals)) finals <- rep(NA_character_, length(x))
    v <- naive_chain(store, list(
        values = list(x = as.vector(x), type = m$values$type),
        property = m$property, finals = finals
    ), step)
    m$values <- list(x = array(v$values$x, dim(x)), type = v$values$type)
    m$property <- v$property
    m$finals <- v$finals
    m
}

naive_settled_matrix <- function(m) {
    if (!is.null(m$finals)) {
        m <- naive_settle(m)
        m$finals <- NULL
    }
    m
}

naive_line <- function(store, axis, at) {
    list(axis = axis, at = at, names = naive_entries(store, axis)[at])
}

naive_matrix_step <- function(store, m, step) {
    if (step$op == "chain") {
        return(naive_matrix_chain(store, m, step))
    }
    m <- naive_settled_matrix(m)
    if (step$op == "compare") {
        m$values <- naive_compare(m$values, step$sign, step$value)
        return(m)
    }
    if (step$op == "eltwise") {
        m$values <- naive_eltwise(m$values, step$name, step$params)
        return(m)
    }
    line <- if (step$op == "rows") "rows" else "columns"
    groups <- naive_step_groups(store, m[[line]], step, length(m[[line]]$names))
    positions <- array(seq_along(m$values$x), dim(m$values$x))
    other <- if (line == "rows") "columns" else "rows"
    each <- seq_along(m[[other]]$names)
    members <- sets_of(groups)
    if (any(lengths(members) == 0L) && is.null(step$default)) {
        naive_stop("an empty group")
    }
    sets <- lapply(members, function(set) {
        lapply(each, function(k) {
            at <- if (line == "rows") positions[set, k] else positions[k, set]
            as.vector(at)
        })
    })
    sets <- unlist(sets, recursive = FALSE)
    found <- naive_reduce_sets(m$values, sets, step$red, step$default)
    x <- matrix(found$x, length(each), length(groups$names))
    m$values <- list(x = if (line == "rows") t(x) else x, type = found$type)
    m["property"] <- list(NULL)
    m[[line]] <- list(names = groups$names)
    m
}

naive_count <- function(store, query) {
    v <- naive_settle(naive_vector(store, query$count))
    columns <- naive_step_groups(store, v, query, length(v$names))
    rows <- naive_groups(store, v, query$count_as, FALSE)
    x <- table(
        factor(rows$of, seq_along(rows$names)),
        factor(columns$of, seq_along(columns$names))
    )
    x <- matrix(as.double(x), length(rows$names), length(columns$names))
    list(
        values = typed(x, "UInt32"), rows = list(names = rows$names),
        columns = list(names = columns$names)
    )
}
