package dev.gossamer.gnn.stack;

import dev.gossamer.nn.optimizer.OptimizerRule;

/// The network and how it is trained.
///
/// @param network the shape of the network
/// @param rule of the optimizer
/// @param seed of weights, dropout and samples
public record NetworkTraining(NetworkSettings network, OptimizerRule rule, long seed) {}
