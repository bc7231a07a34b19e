/// Layers of graph networks with explicit forward and backward passes, and their initial weights.
///
/// A layer is written once against [dev.gossamer.nn.layers.Aggregation] and does not depend on
/// graphs, ranks or samplers. Imports `state` and `clock`. Start with
/// [dev.gossamer.nn.layers.GraphConvolution].
@NullMarked
package dev.gossamer.nn.layers;

import org.jspecify.annotations.NullMarked;
