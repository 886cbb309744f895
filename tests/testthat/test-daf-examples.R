# Queries with known answers: of stores that come with the shared files, and of
# small ones that are made here.

example_cells <- function() {
    files_daf(shared_path("fixtures", "daf", "cells_daf"))
}

example_metacells <- function() {
    files_daf(shared_path("fixtures", "daf", "metacells_daf"))
}

# As R shows it, in 7 digits; values of 32 bits have no more.
near <- function(x, expected) {
    expect_equal(as_number(x), expected, tolerance = 3e-7)
}

refused <- function(daf, query, class = "axtile_error") {
    expect_error(daf[query], class = class)
}

test_that("names, scalars and single values", {
    d <- example_cells()
    expect_identical(d[". ?"], c("organism", "reference"))
    expect_identical(d["@ ?"], c("cell", "donor", "experiment", "gene"))
    expect_identical(d["@ cell : ?"], c("donor", "experiment"))
    expect_identical(d["@ cell @ gene :: ?"], "UMIs")
    expect_identical(d[". organism"], "human")
    expect_equal(as_number(d[". missing || 7"]), 7)
    expect_identical(d[". missing || foo String"], "foo")
    expect_identical(d[": age @ donor = N16"], 61L)
})

test_that("reductions of vectors and matrices to one value", {
    d <- example_cells()
    expect_equal(as_number(d["@ gene : is_lateral >> Sum"]), 438)
    expect_equal(as_number(d["@ cell @ gene :: UMIs >> Sum"]), 1171936)
    near(d["@ donor : age >> Mean"], 64.41053)
    near(d["@ donor : age >> Median"], 66)
    near(d["@ donor : age >> Max"], 91)
    near(d["@ donor : age >> Count"], 95)
    near(d["@ donor : age >> Var"], 184.9999)
    near(d["@ donor : age >> Std"], 13.60147)
    near(d["@ donor : age >> VarN eps 0.1"], 2.867747)
    near(d["@ donor : age >> StdN"], 0.2111684)
    near(d["@ donor : age >> Quantile p 0.25"], 54.5)
    near(d["@ donor : age >> GeoMean"], 62.77691)
    near(d["@ donor : age >> GeoMean eps 1"], 62.80778)
    near(d["@ donor : age >> Mode"], 73)
    expect_identical(d["@ donor : sex >> Mode"], "female")
    both <- "@ cell [ donor = N16 ] @ gene [ is_lateral ] :: UMIs >> Sum"
    near(d[both], 22234)
    # A default that is a number is reduced as one.
    near(d["@ donor : nope || 5 >> Sum"], 475)
})

test_that("masks", {
    d <- example_cells()
    n <- c(
        "@ donor [ age > 60 ]" = 59, "@ donor [ ! age > 60 ]" = 36,
        "@ donor [ age > 60 & sex = male ]" = 29,
        "@ donor [ age > 60 | sex = male ]" = 73,
        "@ donor [ age > 60 ^ sex = male ]" = 44,
        "@ donor [ age > 60 & ! sex = male ]" = 30,
        "@ donor [ age > 60 &! sex = male ]" = 30,
        "@ gene [ is_lateral ]" = 438, "@ gene [ ! is_lateral ]" = 245,
        "@ cell [ UMIs @ gene = RPL22 > 0 ]" = 834,
        "@ cell [ donor : age > 60 ] : donor" = 518
    )
    for (query in names(n)) {
        expect_length(d[query], n[[query]])
    }
    expect_identical(
        as.vector(d["@ donor [ name ~ \\^N1.\\$ ]"]), c("N16", "N17", "N18")
    )
    expect_identical(as.vector(d["@ donor [ name = N16 ]"]), "N16")
})

test_that("look-ups, comparisons and operations of vectors", {
    d <- example_cells()
    ages <- d["@ cell : donor : age"]
    expect_length(ages, 856)
    expect_equal(unname(ages[[1]]), 55)
    expect_identical(names(ages), axis_vector(d, "cell"))
    sexes <- d["@ cell : donor =@ : sex"]
    expect_identical(sexes[[1]], "male")
    expect_length(sexes, 856)
    old <- d["@ donor : age > 60"]
    expect_type(old, "logical")
    expect_length(old, 95)
    expect_equal(sum(old), 59)
    near(d["@ donor : age % Clamp min 40 max 60"][["N16"]], 60)
    near(d["@ donor : age % Log base 2 eps 1"][["N16"]], 5.954196)
    near(d["@ donor : age % Fraction"][["N16"]], 0.009968949)
    means <- d["@ donor : age / sex >> Mean"]
    expect_named(means, c("female", "male"))
    near(means, c(63.19231, 65.88372))
    near(d["@ donor : age / sex >> Count"], c(52, 43))
    modes <- d["@ cell : donor / experiment >> Mode"]
    expect_type(modes, "character")
    expect_length(modes, 23)
})

test_that("matrices", {
    d <- example_cells()
    counts <- d["@ cell : experiment * donor : sex"]
    expect_identical(dim(counts), c(23L, 2L))
    near(counts[1, ], c(23, 14))
    near(sum(counts), 856)
    umis <- d["@ cell @ gene :: UMIs"]
    expect_identical(dim(umis), c(856L, 683L))
    near(umis[1, 1:3], c(12, 1, 1))
    sums <- d["@ gene @ cell :: UMIs >| Sum"]
    near(sums[c("RPL22", "PARK7", "ENO1")], c(5114, 409, 887))
    expect_identical(d["@ cell @ gene :: UMIs >- Sum"], sums)
    grouped <- d["@ cell @ gene :: UMIs -/ experiment >- Sum"]
    expect_identical(dim(grouped), c(23L, 683L))
    near(grouped[1, 1:3], c(257, 26, 61))
    near(d["@ cell :: UMIs @ gene = RPL22"][1:3], c(12, 8, 3))
    lateral <- d["@ cell @ gene [ is_lateral ] :: UMIs >| Sum"]
    near(lateral[1:2], c(2095, 2874))
    # The label of a group may be looked up.
    by_sex <- d["@ cell @ gene :: UMIs -/ donor : sex >- Mean"]
    expect_identical(rownames(by_sex), c("female", "male"))
    by_hand <- rowsum(as.matrix(umis), d["@ cell : donor : sex"]) /
        as.vector(table(d["@ cell : donor : sex"]))
    expect_equal(by_sex, by_hand, tolerance = 3e-7)
})

test_that("what makes no sense is refused", {
    d <- example_cells()
    for (query in c(
        "@ cell @ gene", "@ nope", "@ cell : nope", "@ cell : donor >> Sum",
        "@ gene :: UMIs @ cell = NOPE"
    )) {
        refused(d, query)
    }
    expect_error(d["@ cell : dono"], "donor")
})

test_that("metacells", {
    d <- example_metacells()
    colors <- d["@ metacell : type : color"]
    expect_identical(colors[["M1671.28"]], "gold")
    expect_identical(d["@ metacell : type =@ : color"], colors)
    expect_identical(d["@ metacell : type =@ type : color"], colors)
    near(d["@ gene :: fraction @ metacell = M412.08"][["RPL22"]], 0.003735807)
    near(d["@ metacell :: edge_weight @| M412.08"][["M1440.15"]], 0.5)
    row <- d["@ metacell :: edge_weight @- M412.08"]
    near(row[c("M756.63", "M2169.56")], c(0.9, 0.1))
    near(d[":: edge_weight @ metacell = M412.08 @ metacell = M756.63"], 0.9)
    near(d["@ metacell @ gene :: fraction >| Max"][[1]], 0.02332097)
    near(d["@ metacell @ gene :: fraction >- Max"][["RPL22"]], 0.004740956)
    by_type <- d["@ metacell @ gene :: fraction -/ type >- Mean"]
    types <- c("MEBEMP-E", "MEBEMP-L", "MPP", "memory-B")
    expect_identical(rownames(by_type), types)
    in_order <- d["@ metacell @ gene :: fraction -/ type =@ >- Mean"]
    expect_identical(rownames(in_order), types[c(4, 1, 2, 3)])
    expect_identical(rownames(in_order), axis_vector(d, "type"))
    expect_true(all(d["@ metacell : type != ''"]))
    expect_identical(
        as.vector(d["@ metacell [ edge_weight @| M412.08 > 0 ]"]),
        c("M1440.15", "M756.63")
    )
})

test_that("cells and metacells, one after the other", {
    d <- chain_reader(list(example_cells(), example_metacells()))
    metacells <- d["@ cell : metacell"]
    expect_length(metacells, 856)
    expect_equal(sum(metacells == ""), 4)
    expect_length(d["@ cell : metacell ?? : type"], 852)
    with_none <- d["@ cell : metacell ?? none : type"]
    expect_length(with_none, 856)
    expect_equal(sum(with_none == "none"), 4)
    refused(d, "@ cell : metacell : type")
    means <- d["@ cell : donor : age / metacell ?? : type >> Mean"]
    expect_named(means, c("MEBEMP-E", "MEBEMP-L", "MPP", "memory-B"))
    near(means, c(63.97674, 63.95238, 64.23795, 62.30769))
    masked <- d[paste(
        "@ cell [ metacell ?? : type != memory-B ] : donor : age",
        "/ metacell : type =@ >> Mean || 0"
    )]
    expect_named(masked, axis_vector(d, "type"))
    near(masked[names(means)], c(63.97674, 63.95238, 64.23795, 0))
})

test_that("empty values end a chain of look-ups, or stay", {
    d <- memory_daf("small")
    add_axis(d, "cell", c("A", "B", "C"))
    add_axis(d, "metacell", c("X", "Y"))
    add_axis(d, "type", c("U", "V"))
    set_vector(d, "cell", "metacell", c("X", "Y", ""))
    set_vector(d, "metacell", "type", c("U", ""))
    set_vector(d, "type", "color", c("red", "green"))
    expect_identical(
        d["@ cell : metacell ?? blue : type ?? magenta : color"],
        c(A = "red", B = "magenta", C = "blue")
    )
    expect_identical(
        d["@ cell : metacell ?? : type ?? : color"], c(A = "red")
    )
    found <- d["@ metacell : type ?? 0 : phase || 1"]
    expect_named(found, c("X", "Y"))
    expect_equal(as_number(found), c(1, 0))
})

test_that("groups without members need a default", {
    d <- memory_daf("small")
    add_axis(d, "cell", c("A", "B", "C", "D"))
    add_axis(d, "type", c("U", "V", "W"))
    set_vector(d, "cell", "score", c(0, 1, 2, 3))
    set_vector(d, "cell", "type", c("U", "U", "V", "V"))
    expect_identical(d["@ cell : score / type >> Sum"], c(U = 1, V = 5))
    expect_identical(
        d["@ cell : score / type =@ >> Sum || 0.0"], c(U = 1, V = 5, W = 0)
    )
    refused(d, "@ cell : score / type =@ >> Sum")
})

test_that("slices and sums of small matrices", {
    d <- memory_daf("small")
    add_axis(d, "cell", c("X", "Y"))
    add_axis(d, "gene", c("A", "B", "C"))
    umis <- matrix(c(0, 3, 1, 4, 2, 5), 2)
    set_matrix(d, "cell", "gene", "UMIs", umis)
    set_matrix(
        d, "cell", "cell", "distance", matrix(c(0, -1, 1, 0), 2),
        relayout = FALSE
    )
    expect_identical(d["@ cell @ gene :: UMIs >| Sum"], c(X = 3, Y = 12))
    expect_identical(d["@ cell @ gene :: UMIs >- Sum"], c(A = 3, B = 5, C = 7))
    expect_identical(
        d["@ gene :: UMIs @ cell = X"], c(A = 0, B = 1, C = 2)
    )
    expect_identical(d["@ cell :: distance @| X"], c(X = 0, Y = -1))
    expect_identical(d["@ cell :: distance @- X"], c(X = 0, Y = 1))
})
