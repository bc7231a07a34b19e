package dev.gossamer;

/// A run as a value: what is trained on what. The command line, a YAML file and the planner make
/// it; `config.yaml`, printed commands and JSON are views of it.
///
/// @param data which data set, and how it is read
/// @param training all that decides what is computed
public record GraphRun(DataSettings data, TrainingSettings training) {
  /// A graph convolutional network on the class references of the running JDK.
  public static final GraphRun DEFAULT =
      new GraphRun(DataSettings.DEFAULT, TrainingSettings.DEFAULT);

  /// The same with other data.
  ///
  /// @param other which data set, and how it is read
  /// @return the changed copy
  public GraphRun withData(DataSettings other) {
    return new GraphRun(other, training);
  }

  /// The same trained otherwise.
  ///
  /// @param other all that decides what is computed
  /// @return the changed copy
  public GraphRun withTraining(TrainingSettings other) {
    return new GraphRun(data, other);
  }
}
