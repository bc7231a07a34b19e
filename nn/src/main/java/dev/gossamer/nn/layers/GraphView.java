package dev.gossamer.nn.layers;

/// A layer's view of the graph: as a linear map of whole rows, which most layers use, or edge by
/// edge. A network gets the view that its layers need.
public sealed interface GraphView permits Aggregation, Neighbourhood {}
