package dev.gossamer.gnn.minibatch;

import dev.gossamer.gnn.feature.FetchCounts;
import dev.gossamer.gnn.historical.HistoricalCounts;
import dev.gossamer.gnn.sampling.SamplingSeconds;
import org.jspecify.annotations.Nullable;

/// What a minibatch training has done so far on one rank.
///
/// @param batches trained on
/// @param edges entries of the sampled blocks
/// @param sampleSeconds that drawing took, in whichever thread
/// @param sampling where they went
/// @param graphBytes of rows of the graph that came from other ranks
/// @param evaluations of the whole model
/// @param evaluateSeconds that they took
/// @param fetched what the features of the batches have moved
/// @param historical what historical embeddings have done, or null if there are none
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
