package dev.gossamer.tables;

/// What is done with rows that do not fit. Refused rows are counted, and three are named.
///
/// @param dangling edges with an end that is in no table of vertices
/// @param duplicates rows of vertices with the id of an earlier row
/// @param missing rows without an id, and edges without an end, a time or a type
public record Handling(Dangling dangling, Duplicates duplicates, Missing missing) {
  /// Refuses all.
  public static final Handling REFUSE =
      new Handling(Dangling.REFUSE, Duplicates.REFUSE, Missing.REFUSE);

  /// Makes ends of edges vertices, and refuses all else: that of graphs without a table of
  /// vertices.
  public static final Handling ADD = new Handling(Dangling.ADD, Duplicates.REFUSE, Missing.REFUSE);

  /// Edges with an end that is in no table of vertices.
  public enum Dangling {
    /// The input is refused.
    REFUSE,
    /// The edge is left out.
    DROP,
    /// The end becomes a vertex, all of whose values are missing.
    ADD
  }

  /// Rows of vertices with the id of an earlier row.
  public enum Duplicates {
    /// The input is refused.
    REFUSE,
    /// The first row counts.
    FIRST
  }

  /// Rows without an id, and edges without an end, a time or a type.
  public enum Missing {
    /// The input is refused.
    REFUSE,
    /// The row is left out.
    DROP
  }
}
