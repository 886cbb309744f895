fixture <- function(...) shared_path("fixtures", "daf", ...)

test_that("stores of other programs are read", {
    for (version in c("julia_files_v1_0", "julia_files_v1_1")) {
        d <- files_daf(fixture(version))
        for (axis in axes_set(d)) {
            frame <- get_dataframe(d, axis)
            expect_identical(rownames(frame), as.vector(axis_vector(d, axis)))
        }
    }
    d <- files_daf(fixture("julia_files_v1_0"))
    expect_equal(get_scalar(d, "pi"), 3.14)
    expect_identical(d[". cells"], 100L)
    expect_identical(unname(get_vector(d, "cell", "donor")), 1:4)
    expect_identical(
        unname(get_vector(d, "cell", "sparse_x")), c(0, 10, 0, 30)
    )
    expect_identical(
        unname(get_vector(d, "cell", "flags")), c(TRUE, FALSE, TRUE, FALSE)
    )
    mask <- get_matrix(d, "cell", "gene", "mask")
    expect_s4_class(mask, "lgCMatrix")
    expect_true(validObject(mask))
    sparse <- get_matrix(d, "cell", "gene", "sparse_m")
    expect_s4_class(sparse, "dgCMatrix")
    expect_true(validObject(sparse))
    expect_identical(
        get_matrix(d, "gene", "cell", "sparse_m"), Matrix::t(sparse)
    )
    expect_identical(dim(get_matrix(d, "cell", "gene", "dense_m")), c(4L, 2L))
})

test_that("packed stores hold what flat ones do", {
    paths <- c(
        file.path("packed_files", c("bl.files", "bz.files", "gz.files",
            "zs.files")),
        file.path("packed_zarr", paste0(c("bl", "bz", "gz", "zs"), ".daf.zarr"))
    )
    stores <- lapply(paths, function(path) open_daf(fixture(path)))
    contents <- lapply(stores, function(d) {
        list(
            get_dataframe(d, "cell"), axis_vector(d, "gene"),
            get_matrix(d, "cell", "gene", "dense"),
            get_matrix(d, "cell", "gene", "sparse")
        )
    })
    expect_identical(contents[[1]][[1]]$score, as.double(1:1200))
    expect_identical(contents[[1]][[1]]$label[1:2], c("v1", "v2"))
    for (other in contents[-1]) {
        expect_identical(other, contents[[1]])
    }
})

test_that("a store written here is a copy of the example", {
    d <- files_daf(fixture("cells_daf"))
    for (to in writable_dafs()) {
        for (axis in axes_set(d)) {
            add_axis(to, axis, axis_vector(d, axis))
            for (name in vectors_set(d, axis)) {
                set_vector(to, axis, name, get_vector(d, axis, name))
            }
        }
        m <- get_matrix(d, "cell", "gene", "UMIs")
        set_matrix(to, "cell", "gene", "UMIs", m)
        expect_identical(get_matrix(to, "cell", "gene", "UMIs"), m)
        expect_identical(
            get_matrix(to, "gene", "cell", "UMIs"),
            get_matrix(d, "gene", "cell", "UMIs")
        )
        for (axis in axes_set(d)) {
            expect_identical(get_dataframe(to, axis), get_dataframe(d, axis))
        }
        expect_identical(to["@ gene : is_lateral >> Sum"], 438L)
        expect_identical(to["@ cell @ gene :: UMIs >> Sum"], 1171936L)
        expect_equal(to["@ donor : age >> Mean"], 64.41053, tolerance = 1e-6)
    }
})
