package dev.gossamer.matrix.format;

import org.jspecify.annotations.Nullable;

/// The global row ids of a block of a matrix, so that random draws of a row do not depend on the
/// rank or position that holds it. Immutable.
public final class RowIds {
  private final long first;
  private final int @Nullable [] listed;

  private RowIds(long first, int @Nullable [] listed) {
    this.first = first;
    this.listed = listed;
  }

  /// {@return consecutive rows: row 0 of the block is row `first`}
  ///
  /// @param first row of the whole matrix
  public static RowIds from(long first) {
    return new RowIds(first, null);
  }

  /// {@return rows in any order: row `i` of the block is row `ids[i]`}
  ///
  /// @param ids borrowed
  public static RowIds of(int[] ids) {
    for (int i = 1; i < ids.length; i++) {
      if (ids[i] != ids[0] + i) {
        return new RowIds(0, ids);
      }
    }
    return from(ids.length == 0 ? 0 : ids[0]);
  }

  /// {@return whether the rows are consecutive, so that [#id] of the first determines all}
  public boolean consecutive() {
    return listed == null;
  }

  /// {@return the global id of a row of the block}
  ///
  /// @param row of the block
  public long id(long row) {
    return listed == null ? first + row : listed[(int) row];
  }
}
