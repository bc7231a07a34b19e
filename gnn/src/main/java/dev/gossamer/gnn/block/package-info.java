/// Passes over sampled blocks, and a rank's share of graph and features. Imports `stack`,
/// `sampling`, `feature` and the exchange; knows no trainer. Start with
/// [dev.gossamer.gnn.block.BlockStack] and [dev.gossamer.gnn.block.RankShare].
@NullMarked
package dev.gossamer.gnn.block;

import org.jspecify.annotations.NullMarked;
