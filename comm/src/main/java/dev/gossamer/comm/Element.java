package dev.gossamer.comm;

/// The type of the elements of a reduced segment, in the byte order of the machine.
public enum Element {
  /// float32.
  FLOAT(Float.BYTES),
  /// float64.
  DOUBLE(Double.BYTES),
  /// int64.
  LONG(Long.BYTES);

  private final int bytes;

  Element(int bytes) {
    this.bytes = bytes;
  }

  /// {@return the bytes of one element}
  public int bytes() {
    return bytes;
  }
}
