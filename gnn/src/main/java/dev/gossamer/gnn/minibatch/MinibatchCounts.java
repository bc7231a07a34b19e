package dev.gossamer.gnn.minibatch;

import dev.gossamer.gnn.feature.FetchCounts;
import dev.gossamer.gnn.historical.HistoricalCounts;
import dev.gossamer.gnn.sampling.SamplingSeconds;
import org.jspecify.annotations.Nullable;

/// Measurements of a minibatch training on one rank.
///
/// @param batches trained on
/// @param edges entries of the sampled blocks
/// @param sampleSeconds of drawing, in any thread
/// @param sampling breakdown of these
/// @param graphBytes of remote rows of the graph
/// @param evaluations of the whole model
/// @param evaluateSeconds of the evaluations
/// @param fetched counts of fetched features
/// @param historical measurements of historical embeddings, or null if there are none
public record MinibatchCounts(
    long batches,
    long edges,
    double sampleSeconds,
    SamplingSeconds sampling,
    long graphBytes,
    long evaluations,
    double evaluateSeconds,
    FetchCounts fetched,
    @Nullable HistoricalCounts historical) {}
