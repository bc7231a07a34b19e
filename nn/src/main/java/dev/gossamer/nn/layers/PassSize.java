package dev.gossamer.nn.layers;

/// The size of a pass through a layer.
///
/// @param sources number of rows that are aggregated
/// @param targets number of rows of the output
/// @param edges number of edges from sources to targets
public record PassSize(long sources, long targets, long edges) {}
