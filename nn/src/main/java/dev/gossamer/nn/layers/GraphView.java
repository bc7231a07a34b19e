package dev.gossamer.nn.layers;

/// How a layer sees the graph: as a linear map of whole rows, which is all that most layers need,
/// or edge by edge. A network is given the one that its layers ask for.
public sealed interface GraphView permits Aggregation, Neighbourhood {}
