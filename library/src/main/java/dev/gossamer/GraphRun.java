package dev.gossamer;

/// A run as a value: the data set and the training. The command line, a YAML file and the planner
/// create it; `config.yaml`, printed commands and JSON are views of it.
///
/// @param data the data set, and how it is read
/// @param training all settings that decide what is computed
public record GraphRun(DataSettings data, TrainingSettings training) {
  /// A graph convolutional network on the class references of the running JDK.
  public static final GraphRun DEFAULT =
      new GraphRun(DataSettings.DEFAULT, TrainingSettings.DEFAULT);

  /// Returns a copy with other data.
  ///
  /// @param other the data set, and how it is read
  /// @return the changed copy
  public GraphRun withData(DataSettings other) {
    return new GraphRun(other, training);
  }

  /// Returns a copy with another training.
  ///
  /// @param other all settings that decide what is computed
  /// @return the changed copy
  public GraphRun withTraining(TrainingSettings other) {
    return new GraphRun(data, other);
  }

  /// {@return a copy with absolute paths, which is the same run wherever it is resumed}
  public GraphRun absolute() {
    LearningSettings learning = training.learning();
    return new GraphRun(
        data.absolute(),
        training
            .withLearning(learning.withLoss(learning.loss().absolute()))
            .withRanks(training.ranks().absolute()));
  }
}
