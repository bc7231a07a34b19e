package dev.gossamer.nn.layers;

/// How large a pass through a layer is.
///
/// @param sources rows that are aggregated
/// @param targets rows of the output
/// @param edges from sources to targets
public record PassSize(long sources, long targets, long edges) {}
