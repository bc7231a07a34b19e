/// The input features of minibatches: which rows a batch reads, where they are, and how they come
/// (MBS, section 6.2).
///
/// Start with [dev.gossamer.gnn.feature.FeatureSource], which hides where the rows are, and
/// [dev.gossamer.gnn.feature.FeatureFetch], which brings those of the next batch while this one is
/// computed. What a cache keeps is chosen by
/// [dev.gossamer.gnn.sampling.Sampler#inputProbabilities]. Imports exchange, plan, graph, comm and
/// what lies below them, no sampler and no trainer.
@NullMarked
package dev.gossamer.gnn.feature;

import org.jspecify.annotations.NullMarked;
