/// Minibatches drawn as products of sparse matrices, many at a time (MBS).
///
/// Start with [dev.gossamer.gnn.sampling.BulkSampler]; its layers follow MBS, Algorithm 1, in
/// `LayerSampling`: `P = Q A`, NORM, SAMPLE, EXTRACT. [dev.gossamer.gnn.sampling.Sampler] is the
/// method of sampling, with one implementation for each entry of
/// [dev.gossamer.gnn.sampling.Samplers]; [dev.gossamer.gnn.sampling.blocks.SampledBatch] is the
/// result, and [dev.gossamer.gnn.sampling.matrices.AdjacencyRows] hides where the rows of the graph
/// are stored. [dev.gossamer.gnn.sampling.BatchItems] is what batches are made of. Imports
/// exchange, graph, comm and what lies below them, and what is predicted, no trainer.
@NullMarked
package dev.gossamer.gnn.sampling;

import org.jspecify.annotations.NullMarked;
