# Queries of DAF stores: the 79 that dafr measures itself by, and some of a
# million cells and of a dense matrix. Nothing is kept from one time to the
# next: each time empties the cache, or opens the store. With dafr installed it
# is asked the same of the same files; what dafr 0.4.9 took on another machine is
# recorded beside, as "dafr, reference machine".
source("common.R")
source("daf/fixtures.R")

folder <- settings$daf
set_num_threads(1)
options(axtile.threads = 1)
packages <- c("axtile", if (has_package("dafr")) "dafr")
if (!"dafr" %in% packages) {
    skip("dafr", "dafr is not installed", dataset = "daf")
}
of <- function(package, name) get(name, asNamespace(package))
queries <- utils::read.csv("daf/queries.csv")
reference <- utils::read.csv("daf/reference.csv")

# Milliseconds of wall clock and of the processor of a call.
times_of <- function(f, inner) {
    gc(FALSE)
    start <- proc.time()
    for (k in seq_len(inner)) f()
    taken <- proc.time() - start
    c(wall = taken[["elapsed"]], cpu = taken[["user.self"]] + taken[["sys.self"]]) *
        1000 / inner
}

# How many calls take long enough for the clock, whose tick is 1 ms.
calls <- function(f) {
    f()
    took <- times_of(f, 1)[["wall"]]
    if (took >= 100) 1 else ceiling(100 / max(took, 0.05))
}

# The rows of one query: by package (a list of functions), beside what is known
# from the reference machine.
measure <- function(dataset, topic, what, asked) {
    inner <- lapply(asked, calls)
    times <- lapply(asked, function(f) matrix(0, 2, settings$repeats))
    for (round in seq_len(settings$repeats)) {
        for (package in sample(names(asked))) {
            times[[package]][, round] <-
                times_of(asked[[package]], inner[[package]])
        }
    }
    row <- function(package, metric, value, unit = "ms", n = settings$repeats) {
        record(
            paste0(package, ": ", what), 1L, metric, value, unit, n,
            dataset = dataset, topic = topic
        )
    }
    for (package in names(asked)) {
        row(package, "median", stats::median(times[[package]][1, ]))
        row(package, "min", min(times[[package]][1, ]))
        row(package, "cpu median", stats::median(times[[package]][2, ]))
        row(package, "cpu min", min(times[[package]][2, ]))
    }
    known <- reference[
        reference$dataset == dataset & reference$what == what,
    ]
    for (k in seq_len(nrow(known))) {
        row("dafr, reference machine", known$metric[[k]], known$value[[k]], n = NA)
    }
}

same <- function(asked, what) {
    answers <- lapply(asked, function(f) f())
    plain <- function(x) {
        if (methods::is(x, "Matrix")) x <- as.matrix(x)
        if (is.character(x)) as.vector(x) else as.double(x)
    }
    for (other in answers[-1]) {
        equal <- all.equal(plain(other), plain(answers[[1]]), tolerance = 1e-6)
        if (!isTRUE(equal)) cat("  differs:", what, equal, "\n")
    }
}

# Asks `query` of stores that `open` gives, again and again.
ask <- function(dataset, topic, query, open, reopen = FALSE) {
    asked <- lapply(stats::setNames(packages, packages), function(package) {
        get_query <- of(package, "get_query")
        empty_cache <- of(package, "empty_cache")
        if (reopen) {
            return(function() get_query(open(package), query))
        }
        daf <- open(package)
        function() {
            empty_cache(daf)
            get_query(daf, query)
        }
    })
    failed <- tryCatch({
        same(asked, query)
        NULL
    }, error = conditionMessage)
    if (is.null(failed)) {
        measure(dataset, topic, query, asked)
    } else {
        skip(query, failed, dataset, topic)
    }
}

cells <- cells_daf(folder, settings$daf_example)
again <- made_once(folder, "mmap_reopen", function(to) copy_folder(cells, to))
leaf <- chain_triple(folder, cells)
sparse <- big_sparse(folder)
files <- function(path) {
    function(package) of(package, "files_daf")(path, mode = "r")
}
open <- list(
    cells_daf = files(cells), mmap_reopen = files(again),
    chain_triple = function(package) of(package, "complete_daf")(leaf, "r"),
    big_sparse = files(sparse)
)

# The kernels, checked against Matrix.
d <- files_daf(sparse)
m <- d["@ row @ col :: value"]
stopifnot(
    length(m@x) == 5e6,
    all.equal(d["@ row @ col :: value >| Sum"], Matrix::rowSums(m)),
    all.equal(d["@ row @ col :: value >- Mean"], Matrix::colMeans(m)),
    all.equal(
        d["@ row @ col :: value -/ group_100 >- Sum"][3, ],
        Matrix::colSums(m[d["@ row : group_100"] == "g100_003", ])
    )
)
rm(m, d)

for (k in seq_len(nrow(queries))) {
    dataset <- queries$dataset[[k]]
    ask(
        dataset, queries$topic[[k]], queries$query[[k]], open[[dataset]],
        reopen = dataset == "mmap_reopen"
    )
}

million <- million_cells(folder)
names <- sprintf("cell_%07d", seq_len(1e6))
per_package <- function(f) {
    lapply(stats::setNames(packages, packages), function(package) {
        force(package)
        function() f(package)
    })
}
measure("a million cells", "daf million", "add_axis()", per_package(
    function(package) {
        daf <- of(package, "memory_daf")("made")
        of(package, "add_axis")(daf, "cell", names)
    }
))
measure("a million cells", "daf million", "open and axis_vector()", per_package(
    function(package) {
        of(package, "axis_vector")(files(million)(package), "cell")
    }
))
# Texts become R's when they are looked at.
measure("a million cells", "daf million", "the same, each looked at", per_package(
    function(package) {
        max(nchar(of(package, "axis_vector")(files(million)(package), "cell")))
    }
))
vectors <- c(Float64 = "x", String = "g", Bool = "flag")
for (type in names(vectors)) {
    opened <- lapply(stats::setNames(packages, packages), files(million))
    what <- paste0("get_vector(), ", type)
    measure("a million cells", "daf million", what, per_package(
        function(package) {
            of(package, "empty_cache")(opened[[package]])
            of(package, "get_vector")(opened[[package]], "cell", vectors[[type]])
        }
    ))
}
for (query in c(
    "@ cell [ x > 0.5 & flag ]", "@ cell : x / g >> Mean",
    "@ cell : x / g >> Median", "@ cell : g * i"
)) {
    ask("a million cells", "daf million", query, files(million))
}

dense <- dense_matrix(folder)
for (operation in c(
    ">| Sum", ">- Sum", ">| Var", ">| Median", ">| Mode", ">> Sum",
    ">> Median", "% Log", "% Fraction", "% Significant high 3",
    "% Clamp min 1 max 4"
)) {
    ask(
        "dense 5000 x 2000", "daf dense",
        paste("@ row @ col :: value", operation), files(dense)
    )
}
finish()
