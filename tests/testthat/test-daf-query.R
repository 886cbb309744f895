test_that("queries give values, names and entries", {
    d <- example_daf()
    expect_identical(d[". organism"], "human")
    expect_identical(d["@ ?"], c("cell", "gene"))
    expect_identical(d["@ cell"], c("A", "B", "C"))
    expect_identical(d["@ cell [ age > 1 ]"], c("B", "C"))
    expect_identical(d["@ cell : age"], c(A = 1L, B = 2L, C = 3L))
    expect_identical(d["@ cell [ age > 1 ] : type"], c(B = "y", C = "x"))
    expect_identical(d["@ cell : age > 1"], c(A = FALSE, B = TRUE, C = TRUE))
    expect_identical(d["@ cell : age / type >> Sum"], c(x = 4L, y = 2L))
    expect_identical(
        d["@ cell [ age > 1 ] @ gene :: UMIs"],
        matrix(
            c(2L, 3L, 5L, 6L), 2,
            dimnames = list(c("B", "C"), c("g1", "g2"))
        )
    )
    expect_identical(
        d["@ cell @ gene :: UMIs >| Sum"], c(A = 5L, B = 7L, C = 9L)
    )
    expect_identical(get_query(d, "@ cell"), d["@ cell"])
    sparse <- as(matrix(c(0, 1, 0, 2, 0, 0), 3), "dgCMatrix")
    set_matrix(d, "cell", "gene", "s", sparse)
    expect_s4_class(d["@ cell @ gene :: s"], "dgCMatrix")
    expect_identical(
        d["@ cell @ gene :: s"], get_matrix(d, "cell", "gene", "s")
    )
    query <- structure("@ cell : age", class = "axtile_query")
    expect_identical(d[query], d["@ cell : age"])
    expect_identical(has_query(d, query), TRUE)
})

test_that("results do not depend on the number of threads", {
    withr::local_seed(1)
    d <- memory_daf()
    add_axis(d, "x", sprintf("x%d", 1:400))
    add_axis(d, "y", sprintf("y%d", 1:300))
    set_matrix(d, "x", "y", "m", matrix(rnorm(120000), 400))
    set_vector(d, "x", "g", sample(letters, 400, TRUE))
    queries <- c(
        "@ x @ y :: m >> Sum", "@ x @ y :: m >| Var", "@ x @ y :: m >- Median",
        "@ x @ y :: m -/ g >- Mean", "@ x @ y :: m % Log base 2 eps 10"
    )
    answers <- lapply(c(1, 2, 5), function(n) {
        withr::local_options(axtile.kernel_threshold = 1)
        old <- set_num_threads(n)
        on.exit(set_num_threads(old))
        expect_identical(get_num_threads(), as.integer(n))
        empty_cache(d)
        lapply(queries, function(query) d[query])
    })
    expect_identical(answers[[2]], answers[[1]])
    expect_identical(answers[[3]], answers[[1]])
    withr::local_options(axtile.threads = 0)
    expect_axtile_error(d["@ x"], "argument", "axtile.threads")
    withr::local_options(axtile.threads = 1, axtile.kernel_threshold = "a")
    expect_axtile_error(d["@ x"], "argument", "axtile.kernel_threshold")
    expect_axtile_error(set_num_threads(0), "argument")
    expect_axtile_error(set_num_threads("a"), "argument")
})

test_that("errors show the place and near names", {
    d <- example_daf()
    expect_snapshot(error = TRUE, {
        d["@ cell : agee"]
        d["@ cel"]
        d["@ cell : age >> Sun"]
        d["@ cell : age >> Quantile p 7"]
        d["@ cell [ age >"]
        d[": age"]
    })
    expect_axtile_error(d["@ cell : agee"], "range", "did you mean 'age'")
    expect_axtile_error(d["@ cell : age >> Sun"], "argument", "Sum")
    for (query in list("", NULL, 1, NA_character_, c("@ cell", "@ gene"))) {
        expect_axtile_error(d[query], "argument")
        expect_axtile_error(canonical_query(query), "argument")
    }
    # Texts that would be formats.
    expect_axtile_error(d["@ %s%n{x}"], "argument")
    expect_axtile_error(d[". \\%s\\%n\\{x\\}"], "range", "%s%n\\{x\\}")
})

test_that("queries tell about themselves", {
    expect_identical(canonical_query("@cell:age # why"), "@ cell : age")
    expect_s3_class(parse_query("@cell:age"), "axtile_query")
    expect_identical(
        unclass(parse_query("@cell:age>>Sum")), "@ cell : age >> Sum"
    )
    expect_axtile_error(parse_query("@ cell : age >> Sun"), "argument")
    expect_true(is_axis_query("@ cell"))
    expect_true(is_axis_query("@ cell [ age > 1 ]"))
    expect_false(is_axis_query("@ cell : age"))
    expect_identical(query_axis_name("@ cell [ age > 1 ] : type"), "cell")
    expect_identical(query_axis_name("@ cell @ gene :: UMIs"), NA_character_)
    expect_identical(query_axis_name(". a"), NA_character_)
    expect_identical(query_result_dimensions(". a"), 0L)
    expect_identical(query_result_dimensions("@ cell"), 1L)
    expect_identical(query_result_dimensions("@ cell @ gene :: UMIs"), 2L)
    expect_identical(query_result_dimensions("@ cell : age >> Sum"), 0L)
    expect_axtile_error(query_result_dimensions(": age"), "argument")
    d <- example_daf()
    expect_true(has_query(d, "@ cell : age"))
    expect_false(has_query(d, "@ cell : nope"))
    expect_false(has_query(d, "@ nope"))
    expect_axtile_error(has_query(d, "@ cell : : "), "argument")
})

test_that("values are escaped and back", {
    values <- c("a b", "", "a:b", "plain", "\u00e4", "@")
    expect_identical(unescape_value(escape_value(values)), values)
    expect_identical(escape_value("a b"), "a\\ b")
    expect_identical(escape_value(""), "''")
    d <- memory_daf()
    add_axis(d, "x", values[values != ""])
    set_vector(d, "x", "v", values[values != ""])
    expect_identical(
        d[paste("@ x [ v =", escape_value("a b"), "]")], "a b"
    )
    expect_axtile_error(escape_value(NA_character_), "argument")
    expect_axtile_error(escape_value(1), "argument")
})

test_that("data frames have a row for each entry", {
    for (d in writable_dafs()) {
        example_daf(d)
        expect_identical(
            get_dataframe(d, "cell"),
            data.frame(
                age = 1:3, type = c("x", "y", "x"),
                row.names = c("A", "B", "C")
            )
        )
        expect_identical(
            get_dataframe(d, "cell", "type", cache = FALSE),
            data.frame(type = c("x", "y", "x"), row.names = c("A", "B", "C"))
        )
        expect_identical(
            get_dataframe(d, "cell", list(
                a = ": age % Convert type Float64", id = ": name",
                first = ":: UMIs @ gene = g1"
            )),
            data.frame(
                a = c(1, 2, 3), id = c("A", "B", "C"), first = 1:3,
                row.names = c("A", "B", "C")
            )
        )
        some <- data.frame(
            age = 2:3, type = c("y", "x"), row.names = c("B", "C")
        )
        expect_identical(get_dataframe(d, "@ cell [ age > 1 ]"), some)
        expect_identical(get_dataframe_query(d, "@ cell [ age > 1 ]"), some)
        expect_axtile_error(get_dataframe_query(d, "@ cell : age"), "argument")
        expect_axtile_error(get_dataframe(d, "cell", "nope"), "range")
        expect_axtile_error(get_dataframe(d, "nope"), "range")
        expect_axtile_error(
            get_dataframe(d, "cell", list(n = ": age >> Sum")), "argument"
        )
        expect_axtile_error(get_dataframe(d, "cell", list(": age")), "argument")
        none <- get_dataframe(d, "gene")
        expect_identical(dim(none), c(2L, 0L))
        expect_identical(rownames(none), c("g1", "g2"))
        expect_identical(
            get_tidy(d, "cell"),
            data.frame(
                name = rep(c("A", "B", "C"), 2),
                key = rep(c("age", "type"), each = 3),
                value = c("1", "2", "3", "x", "y", "x")
            )
        )
        expect_identical(nrow(get_tidy(d, "gene")), 0L)
    }
})

test_that("an interrupt stops a query", {
    skip_on_os("windows")
    skip_on_cran()
    folder <- withr::local_tempdir()
    ready <- file.path(folder, "ready")
    result <- file.path(folder, "result")
    for (n_threads in 1:2) {
        # A query that takes many seconds of CPU time.
        steps <- strrep(" % Log base 2 eps 1 % Abs", 90)
        pid <- start_r(c(
            paste0("set_num_threads(", n_threads, ")"),
            "d <- memory_daf('large')",
            "add_axis(d, 'a', as.character(1:3000))",
            "set_matrix(d, 'a', 'a', 'm', matrix(runif(9e6), 3000))",
            paste0("file.create(", deparse(ready), ")"),
            "before <- proc.time()[['user.self']]",
            paste0(
                "r <- tryCatch({d['@ a @ a :: m", steps, " >> Sum']; 'done'}, ",
                "interrupt = function(e) 'interrupted')"
            ),
            "cpu_seconds <- proc.time()[['user.self']] - before",
            paste0("writeLines(c(r, cpu_seconds), ", deparse(result), ")")
        ))
        while (!file.exists(ready)) Sys.sleep(0.01)
        Sys.sleep(0.3)
        tools::pskill(pid, tools::SIGINT)
        while (is_running(pid)) Sys.sleep(0.01)
        # Processes of a shell without job control ignore the signal.
        told <- readLines(result)
        skip_if_not(told[[1]] != "done", "the signal was not delivered")
        expect_identical(told[[1]], "interrupted")
        expect_lt(as.numeric(told[[2]]), 3)
        file.remove(ready, result)
    }
})
