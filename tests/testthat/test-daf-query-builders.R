text <- function(query) as.character(query)

test_that("pieces follow one another as in the text of a query", {
    query <- Axis("cell") |> LookupVector("age")
    expect_s3_class(query, "axtile_query")
    expect_true(query == "@ cell : age")
    expect_identical(text(query), "@ cell : age")
    expect_identical(
        text(Axis("donor") |> BeginMask("age") |> IsGreater(60) |>
            AndNegatedMask("sex") |> IsEqual("male") |>
            OrMask("UMIs") |> Axis("gene") |> IsEqual("A") |> EndMask()),
        "@ donor [ age > 60 & ! sex = male | UMIs @ gene = A ]"
    )
    expect_identical(
        text(BeginNegatedMask("a") |> AndMask("b") |> OrNegatedMask("c") |>
            XorMask("d") |> XorNegatedMask("e") |> EndMask()),
        "[ ! a & b | ! c ^ d ^ ! e ]"
    )
    expect_identical(
        text(Axis("cell") |> Axis("gene") |> LookupMatrix("UMIs") |>
            GroupRowsBy("type") |> AsAxis() |> ReduceToRow(Sum()) |>
            IfMissing(0)),
        "@ cell @ gene :: UMIs -/ type =@ >- Sum || 0"
    )
    expect_identical(
        text(Axis("gene") |> Axis("cell") |> LookupMatrix("UMIs") |>
            GroupColumnsBy("type") |> AsAxis("kind") |>
            ReduceToColumn(Quantile(0.9))),
        "@ gene @ cell :: UMIs |/ type =@ kind >| Quantile p 0.9"
    )
    expect_identical(
        text(Axis("a") |> LookupMatrix("m") |> SquareRowIs("x")),
        "@ a :: m @- x"
    )
    expect_identical(
        text(Axis("a") |> LookupMatrix("m") |> SquareColumnIs("x")),
        "@ a :: m @| x"
    )
    expect_identical(
        text(Axis("cell") |> LookupVector("type") |> IfNot() |>
            LookupVector("color") |> IfNot("none") |> LookupVector("name")),
        "@ cell : type ?? : color ?? none : name"
    )
    expect_identical(
        text(Axis("cell") |> LookupVector("a") |> CountBy("b")),
        "@ cell : a * b"
    )
    expect_identical(text(Axis() |> Names()), "@ ?")
    expect_identical(text(LookupScalar() |> Names()), ". ?")
    expect_identical(text(Axis("a") |> LookupVector() |> Names()), "@ a : ?")
    comparisons <- IsEqual(1) |> IsNotEqual(2) |> IsLess(3) |>
        IsLessEqual(4) |> IsGreaterEqual(5) |> IsMatch("^A.*$") |>
        IsNotMatch("b|c")
    expect_identical(
        text(comparisons), "= 1 != 2 < 3 <= 4 >= 5 ~ \\^A.\\*\\$ !~ b\\|c"
    )
    expect_identical(text(GroupBy(Axis("a"), "b")), "@ a / b")
    expect_identical(text(Axis("a") |> Axis(value = "b")), "@ a @ b")
})

test_that("values are written as they are read", {
    expect_identical(text(IsEqual("")), "= ''")
    expect_identical(text(IsEqual(".")), "= \\.")
    expect_identical(text(IsEqual("a b\\c")), "= a\\ b\\\\c")
    expect_identical(text(IsEqual("-/x+1.5_")), "= -\\/x+1.5_")
    expect_identical(text(IsEqual("\u00e9\u65e5")), "= \u00e9\u65e5")
    expect_identical(text(IsEqual("a\u00a0b\n")), "= a\\\u00a0b\\\n")
    expect_identical(text(IsEqual(TRUE)), "= true")
    expect_identical(text(IsEqual(factor("x"))), "= x")
    expect_identical(text(IsEqual(0.1 + 0.2)), "= 0.30000000000000004")
    expect_identical(text(IsEqual(1e15)), "= 1000000000000000")
    expect_identical(text(IsEqual(-7L)), "= -7")
    expect_identical(text(IsEqual(-Inf)), "= -inf")
    expect_identical(text(IfMissing(NaN)), "|| nan")
    withr::local_options(OutDec = ",", scipen = -10)
    expect_identical(text(IsEqual(1.5)), "= 1.5")
})

test_that("the default keeps its type", {
    expect_identical(text(IfMissing(7)), "|| 7")
    expect_identical(text(IfMissing("x")), "|| x")
    expect_identical(text(IfMissing("")), "|| ''")
    number_like <- c("7", "-1.5", "1e3", ".5", "5.", "true", "pi", "NaN", "inf")
    for (like in number_like) {
        expect_identical(
            text(IfMissing(like)), paste("||", escaped(like), "String")
        )
    }
    expect_identical(text(IfMissing("e5")), "|| e5")
    expect_identical(text(IfMissing(1, type = "uint8")), "|| 1 UInt8")
    expect_identical(
        text(LookupScalar("a") |> IfMissing(FALSE)), ". a || false"
    )
})

test_that("operations have their parameters", {
    expect_identical(text(Sum()), ">> Sum")
    expect_identical(text(Sum("int64")), ">> Sum type Int64")
    expect_identical(text(Mean(type = "Float32")), ">> Mean type Float32")
    expect_identical(text(Quantile()), ">> Quantile p 0.5")
    expect_identical(text(GeoMean(eps = 1)), ">> GeoMean eps 1")
    expect_identical(text(GeoMean(eps = 0)), ">> GeoMean")
    before <- Axis("a") |> LookupVector("b")
    expect_identical(text(before |> Log(2, 1)), "@ a : b % Log base 2 eps 1")
    expect_identical(text(before |> Log(eps = 1)), "@ a : b % Log eps 1")
    expect_identical(
        text(before |> Log(1, base = 2)), "@ a : b % Log base 2 eps 1"
    )
    expect_identical(text(Log(exp(1))), "% Log")
    expect_identical(
        text(Clamp(max = 3, type = "Int8")), "% Clamp max 3 type Int8"
    )
    expect_identical(text(Significant(3)), "% Significant high 3")
    expect_identical(text(Significant(3, 1)), "% Significant high 3 low 1")
    expect_identical(text(Convert("Bool")), "% Convert type Bool")
    alone <- list(
        Abs, Exp, Fraction, Round, Sqrt, Count, Max, Median, Min, Mode, Std,
        StdN, Var, VarN
    )
    expect_identical(
        vapply(alone, function(build) text(build()), ""),
        c(
            paste("%", c("Abs", "Exp", "Fraction", "Round", "Sqrt")),
            paste(">>", c(
                "Count", "Max", "Median", "Min", "Mode", "Std", "StdN", "Var",
                "VarN"
            ))
        )
    )
    expect_identical(text(ReduceToRow("Range")), ">- Range")
})

test_that("what makes no sense is refused", {
    refused <- function(code) {
        expect_error(code, class = "axtile_error_argument")
    }
    refused(BeginMask())
    refused(IsEqual(NA))
    refused(IsEqual(c("a", "b")))
    refused(IsEqual("a", "b"))
    refused(IsEqual(list("a")))
    refused(IfMissing())
    refused(IfMissing("a", type = "text"))
    refused(Axis(Axis("a"), Axis("b")))
    refused(Names("a"))
    refused(ReduceToRow(Axis("a")))
    refused(ReduceToRow(Axis("a"), Axis("b")))
    refused(ReduceToColumn(Sum(), Mean()))
    refused(Sum(type = "Bool"))
    refused(Mean(type = "Int32"))
    refused(Quantile(1.5))
    refused(Quantile(NA))
    refused(Log(base = 1))
    refused(Log(eps = -1))
    refused(Log(2, 1, "Float32", 4))
    refused(Clamp(3, 3))
    refused(Significant())
    refused(Significant(1, 2))
    refused(Convert())
    expect_error(Max(type = "Int8"), "no parameter `type`")
    expect_error(VarN(p = 1), "it has `eps`, `type`")
    expect_error(Log(2, base = 3, base = 4), class = "axtile_error_argument")
})

test_that("a query is shown as it is written", {
    expect_output(print(Axis("cell")), "<query> @ cell", fixed = TRUE)
    expect_identical(format(Axis("cell")), "@ cell")
})

test_that("queries from functions are written in the canonical way", {
    odd <- c("", ".", "-", "a b", "-/x", "\u00e9\u00a0", "[", "''", "\"", "\\")
    for (value in odd) {
        for (build in list(Axis, LookupVector, IsEqual, GroupBy, IfNot)) {
            query <- text(build(value))
            expect_identical(canonical_query(query), query)
        }
        expect_identical(escaped(value), escape_value(value))
        expect_identical(
            canonical_query(IfMissing(value)), text(IfMissing(value))
        )
    }
    numbers <- list(0.1, 1e-20, 12345.678, 2^53, -0.5, pi, 1e22)
    for (x in numbers) {
        query <- Quantile(0.25) |> Log(eps = abs(x)) |> IfMissing(x)
        expect_identical(canonical_query(query), text(query))
    }
    operations <- list(
        Sum("Int64"), Mean(), StdN(0.5), GeoMean(1, "float32"), Clamp(1, 2.5),
        Clamp(max = 3), Log(2), Log(10, 1), Significant(3, 1), Convert("Bool"),
        ReduceToRow(Quantile(1)), Round(), Abs("UInt8"), IfMissing("7"),
        IfMissing(1, type = "Float32"), IsMatch("^a|b.*[c-d]$")
    )
    for (query in operations) {
        expect_identical(canonical_query(query), text(query))
    }
})
