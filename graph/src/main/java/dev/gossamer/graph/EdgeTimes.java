package dev.gossamer.graph;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.function.Consumer;

/// The time of each edge of a graph, by which edges may be divided ([LinkSplit.By#TIME]).
///
/// @param unit of the times
/// @param values of each stored entry of `A` (float64), finite. Borrowed
public record EdgeTimes(Unit unit, MemorySegment values) {
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

  /// Seconds of the years 0 to 9999, of which dates have a usual text.
  private static final double FIRST_YEAR = -62_167_219_200.0;

  private static final double LAST_YEAR = 253_402_300_800.0;

  /// What times are.
  public enum Unit {
    /// Numbers of any unit, such as years.
    NUMBERS,
    /// Seconds since 1970-01-01T00:00Z.
    DATES
  }

  /// Receives an arc.
  @FunctionalInterface
  public interface Sink {
    /// Takes one.
    ///
    /// @param source vertex
    /// @param target vertex
    /// @param time finite
    void arc(int source, int target, double time);
  }

  /// The times of the edges of a graph: the earliest of the arcs that were merged into each. Cost:
  /// one pass over the arcs, with a search in a row for each; 8 bytes per entry.
  ///
  /// @param arena owner of the times
  /// @param unit of the times
  /// @param a `A`, built from the arcs
  /// @param directed whether arcs keep their direction; otherwise each is that of both
  /// @param arcs passes all arcs to a sink; those that are not in `A` are left out
  /// @return the times
  public static EdgeTimes earliest(
      Arena arena, Unit unit, CsrMatrix a, boolean directed, Consumer<Sink> arcs) {
    MemorySegment values = arena.allocate(a.nnz() * Double.BYTES, DenseMatrix.ALIGNMENT);
    for (long e = 0; e < a.nnz(); e++) {
      values.setAtIndex(DOUBLE, e, Double.POSITIVE_INFINITY);
    }
    arcs.accept((source, target, time) -> {
      lower(values, a.find(source, target), time);
      if (!directed) {
        lower(values, a.find(target, source), time);
      }
    });
    return new EdgeTimes(unit, values);
  }

  private static void lower(MemorySegment values, long entry, double time) {
    if (entry >= 0) {
      values.setAtIndex(DOUBLE, entry, Math.min(values.getAtIndex(DOUBLE, entry), time));
    }
  }

  /// {@return the number of entries}
  public long count() {
    return values.byteSize() / Double.BYTES;
  }

  /// {@return the time of an entry}
  ///
  /// @param entry stored entry of `A`
  public double of(long entry) {
    return values.getAtIndex(DOUBLE, entry);
  }

  /// {@return a time as people write it: `2026-01-31`, `2026-01-31T10:15:00` or a number}
  ///
  /// @param time in the unit
  public String text(double time) {
    if (unit == Unit.DATES && time >= FIRST_YEAR && time < LAST_YEAR) {
      long seconds = (long) Math.floor(time);
      int nanos = (int) Math.min(999_999, Math.round((time - seconds) * 1e6)) * 1000;
      LocalDateTime date = LocalDateTime.ofEpochSecond(seconds, nanos, ZoneOffset.UTC);
      return date.toLocalTime().equals(LocalTime.MIDNIGHT)
          ? date.toLocalDate().toString()
          : date.toString();
    }
    return time == Math.rint(time) && Math.abs(time) < 1e15
        ? Long.toString((long) time)
        : Double.toString(time);
  }
}
