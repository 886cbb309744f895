on_disk <- function(env = parent.frame()) {
    path <- tempfile()
    withr::defer(unlink(path, recursive = TRUE), envir = env)
    path
}

test_that("chains read from all and write to the last", {
    base <- example_daf()
    top <- memory_daf("top")
    chain <- chain_writer(list(base, top))
    expect_identical(daf_name(chain), "example;top")
    expect_false(is_leaf(chain))
    set_vector(chain, "cell", "new", c(TRUE, FALSE, TRUE))
    expect_identical(vectors_set(chain, "cell"), c("age", "new", "type"))
    expect_identical(vectors_set(top, "cell"), "new")
    expect_identical(vectors_set(base, "cell"), c("age", "type"))
    set_vector(chain, "cell", "age", 7:9, overwrite = TRUE)
    expect_identical(unname(get_vector(chain, "cell", "age")), 7:9)
    expect_identical(unname(get_vector(base, "cell", "age")), 1:3)
    expect_identical(chain["@ cell : age >> Sum"], 24L)
    expect_axtile_error(delete_vector(chain, "cell", "type"), "argument")
    reader <- chain_reader(list(base, top), name = "both")
    expect_identical(daf_name(reader), "both")
    expect_axtile_error(set_scalar(reader, "x", 1), "argument", "read-only")
    alone <- chain_reader(list(read_only(base)))
    expect_identical(alone["@ ?"], c("cell", "gene"))
    expect_axtile_error(chain_reader(list()), "argument", "empty chain")
    expect_axtile_error(chain_writer(list()), "argument", "empty chain")
    expect_axtile_error(
        chain_writer(list(top, read_only(base))), "argument", "read-only"
    )
    expect_axtile_error(chain_reader(list(base, 5)), "argument", "dafs")
    expect_axtile_error(chain_reader(5), "argument", "dafs")
    other <- memory_daf("other")
    add_axis(other, "cell", "Z")
    expect_axtile_error(chain_reader(list(base, other)), "argument", "entries")
})

test_that("chains are found again on the disk", {
    base_path <- on_disk()
    new_path <- on_disk()
    base <- example_daf(files_daf(base_path, "w"))
    new <- files_daf(new_path, "w")
    chain <- complete_chain(base, new)
    set_vector(chain, "cell", "more", c(0.5, 1.5, 2.5))
    again <- complete_daf(new_path)
    expect_identical(again["@ cell : more >> Sum"], 4.5)
    expect_identical(get_scalar(again, "organism"), "human")
    expect_axtile_error(set_scalar(again, "x", 1), "argument", "read-only")
    writable <- complete_daf(new_path, "r+", name = "all")
    expect_identical(daf_name(writable), "all")
    set_scalar(writable, "x", 1)
    expect_true(has_scalar(files_daf(new_path), "x"))
    expect_false(has_scalar(files_daf(base_path), "x"))
    expect_identical(
        complete_path(files_daf(new_path)),
        normalizePath(c(new_path, base_path))
    )
    expect_axtile_error(complete_chain(base, new), "exists")
    expect_axtile_error(complete_path(memory_daf()), "argument")
    expect_axtile_error(complete_chain(memory_daf(), new), "argument")
    expect_error(complete_daf(new_path, "w"))
    seen <- files_daf(on_disk(), "w")
    chain <- complete_chain(
        base, seen,
        axes = list(list("obs", "@ cell [ age > 1 ]")),
        data = list(list(c("obs", "age"), "=")), absolute = TRUE
    )
    expect_identical(get_vector(chain, "obs", "age"), c(B = 2L, C = 3L))
    expect_identical(axes_set(chain), "obs")
})

test_that("views show what they are told to", {
    d <- example_daf()
    all <- viewer(d)
    expect_identical(daf_name(all), "example.view")
    expect_identical(get_dataframe(all, "cell"), get_dataframe(d, "cell"))
    v <- viewer(d, "v",
        axes = list(list("obs", "@ cell [ age > 1 ]"), list("gene", "=")),
        data = list(
            list("organism", "="), list(c("obs", "double"), ": age % Squash"),
            list(c("obs", "gene", "m"), ":: UMIs"),
            list(c("obs", "kind"), ": type")
        )[-2]
    )
    expect_identical(axes_set(v), c("gene", "obs"))
    expect_identical(get_vector(v, "obs", "kind"), c(B = "y", C = "x"))
    expect_identical(
        get_matrix(v, "obs", "gene", "m"),
        get_matrix(d, "cell", "gene", "UMIs")[c("B", "C"), ]
    )
    expect_identical(v["@ obs @ gene :: m >> Sum"], 16L)
    expect_axtile_error(set_scalar(v, "x", 1), "argument", "read-only")
    hidden <- viewer(
        d,
        axes = list(list(ALL_AXES, "="), list("gene", NULL)),
        data = list(VIEW_ALL_DATA, list(c("cell", "type"), NULL))
    )
    expect_identical(axes_set(hidden), "cell")
    expect_identical(vectors_set(hidden, "cell"), "age")
    expect_identical(scalars_set(hidden), "organism")
    only <- viewer(d, data = list(VIEW_ALL_SCALARS))
    expect_identical(vectors_set(only, "cell"), character())
    expect_identical(
        vectors_set(viewer(d, axes = list(VIEW_ALL_AXES), data = list(
            VIEW_ALL_VECTORS, VIEW_ALL_MATRICES
        )), "cell"), c("age", "type")
    )
})

test_that("views of another form are refused", {
    d <- example_daf()
    for (axes in list(
        5, list(5), list(list("a")), list(list(1, "=")),
        list(list(c("a", "b"), "=")), list(list("cell", 5)),
        list(list("obs", "@ cell : age")), list(list("*", "@ cell"))
    )) {
        expect_axtile_error(viewer(d, axes = axes), "argument")
    }
    expect_axtile_error(
        viewer(d, axes = list(list("obs", "@ nope"))), "range"
    )
    for (data in list(
        list(list(c("a", "b", "c", "d"), "=")),
        list(list("organism", "@ cell : age")),
        list(list(c("cell", "*"), ": age"))
    )) {
        expect_axtile_error(viewer(d, data = data), "argument")
    }
})
