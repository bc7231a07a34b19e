package dev.gossamer.graph;

/// Which part of the data a labelled vertex belongs to.
public enum Split {
  /// Belongs to no part: an unlabelled vertex, or one that is left out.
  NONE(0),
  /// Trained on.
  TRAIN(1),
  /// Chooses the best weights and decides when to stop.
  VALIDATION(2),
  /// Scored at the end.
  TEST(3);

  private final byte code;

  Split(int code) {
    this.code = (byte) code;
  }

  /// {@return the code stored on disk and in [GraphData#split]}
  public byte code() {
    return code;
  }
}
