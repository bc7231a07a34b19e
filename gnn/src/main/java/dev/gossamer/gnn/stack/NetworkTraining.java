package dev.gossamer.gnn.stack;

import dev.gossamer.nn.optimizer.OptimizerRule;

/// What is trained, and how its weights move.
///
/// @param network the shape of the network
/// @param rule of the optimizer
/// @param seed of weights, dropout and samples
public record NetworkTraining(NetworkSettings network, OptimizerRule rule, long seed) {}
