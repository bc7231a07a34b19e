package dev.gossamer.pruned.prune;

/// A convolution and the batch normalisation that follows it.
///
/// @param gain name of the scales of the channels, one row
/// @param weight name of the matrix whose columns make these channels
public record ChannelGroup(String gain, String weight) {}
