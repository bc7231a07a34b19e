package dev.gossamer.pruned;

import dev.gossamer.base.InvalidSettingException;
import org.jspecify.annotations.Nullable;

/// A run as a value: which network is trained on what. The command line, a YAML file and the
/// planner make it; `config.yaml` and printed commands are views of it.
///
/// @param data what the network is trained on, and what it begins with
/// @param training all that decides what is computed
/// @param compare whether the whole network is trained too, for comparison; null if neither data
///   nor a network to begin with are given
public record PrunedRun(CorpusSettings data, PrunedSettings training, @Nullable Boolean compare) {
  /// A small language model on the text of the JDK.
  public static final PrunedRun DEFAULT =
      new PrunedRun(CorpusSettings.DEFAULT, PrunedSettings.DEFAULT, null);

  /// Checks that the settings go together.
  ///
  /// @throws InvalidSettingException if there is nothing to compare
  public PrunedRun {
    if (Boolean.TRUE.equals(compare) && !training.pruning().prunes()) {
      throw new InvalidSettingException(
          "{compare}: expected none with {prune} none, which trains the whole network alone, found true");
    }
  }

  /// {@return whether the whole network is trained too}
  public boolean isCompared() {
    boolean shows = data.data() == null && data.from() == null;
    return training.pruning().prunes() && (compare == null ? shows : compare);
  }

  /// {@return the same trained otherwise}
  ///
  /// @param other all that decides what is computed
  public PrunedRun withTraining(PrunedSettings other) {
    return new PrunedRun(data, other, compare);
  }

  /// {@return the same on other data}
  ///
  /// @param other what the network is trained on
  public PrunedRun withData(CorpusSettings other) {
    return new PrunedRun(other, training, compare);
  }
}
