/// The input features of minibatches: which rows a batch reads, where they are, and how they come
/// (MBS, section 6.2).
///
/// Start with [dev.gossamer.feature.FeatureSource], which hides where the rows are, and
/// [dev.gossamer.feature.FeatureFetch], which brings those of the next batch while this one is
/// computed. What a cache keeps is chosen by [dev.gossamer.sampling.InputProbabilities]. Imports
/// exchange, plan, graph, comm and what lies below them, no sampler and no trainer.
@NullMarked
package dev.gossamer.feature;

import org.jspecify.annotations.NullMarked;
