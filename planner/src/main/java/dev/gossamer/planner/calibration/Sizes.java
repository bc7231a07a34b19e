package dev.gossamer.planner.calibration;

import java.util.List;

/// The sizes at which kernels are measured. All lists are ascending.
///
/// @param widths columns of both operands of a dense product; multiples of a cache line
/// @param raggedWidths columns of the right operand that are not
/// @param productBytes of the tall operand and the result of a dense product
/// @param sparse sizes of sparse products
/// @param attention sizes of attention
/// @param classes columns of the logits of the loss
/// @param passes bytes of elementwise passes
/// @param rowBytes of rows that are gathered
/// @param gatheredBytes of all rows that are gathered at a time
record Sizes(
    List<Integer> widths,
    List<Integer> raggedWidths,
    int productBytes,
    Sparse sparse,
    Attention attention,
    List<Integer> classes,
    List<Integer> passes,
    List<Integer> rowBytes,
    int gatheredBytes) {
  /// @param vertices of the graphs
  /// @param degrees edges per vertex, including its self loop
  /// @param widths columns of the dense operand; multiples of a cache line
  /// @param raggedWidths columns that are not
  record Sparse(
      List<Integer> vertices,
      List<Integer> degrees,
      List<Integer> widths,
      List<Integer> raggedWidths) {}

  /// @param vertices of the graphs
  /// @param degrees edges per vertex, including its self loop
  /// @param heads number of heads
  /// @param widths columns of all heads; multiples of the heads
  record Attention(
      List<Integer> vertices, List<Integer> degrees, List<Integer> heads, List<Integer> widths) {
    /// Returns a copy with at most this number of vertices, as far as any remain.
    Attention within(long most) {
      return new Attention(below(vertices, most), degrees, heads, widths);
    }
  }

  private static final int SMALL_BYTES = 1 << 16;

  static Sizes of(Effort effort) {
    return switch (effort) {
      case QUICK ->
          new Sizes(
              List.of(16, 64, 256),
              List.of(7, 47),
              1 << 22,
              new Sparse(
                  List.of(1 << 11, 1 << 14),
                  List.of(16),
                  List.of(16, 64, 256),
                  List.of(7, 41, 100)),
              new Attention(List.of(1 << 12), List.of(16), List.of(4), List.of(16, 256)),
              List.of(64),
              List.of(1 << 20, 1 << 25),
              List.of(64, 256, 1024),
              1 << 20);
      case FULL ->
          new Sizes(
              List.of(16, 64, 256, 1024),
              List.of(7, 47, 200),
              1 << 26,
              new Sparse(
                  List.of(1 << 11, 1 << 14, 1 << 17),
                  List.of(4, 32),
                  List.of(16, 32, 64, 128, 256, 512),
                  List.of(7, 41, 100, 300)),
              new Attention(
                  List.of(1 << 12, 1 << 16), List.of(4, 32), List.of(1, 8), List.of(16, 64, 256)),
              List.of(8, 64),
              List.of(1 << 20, 1 << 24, 1 << 28),
              List.of(64, 256, 1024, 4096),
              1 << 24);
    };
  }

  /// Returns the same kernels on the smallest operands, for warming up the compiler.
  Sizes small() {
    return new Sizes(
        widths,
        raggedWidths,
        Math.min(productBytes, SMALL_BYTES),
        new Sparse(
            sparse.vertices().subList(0, 1),
            sparse.degrees(),
            sparse.widths(),
            sparse.raggedWidths()),
        attention.within(attention.vertices().getFirst()),
        classes,
        passes.subList(0, 1),
        rowBytes,
        Math.min(gatheredBytes, SMALL_BYTES));
  }

  /// Returns a copy without larger operands, as far as any remain.
  ///
  /// @param most bytes of an operand
  Sizes within(long most) {
    int widest = Math.max(sparse.widths().getLast(), sparse.raggedWidths().getLast());
    return new Sizes(
        widths,
        raggedWidths,
        (int) Math.min(productBytes, most),
        new Sparse(
            below(sparse.vertices(), most / (Float.BYTES * (long) widest)),
            sparse.degrees(),
            sparse.widths(),
            sparse.raggedWidths()),
        attention.within(most / (Float.BYTES * (long) attention.widths().getLast())),
        classes,
        below(passes, 2 * most),
        rowBytes,
        (int) Math.min(gatheredBytes, most));
  }

  private static List<Integer> below(List<Integer> ascending, long most) {
    long count = ascending.stream().filter(each -> each <= most).count();
    return ascending.subList(0, (int) Math.max(1, count));
  }

  /// Returns the bytes of the largest operand or result.
  long bytes() {
    int widest = Math.max(sparse.widths().getLast(), sparse.raggedWidths().getLast());
    long rows = (long) Float.BYTES * sparse.vertices().getLast() * widest;
    long attended =
        (long) Float.BYTES * attention.vertices().getLast() * attention.widths().getLast();
    return Math.max(
        Math.max(Math.max(rows, attended), passes.getLast() / 2),
        Math.max(productBytes, gatheredBytes));
  }
}
