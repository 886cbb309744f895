//! Matrices that are read run by run answer as those in memory, and are never
//! had as a whole.

use crate::support::{Store, refusal, shown, sparse};

#[test]
fn matrices_are_read_run_by_run() {
    for is_sparse in [false, true] {
        let mut store = Store::default();
        store.axis_is("cell", &["X", "Y", "Z"]);
        store.axis_is("gene", &["A", "B", "C", "D", "E"]);
        store.texts_are("cell", "type", &["U", "V", "U"]);
        store.texts_are("gene", "kind", &["k", "l", "k", "", "l"]);
        let values: Vec<f64> = (0..15).map(|at| f64::from(at * 7 % 5)).collect();
        match is_sparse {
            true => store.any_matrix_is("cell", "gene", "m", sparse(3, 5, &values)),
            false => store.matrix_is("cell", "gene", "m", values),
        }
        let queries = [
            "@ cell @ gene :: m >| Sum",
            "@ cell @ gene :: m >- Mode",
            "@ gene @ cell :: m >| Median",
            "@ gene @ cell :: m >- Var",
            "@ cell @ gene :: m >> GeoMean eps 1",
            "@ cell [ type = U ] @ gene [ kind != k ] :: m >| Max",
            "@ cell @ gene [ name = E ] :: m >- Quantile p 0.3",
            "@ cell @ gene :: m -/ type >- Sum",
            "@ cell @ gene :: m |/ kind >| Mode",
            "@ gene @ cell :: m -/ kind >- Mean",
            "@ gene [ kind != l ] @ cell :: m |/ type >| Min",
            "@ cell @ gene :: m",
            "@ gene [ kind = l ] @ cell [ type = V ] :: m",
            "@ cell :: m @ gene = D",
            "@ gene :: m @ cell = Y",
            ":: m @ gene = C @ cell = Z",
            "@ cell [ m @ gene = B > 1 ]",
            "@ cell @ gene :: m > 2",
            "@ cell @ gene :: m % Fraction",
        ];
        for query in queries {
            store.run = None;
            let expected = shown(&store, query);
            for run in [1, 2, 9] {
                store.run = Some(run);
                let got = shown(&store, query);
                assert_eq!(got, expected, "{query}");
            }
        }
        assert!(refusal(&store, "@ cell @ gene :: n").contains("'m'"));
    }
}
