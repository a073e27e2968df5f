use super::*;

#[test]
fn a_growing_graph_has_the_greatest_vertex_of_any_arc() {
    let mut builder = ArcsBuilder::growing();
    builder.add(0, 7, f64::INFINITY).unwrap();
    assert_eq!(builder.build().unwrap().0.n(), 8);
    assert!(matches!(ArcsBuilder::<f32>::growing().build(), Err(GraphError::Empty)));
    assert!(matches!(ArcsBuilder::<f32>::with_vertices(0), Err(GraphError::Empty)));
    let n = 1 << 32;
    assert!(matches!(ArcsBuilder::<f32>::with_vertices(n), Err(GraphError::TooManyVertices { .. })));
    let mut builder = ArcsBuilder::growing();
    assert!(matches!(builder.add(n, 0, 1.0_f32), Err(GraphError::TooManyVertices { .. })));
    assert!(matches!(builder.add(usize::MAX, 0, 1.0), Err(GraphError::TooManyVertices { .. })));
}

#[test]
fn arcs_that_cannot_be_are_refused_with_their_place_and_leave_nothing_behind() {
    let mut builder = ArcsBuilder::with_vertices(2).unwrap();
    builder.add(0, 1, -0.0_f32).unwrap();
    assert!(matches!(builder.add(0, 2, 1.0), Err(GraphError::NotAVertex { arc: 1, vertex: 2, n: 2 })));
    assert!(matches!(builder.add(0, 1, f32::NAN), Err(GraphError::NotAWeight { arc: 1, .. })));
    assert!(matches!(builder.add(1, 0, f32::NEG_INFINITY), Err(GraphError::NotAWeight { tail: 1, .. })));
    let Err(GraphError::NegativeCycle(cycle)) = builder.add(1, 1, -2.0) else { panic!() };
    assert_eq!((cycle.cycle, cycle.weight), (vec![1], -2.0));
    let (graph, dropped) = builder.build().unwrap();
    assert_eq!((graph.m(), graph.weights()[0].to_bits()), (1, 0), "negative zero is zero");
    assert_eq!(dropped, DroppedArcs::default());
}

#[test]
fn integers_beyond_the_range_of_their_type_are_refused_and_not_taken_for_absent() {
    let mut builder = ArcsBuilder::growing();
    for weight in [1 << 28, 1 << 29, i32::MAX, i32::MIN, i32::ABSENT - 1] {
        let message = builder.add(0, 1, weight).unwrap_err().to_string();
        assert!(
            message.contains(&format!("is {weight}, and this library uses i32 up to 268435455")),
            "{message}"
        );
    }
    builder.add(0, 1, (1 << 28) - 1).unwrap();
    assert!(ArcsBuilder::growing().add(0, 1, u16::MAX).is_err());
}
