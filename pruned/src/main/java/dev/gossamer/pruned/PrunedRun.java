package dev.gossamer.pruned;

import dev.gossamer.base.InvalidSettingException;
import org.jspecify.annotations.Nullable;

/// A run as a value: its data and settings. The command line, YAML files and the planner create it;
/// `config.yaml` and printed commands are views of it.
///
/// @param data training data and initial parameters
/// @param training settings of the training
/// @param compare whether the unpruned network is trained too, for comparison; null if neither data
///   nor an initial network are given
public record PrunedRun(CorpusSettings data, PrunedSettings training, @Nullable Boolean compare) {
  /// A small language model on the text of the JDK.
  public static final PrunedRun DEFAULT =
      new PrunedRun(CorpusSettings.DEFAULT, PrunedSettings.DEFAULT, null);

  /// Checks that the settings are consistent.
  ///
  /// @throws InvalidSettingException if there is nothing to compare
  public PrunedRun {
    if (Boolean.TRUE.equals(compare) && !training.pruning().prunes()) {
      throw new InvalidSettingException(
          "{compare}: expected none with {prune} none, which trains only the unpruned network, found true");
    }
  }

  /// {@return whether the unpruned network is trained too}
  public boolean isCompared() {
    boolean shows = data.data() == null && data.from() == null;
    return training.pruning().prunes() && (compare == null ? shows : compare);
  }

  /// {@return a copy with absolute paths, which is the same run wherever it is resumed}
  public PrunedRun absolute() {
    return new PrunedRun(
        data.absolute(), training.withPruning(training.pruning().absolute()), compare);
  }

  /// {@return a copy with other training settings}
  ///
  /// @param other settings of the training
  public PrunedRun withTraining(PrunedSettings other) {
    return new PrunedRun(data, other, compare);
  }

  /// {@return a copy with other data}
  ///
  /// @param other training data and initial parameters
  public PrunedRun withData(CorpusSettings other) {
    return new PrunedRun(other, training, compare);
  }
}
