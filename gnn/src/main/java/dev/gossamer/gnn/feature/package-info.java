/// The input features of minibatches: which rows a batch reads, where they are stored, and how they
/// are fetched (MBS, section 6.2).
///
/// Start with [dev.gossamer.gnn.feature.FeatureSource], which hides where rows are stored, and
/// [dev.gossamer.gnn.feature.FeatureFetch], which prefetches those of the next batch. The rows of a
/// cache are chosen by [dev.gossamer.gnn.sampling.Sampler#inputProbabilities]. Imports exchange,
/// plan, graph, comm and what lies below them, no sampler and no trainer.
@NullMarked
package dev.gossamer.gnn.feature;

import org.jspecify.annotations.NullMarked;
