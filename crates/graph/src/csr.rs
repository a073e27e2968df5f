//! Sparse rows that somebody already holds.

use crate::{Arcs, ArcsBuilder, DroppedArcs, Element, GraphError, WeightSummary};

impl<T: Element> Arcs<T> {
    /// Of compressed sparse rows: the arcs of tail v are those from `offsets[v]` up to `offsets[v + 1]`. If the heads of each tail ascend and
    /// nothing has to go, the lists are taken as they are, in O(n + m) time and without more memory. Otherwise, and where every arc stands for two, there and
    /// back, it is as if every arc was given to an [`ArcsBuilder`], in this order.
    ///
    /// # Errors
    /// [`GraphError::NotRows`], and those of [`ArcsBuilder::add`].
    pub fn from_csr(
        offsets: Vec<usize>,
        heads: Vec<u32>,
        weights: Vec<T>,
        undirected: bool,
    ) -> Result<(Self, DroppedArcs), GraphError> {
        let end = offsets.last().copied().unwrap_or(0);
        let refuse = |problem: String| Err(GraphError::NotRows { problem });
        if offsets.first().is_some_and(|first| *first != 0) || !offsets.is_sorted() {
            return refuse("rows do not follow each other from 0".to_string());
        }
        if [heads.len(), weights.len()] != [end; 2] {
            let (heads, weights) = (heads.len(), weights.len());
            return refuse(format!("rows end at {end}, and there are {heads} heads and {weights} weights"));
        }
        let n = offsets.len().saturating_sub(1);
        let mut builder = ArcsBuilder::with_vertices(n)?.undirected(undirected);
        let rows = || offsets.windows(2).map(|row| row[0]..row[1]).enumerate();
        let is_ready = |(tail, row): (usize, std::ops::Range<usize>)| {
            let (heads, weights) = (&heads[row.clone()], &weights[row]);
            heads.is_sorted_by(|a, b| a < b)
                && heads.iter().all(|head| (*head as usize) < n && *head as usize != tail)
                && weights.iter().all(|weight| {
                    // Where there is no arc, this is infinite or larger than it may be. -0.0 has to become +0.0.
                    weight.to_f64().abs() <= T::TYPE.most() && weight.plus(T::ZERO).bitwise_eq(*weight)
                })
        };
        if !undirected && rows().all(is_ready) {
            let facts = WeightSummary::of_arcs(&weights, heads.len() == n * (n - 1));
            return Ok((Self { offsets, heads, weights, facts }, DroppedArcs::default()));
        }
        builder.reserve(heads.len())?;
        for (tail, row) in rows() {
            let arcs = heads[row.clone()].iter().zip(&weights[row]);
            arcs.into_iter().try_for_each(|(head, weight)| builder.add(tail, *head as usize, *weight))?;
        }
        // Room for what comes.
        drop((offsets, heads, weights));
        builder.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_rows_are_taken_as_they_are_or_mended() {
        let heads = vec![1, 2, 0];
        let place = heads.as_ptr();
        let (graph, dropped) = Arcs::from_csr(vec![0, 2, 3, 3], heads, vec![5, 0, -1], false).unwrap();
        assert_eq!((graph.heads().as_ptr(), dropped), (place, DroppedArcs::default()));
        let mut builder = ArcsBuilder::with_vertices(3).unwrap();
        [(1, 0, -1), (0, 2, 0), (0, 1, 5)].into_iter().for_each(|(u, v, w)| builder.add(u, v, w).unwrap());
        assert_eq!(builder.build().unwrap().0, graph);
        let rows = Arcs::from_csr(
            vec![0, 4, 6, 7],
            vec![2, 1, 0, 1, 0, 2, 1],
            vec![0, 6, 3, 5, -1, i32::ABSENT, i32::ABSENT],
            false,
        );
        assert_eq!(rows.unwrap(), (graph, DroppedArcs { duplicates: 1, self_loops: 1, absent: 2 }));
        let (graph, _) = Arcs::from_csr(vec![0, 1, 1], vec![1], vec![-0.0_f32], false).unwrap();
        assert_eq!(graph.weights()[0].to_bits(), 0);
    }

    #[test]
    fn sparse_rows_that_are_none_are_refused() {
        let of = |offsets: &[usize], heads: &[u32]| {
            Arcs::from_csr(offsets.to_vec(), heads.to_vec(), vec![1.0_f64; heads.len()], false)
        };
        assert!(matches!(of(&[], &[]), Err(GraphError::Empty)));
        assert!(matches!(of(&[0], &[]), Err(GraphError::Empty)));
        for (offsets, heads) in
            [([1, 1, 1], [0].as_slice()), ([0, 2, 1], &[0]), ([0, 1, 2], &[0]), ([0, 0, 0], &[0])]
        {
            assert!(matches!(of(&offsets, heads), Err(GraphError::NotRows { .. })), "{offsets:?}");
        }
        assert!(matches!(of(&[0, 1, 1], &[2]), Err(GraphError::NotAVertex { vertex: 2, .. })));
        assert!(Arcs::from_csr(vec![0, 1, 1], vec![1], vec![f32::NAN], false).is_err());
        assert!(Arcs::from_csr(vec![0, 1, 1], vec![1], vec![1 << 29], false).is_err());
        assert!(Arcs::from_csr(vec![0, 1, 1], vec![1], Vec::<f32>::new(), false).is_err());
    }
}
