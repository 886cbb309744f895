test_that("appended cells are read behind the others", {
    m <- small_counts()
    path <- temp_tiles()
    obs <- data.frame(
        batch = factor(rep(c("b", "a", "c"), c(20, 20, 17))), n = seq_len(57),
        row.names = colnames(m)
    )
    part <- function(cells) {
        rows <- obs[cells, ]
        rows$batch <- droplevels(rows$batch)
        rows
    }
    ds <- write_tiles(m[, 1:20], path, tile_size = 15, obs = part(1:20))
    before <- ds
    ds <- append_tiles(ds, m[, 21:40], obs = part(21:40))
    # Genes in another order.
    ds <- append_tiles(path, m[83:1, 41:57], obs = part(41:57))
    expect_identical(dim(ds), dim(m))
    expect_identical(tiles_info(ds)$tiles$n_cells, c(15, 5, 15, 5, 15, 2))
    expect_same_matrix(read_cells(ds), m)
    expect_same_matrix(read_tile(ds, 3), m[, 21:35])
    expect_same_matrix(read_tile(ds, 6), m[, 56:57])
    expect_same_matrix(read_cells(ds, c("cell50", "cell3")), m[, c(50, 3)])
    expected <- obs
    expected$batch <- factor(obs$batch, levels = c("b", "a", "c"))
    expect_identical(read_obs(ds), expected)
    expect_identical(read_obs(ds, cells = c(57, 1)), expected[c(57, 1), ])
    expect_true(all(verify_tiles(ds)$ok))
    expect_axtile_error(read_cells(before), "stale")
    expect_axtile_error(append_tiles(before, m, obs = obs), "stale")
    expect_axtile_error(append_tiles(ds, before), "stale")
    expect_axtile_error(convert_tiles(before, temp_tiles()), "stale")
    expect_axtile_error(
        append_tiles(ds, m, obs = obs["n"]), "argument", "batch"
    )
    expect_axtile_error(
        append_tiles(ds, m[1:80, ], obs = obs), "argument", "gene81"
    )
    expect_same_matrix(read_cells(open_tiles(path)), m)
})

test_that("datasets and layers are appended", {
    m <- small_counts()
    path <- temp_tiles()
    write_tiles(m, path, layers = list(b = m * 2))
    other <- write_tiles(m * 3, temp_tiles(), layers = list(b = m))
    ds <- append_tiles(path, other)
    expect_same_matrix(read_cells(ds), cbind(m, m * 3))
    expect_same_matrix(read_cells(ds, layer = "b"), cbind(m * 2, m))
    ds <- append_tiles(ds, m, layers = list(b = m * 4))
    expect_identical(ncol(ds), 171L)
    expect_axtile_error(append_tiles(ds, m), "argument", "layers")
    expect_axtile_error(append_tiles(ds, other, obs = 1), "argument", "obs")
    expect_axtile_error(append_tiles(ds, "a"), "argument")
    old <- write_tiles(m, temp_tiles(), format = "deltacells")
    expect_axtile_error(
        append_tiles(old, m), "unsupported", "convert_tiles"
    )
})
