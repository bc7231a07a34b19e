/// Minibatches drawn as products of sparse matrices, many at a time (MBS).
///
/// Start with [dev.gossamer.sampling.BulkSampler]; its layers follow MBS, Algorithm 1, in
/// `LayerSampling`: `P = Q A`, NORM, SAMPLE, EXTRACT. [dev.gossamer.sampling.Sampler] lists what
/// can be drawn, [dev.gossamer.sampling.SampledBatch] is the result, and
/// [dev.gossamer.sampling.AdjacencyRows] hides where the rows of the graph are. Imports exchange,
/// graph, comm and what lies below them, no trainer.
@NullMarked
package dev.gossamer.sampling;

import org.jspecify.annotations.NullMarked;
