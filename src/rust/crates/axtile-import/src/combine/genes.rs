//! Joining the gene lists of several sources by name.

use std::collections::HashMap;
use std::path::Path;

use axtile_core::{Error, Result};

/// How the genes of several sources become one list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// All sources have the same genes in the same order.
    #[default]
    Exact,
    /// Genes of any source: those of the first, then new ones as they come.
    Union,
    /// Genes of all sources, in the order of the first.
    Intersection,
}

/// A gene that is left out.
pub(super) const DROPPED: u32 = u32::MAX;

/// The common list, and for each source the place of each of its genes in it;
/// `None` where the lists are the same.
pub(super) struct JoinedGenes {
    pub(super) genes: Vec<String>,
    pub(super) places: Vec<Option<Vec<u32>>>,
}

/// Joins the gene lists of `sources`.
///
/// # Errors
/// `Error::Argument` naming the first difference, or a name that a source has
/// twice.
pub(super) fn join_genes(sources: &[(&Path, &[String])], join: Join) -> Result<JoinedGenes> {
    let Some(&(first_path, first)) = sources.first() else {
        return Err(Error::argument("there is no file to import"));
    };
    if join == Join::Exact {
        for (path, genes) in sources {
            check_equal(first_path, first, path, genes)?;
        }
        return Ok(JoinedGenes {
            genes: first.to_vec(),
            places: sources.iter().map(|_| None).collect(),
        });
    }
    let mut n_sources_of: HashMap<&String, usize> = HashMap::new();
    let mut genes: Vec<String> = Vec::new();
    for (path, names) in sources {
        let mut seen = std::collections::HashSet::new();
        for name in *names {
            if !seen.insert(name) {
                return Err(Error::argument(format!(
                    "'{}' has the gene '{name}' twice; genes can be joined by name only if names are unique in each file",
                    path.display()
                )));
            }
            let n = n_sources_of.entry(name).or_insert(0);
            if *n == 0 && join == Join::Union {
                genes.push(name.clone());
            }
            *n += 1;
        }
    }
    if join == Join::Intersection {
        let everywhere = |name: &&String| n_sources_of.get(name) == Some(&sources.len());
        genes = first.iter().filter(everywhere).cloned().collect();
    }
    let place_of: HashMap<&String, u32> = genes.iter().zip(0..).collect();
    let places = sources.iter().map(|(_, names)| {
        if *names == genes.as_slice() {
            return None;
        }
        let places = names
            .iter()
            .map(|name| place_of.get(name).copied().unwrap_or(DROPPED));
        Some(places.collect())
    });
    let places = places.collect();
    drop(place_of);
    Ok(JoinedGenes { genes, places })
}

fn check_equal(first_path: &Path, first: &[String], path: &Path, genes: &[String]) -> Result<()> {
    let advice = "; to join different genes choose union or intersection";
    let differs = first.iter().zip(genes).zip(1..).find(|((a, b), _)| a != b);
    if let Some(((a, b), number)) = differs {
        return Err(Error::argument(format!(
            "gene {number} is '{a}' in '{}' and '{b}' in '{}'{advice}",
            first_path.display(),
            path.display()
        )));
    }
    if first.len() != genes.len() {
        return Err(Error::argument(format!(
            "'{}' has {} genes and '{}' has {}{advice}",
            first_path.display(),
            first.len(),
            path.display(),
            genes.len()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn join(lists: &[&str], how: Join) -> Result<JoinedGenes> {
        let lists: Vec<Vec<String>> = lists.iter().map(|list| names(list)).collect();
        let sources: Vec<(&Path, &[String])> = lists
            .iter()
            .map(|list| (Path::new("x"), list.as_slice()))
            .collect();
        join_genes(&sources, how)
    }

    #[test]
    fn exact() {
        let joined = join(&["a b a", "a b a"], Join::Exact).unwrap();
        assert_eq!(joined.genes, names("a b a"));
        assert_eq!(joined.places, [None, None]);
        let error = join(&["a b", "a c"], Join::Exact).err().unwrap();
        assert!(error.to_string().contains("gene 2 is 'b'"), "{error}");
        let error = join(&["a b", "a b c"], Join::Exact).err().unwrap();
        assert!(error.to_string().contains("has 2 genes"), "{error}");
        assert!(join(&[], Join::Exact).is_err());
    }

    #[test]
    fn union_and_intersection() {
        let joined = join(&["a b c", "d c b", "b c"], Join::Union).unwrap();
        assert_eq!(joined.genes, names("a b c d"));
        assert_eq!(joined.places[0], Some(vec![0, 1, 2]));
        assert_eq!(joined.places[1], Some(vec![3, 2, 1]));
        let joined = join(&["a b c", "d c b", "b c"], Join::Intersection).unwrap();
        assert_eq!(joined.genes, names("b c"));
        assert_eq!(joined.places[0], Some(vec![DROPPED, 0, 1]));
        assert_eq!(joined.places[2], None);
        let error = join(&["a b", "c c"], Join::Union).err().unwrap();
        assert!(error.to_string().contains("'c' twice"), "{error}");
    }
}
