package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.minibatch.MinibatchSettings;

/// All settings that decide what a training of a graph network computes, and where. Start with
/// [#DEFAULT] and change what differs.
///
/// @param architecture the network
/// @param mode whole graph or minibatches
/// @param learning optimizer, schedule and number of epochs
/// @param ranks how many, and how they exchange rows
/// @param machine threads, memory and matrix products
/// @param seed of weights, dropout and samples
public record TrainingSettings(
    Architecture architecture,
    TrainingMode mode,
    LearningSettings learning,
    RankSettings ranks,
    MachineSettings machine,
    long seed) {
  /// A graph convolutional network with one hidden layer, trained on the whole graph on one rank.
  public static final TrainingSettings DEFAULT =
      new TrainingSettings(
          Architecture.DEFAULT,
          new TrainingMode.FullGraph(),
          LearningSettings.DEFAULT,
          RankSettings.DEFAULT,
          MachineSettings.DEFAULT,
          0);

  /// Checks that the settings are compatible, as far as that does not depend on the data.
  ///
  /// @throws InvalidSettingException if they are not
  public TrainingSettings {
    if (mode instanceof TrainingMode.Minibatch batches) {
      requireTogether(batches.settings(), ranks);
    }
  }

  private static void requireTogether(MinibatchSettings minibatches, RankSettings ranks) {
    if (ranks.strategy().kind() != Kind.SPARSITY_AWARE) {
      throw new InvalidSettingException(
          "{exchange}: minibatches fetch what they need; expected sparsity-aware, found "
              + InvalidSettingException.nameOf(ranks.strategy().kind()));
    }
    if (minibatches.historical() == null) {
      return;
    }
    if (!minibatches.hasAutomaticBulk() && minibatches.bulk() != 1) {
      throw new InvalidSettingException(
          "{bulk}: with historical embeddings ({historical}) each batch is drawn when it is its turn; leave it out");
    }
    if (minibatches.historical().onMiss() == OnMiss.DROP && minibatches.partitioned()) {
      throw new InvalidSettingException(
          "{graph}: a rank that drops misses sees no remote rows; expected replicated, or {onMiss} fetch; found partitioned");
    }
    if (!minibatches.overlaps()) {
      throw new InvalidSettingException(
          "{overlap}: historical embeddings ({historical}) always travel while batches are computed; expected on, found off");
    }
  }

  /// Returns a copy with another network.
  ///
  /// @param other the network
  /// @return the changed copy
  public TrainingSettings withArchitecture(Architecture other) {
    return new TrainingSettings(other, mode, learning, ranks, machine, seed);
  }

  /// Returns a copy with another mode.
  ///
  /// @param other whole graph or minibatches
  /// @return the changed copy
  public TrainingSettings withMode(TrainingMode other) {
    return new TrainingSettings(architecture, other, learning, ranks, machine, seed);
  }

  /// Returns a copy with other settings of learning.
  ///
  /// @param other optimizer, schedule and number of epochs
  /// @return the changed copy
  public TrainingSettings withLearning(LearningSettings other) {
    return new TrainingSettings(architecture, mode, other, ranks, machine, seed);
  }

  /// Returns a copy with other ranks.
  ///
  /// @param other how many, and how they exchange rows
  /// @return the changed copy
  public TrainingSettings withRanks(RankSettings other) {
    return new TrainingSettings(architecture, mode, learning, other, machine, seed);
  }

  /// Returns a copy with other settings of the machine.
  ///
  /// @param other threads, memory and matrix products
  /// @return the changed copy
  public TrainingSettings withMachine(MachineSettings other) {
    return new TrainingSettings(architecture, mode, learning, ranks, other, seed);
  }

  /// Returns a copy with another seed.
  ///
  /// @param other of weights, dropout and samples
  /// @return the changed copy
  public TrainingSettings withSeed(long other) {
    return new TrainingSettings(architecture, mode, learning, ranks, machine, other);
  }
}
