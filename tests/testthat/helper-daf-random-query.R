# Random queries of random stores.

random_reduction <- function(is_text = FALSE) {
    if (is_text) {
        return(list(name = one_of("Mode", "Count"), params = list()))
    }
    name <- one_of(
        "Sum", "Mean", "Min", "Max", "Median", "Quantile", "Mode", "Count",
        "Var", "Std", "VarN", "StdN", "GeoMean"
    )
    params <- switch(name,
        Quantile = list(p = one_of(0, 0.25, 0.5, 0.9, 1)),
        VarN = ,
        StdN = ,
        GeoMean = if (chance(0.7)) list(eps = one_of(1, 4)),
        Sum = if (chance(0.2)) list(type = "Float64"),
        Mean = ,
        Var = if (chance(0.3)) list(type = "Float64")
    )
    list(name = name, params = as.list(params))
}

random_default <- function() if (chance(0.4)) one_of("0", "7")

random_compare <- function(type) {
    if (type == "String") {
        sign <- one_of("=", "!=", "<", ">=", "~", "!~")
        value <- if (sign %in% c("~", "!~")) {
            one_of("1", "a", "^t", "x$")
        } else {
            one_of("a", "b", "", "B", "p", "t2")
        }
    } else {
        sign <- one_of("=", "!=", "<", "<=", ">", ">=")
        value <- if (type == "Bool") {
            one_of("0", "1", "true", "false")
        } else {
            one_of("0", "1", "2", "0.25", "-1", "3")
        }
    }
    list(op = "compare", sign = sign, value = value)
}

random_eltwise <- function(is_scalar = FALSE) {
    name <- one_of(
        "Abs", "Round", "Clamp", "Convert", "Fraction", "Log", "Significant",
        "Exp", "Sqrt"
    )
    if (is_scalar && name %in% c("Fraction", "Significant")) name <- "Clamp"
    params <- switch(name,
        Clamp = one_of(
            list(min = 1), list(max = 2), list(min = 0, max = 2.5)
        ),
        Convert = list(type = one_of("Int32", "Float64", "Float32", "UInt32")),
        Log = one_of(list(eps = 4), list(base = 2, eps = 4), list(eps = 1)),
        Significant = one_of(list(high = 2), list(high = 2, low = 1))
    )
    list(op = "eltwise", name = name, params = as.list(params))
}

# What look-ups of an axis can find: the type of its values, by name.
properties <- list(
    cell = c(
        age = "Int", score = "Float", flag = "Bool", type = "String",
        type.manual = "String", label = "String", name = "String", index = "Int"
    ),
    gene = c(
        weight = "Float", marker = "Bool", type = "String", name = "String"
    ),
    type = c(color = "String", level = "Int", known = "Bool"),
    color = c(value = "Float", code = "String")
)
references <- c("type", "type.manual", "color")

random_slice <- function(store, axis) {
    if (axis == "cell" && chance(0.3) && length(store$axes$cell)) {
        entry <- one_of(store$axes$cell)
        slice <- list(how = one_of("row", "column"), entry = entry)
        return(list(name = "distance", slice = slice, type = "Float"))
    }
    other <- if (axis == "cell") "gene" else "cell"
    if (length(store$axes[[other]]) == 0L) {
        return(NULL)
    }
    slice <- list(
        how = "entry", axis = other, entry = one_of(store$axes[[other]])
    )
    name <- one_of("UMIs", "level", "turned", "kind")
    type <- switch(name,
        UMIs = ,
        turned = "Int",
        level = "Float",
        kind = "String"
    )
    list(name = name, slice = slice, type = type)
}

random_property <- function(store, axis, default = FALSE) {
    if (axis %in% c("cell", "gene") && chance(0.25)) {
        found <- random_slice(store, axis)
        if (!is.null(found)) {
            return(found)
        }
    }
    if (default && chance(0.1)) {
        default <- one_of("5", "0.5")
        return(list(name = "nope", default = default, type = "Float"))
    }
    name <- one_of(names(properties[[axis]]))
    list(name = name, type = properties[[axis]][[name]])
}

# Look-ups through the axis that a property names, while it does.
random_chains <- function(store, prop, p) {
    steps <- list()
    type <- prop$type
    name <- prop$name
    while (is.null(prop$slice) && name %in% references && chance(p)) {
        axis <- sub("[.].*", "", name)
        to <- one_of(names(properties[[axis]]))
        steps[[length(steps) + 1L]] <- list(
            op = "chain", as = one_of(NULL, NULL, axis),
            ifnot = one_of(NULL, NA_character_, NA_character_, "0", "t2"),
            prop = list(name = to)
        )
        name <- to
        type <- properties[[axis]][[to]]
    }
    list(steps = steps, type = type, name = name)
}

random_axis <- function(store, axis, p = 0.4) {
    terms <- list()
    join <- "["
    while (chance(if (join == "[") p else 0.4)) {
        prop <- random_property(store, axis)
        chain <- random_chains(store, prop, 0.6)
        tail <- chain$steps
        if (chance(0.7)) tail <- c(tail, list(random_compare(chain$type)))
        terms[[length(terms) + 1L]] <- list(
            join = join, negated = chance(0.25), prop = prop, tail = tail
        )
        join <- one_of("&", "|", "^")
    }
    list(axis = axis, terms = terms)
}

random_labels <- function(store, axis) {
    prop <- random_property(store, axis)
    chain <- random_chains(store, prop, 0.4)
    is_reference <- is.null(prop$slice) && chain$name %in% references
    list(
        prop = prop, chains = chain$steps,
        as = if (is_reference && chance(0.4)) sub("[.].*", "", chain$name)
    )
}

random_group <- function(store, op, axis, is_text) {
    c(list(op = op), random_labels(store, axis), list(
        red = random_reduction(is_text), default = random_default()
    ))
}

random_vector <- function(store) {
    if (chance(0.3)) {
        matrix <- random_matrix(store, p = 0.3)
        matrix_type <- attr(matrix, "type")
        query <- list(
            kind = "vector", matrix = matrix, to = one_of(">|", ">-"),
            red = random_reduction(matrix_type == "String"),
            default = random_default()
        )
        line <- if (query$to == ">|") "rows" else "columns"
        axis <- if (is.null(attr(matrix, "grouped"))) matrix[[line]]$axis
        is_kept <- query$red$name %in% c("Mode", "Min", "Max")
        type <- if (is_kept) matrix_type else "Float"
        tail <- list()
    } else {
        axis <- one_of("cell", "cell", "gene", "type")
        prop <- random_property(store, axis, default = TRUE)
        chain <- random_chains(store, prop, 0.5)
        query <- list(
            kind = "vector", axis = random_axis(store, axis), prop = prop
        )
        tail <- chain$steps
        type <- chain$type
    }
    if (type %in% c("Int", "Float") && chance(0.5)) {
        tail <- c(tail, list(random_eltwise()))
    } else if (chance(0.2)) {
        tail <- c(tail, list(random_compare(type)))
        type <- "Bool"
    }
    if (!is.null(axis) && chance(0.35)) {
        step <- random_group(store, "group", axis, type == "String")
        tail <- c(tail, list(step))
        if (!step$red$name %in% c("Mode", "Min", "Max")) type <- "Float"
        if (chance(0.3)) {
            tail <- c(tail, list(random_compare(type)))
            type <- "Bool"
        }
    }
    structure(c(query, list(tail = tail)), type = type)
}

random_matrix <- function(store, p = 0.5) {
    if (chance(0.1)) {
        vector <- list(
            kind = "vector", axis = random_axis(store, "cell"),
            prop = random_property(store, "cell"), tail = list()
        )
        query <- c(
            list(kind = "matrix", count = vector), random_labels(store, "cell")
        )
        if (is.null(vector$prop$slice) && vector$prop$name %in% references) {
            query$count_as <- one_of(NULL, "type")
        }
        return(structure(query, type = "Int", grouped = TRUE))
    }
    axes <- one_of(list(
        c("cell", "gene"), c("gene", "cell"), c("cell", "cell")
    ))
    name <- if (identical(axes, c("cell", "cell"))) {
        "distance"
    } else {
        one_of("UMIs", "level", "turned", "kind", "type.each", "seen")
    }
    type <- switch(name,
        kind = ,
        type.each = "String",
        seen = "Bool",
        level = ,
        distance = "Float",
        "Int"
    )
    query <- list(
        kind = "matrix", rows = random_axis(store, axes[[1L]]),
        columns = random_axis(store, axes[[2L]]), prop = list(name = name)
    )
    grouped <- NULL
    chain <- random_chains(store, list(name = name, type = type), 0.6)
    query$tail <- chain$steps
    type <- chain$type
    if (chance(p)) {
        op <- one_of("eltwise", "eltwise", "compare", "rows", "columns")
        if (type %in% c("String", "Bool") && op == "eltwise") op <- "compare"
        axis <- if (op == "rows") axes[[1L]] else axes[[2L]]
        step <- switch(op,
            eltwise = random_eltwise(),
            compare = random_compare(type),
            random_group(store, op, axis, type == "String")
        )
        query$tail <- c(query$tail, list(step))
        grouped <- if (op %in% c("rows", "columns")) TRUE
        is_kept <- op %in% c("rows", "columns") &&
            step$red$name %in% c("Mode", "Min", "Max")
        if (op == "compare") {
            type <- "Bool"
        } else if (!is_kept) {
            type <- "Float"
        }
    }
    structure(query, type = type, grouped = grouped)
}

random_scalar <- function(store) {
    from <- if (chance(0.6)) random_vector(store) else random_matrix(store)
    is_text <- attr(from, "type") == "String"
    query <- list(
        kind = "scalar", from = from, red = random_reduction(is_text),
        default = random_default()
    )
    is_number <- attr(from, "type") %in% c("Int", "Float")
    if (is_number && chance(0.2)) query$tail <- list(random_eltwise(TRUE))
    query
}

random_query <- function(store) {
    kind <- one_of("axis", "vector", "vector", "matrix", "matrix", "scalar")
    switch(kind,
        axis = list(
            kind = "axis",
            axis = random_axis(store, one_of(names(properties)), 1)
        ),
        vector = random_vector(store),
        matrix = random_matrix(store),
        scalar = random_scalar(store)
    )
}
