package dev.gossamer.gnn.stack;

import dev.gossamer.gnn.objective.ClassObjective;
import dev.gossamer.gnn.objective.Objective;
import dev.gossamer.nn.optimizer.OptimizerRule;

/// The network and how it is trained.
///
/// @param network the shape of the network
/// @param objective what it is trained for
/// @param rule of the optimizer
/// @param seed of weights, dropout and samples
public record NetworkTraining(
    NetworkSettings network, Objective objective, OptimizerRule rule, long seed) {
  /// Classes of vertices by cross-entropy.
  ///
  /// @param network the shape of the network
  /// @param rule of the optimizer
  /// @param seed of weights, dropout and samples
  public NetworkTraining(NetworkSettings network, OptimizerRule rule, long seed) {
    this(network, ClassObjective.CROSS_ENTROPY, rule, seed);
  }
}
