package dev.gossamer.graph;

/// Which part of the data a labelled vertex belongs to.
public enum Split {
  NONE(0),
  TRAIN(1),
  VALIDATION(2),
  TEST(3);

  private final byte code;

  Split(int code) {
    this.code = (byte) code;
  }

  /// The code stored on disk and in [GraphData#split].
  public byte code() {
    return code;
  }
}
