package dev.gossamer.tables;

import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

/// A column of a table that is written. Its values are computed as their rows are written, each at
/// least once, in ascending order.
public sealed interface OutputColumn {
  /// Gives the number of a row.
  @FunctionalInterface
  interface ToFloat {
    /// {@return the value}
    ///
    /// @param row from 0 on
    float at(int row);
  }

  /// 64-bit integers: `BIGINT`.
  ///
  /// @param name of the column
  /// @param values of the rows
  record Whole(String name, IntToLongFunction values) implements OutputColumn {
    @Override
    public OutputColumn named(String other) {
      return new Whole(other, values);
    }
  }

  /// Texts: `TEXT`.
  ///
  /// @param name of the column
  /// @param values of the rows
  record Text(String name, IntFunction<String> values) implements OutputColumn {
    @Override
    public OutputColumn named(String other) {
      return new Text(other, values);
    }
  }

  /// Numbers: `REAL`.
  ///
  /// @param name of the column
  /// @param values of the rows
  record Real(String name, ToFloat values) implements OutputColumn {
    @Override
    public OutputColumn named(String other) {
      return new Real(other, values);
    }
  }

  /// Lists of numbers, all of one length: `REAL[]`.
  ///
  /// @param name of the column
  /// @param width numbers of each row, at least 1
  /// @param values of the rows
  record Reals(String name, int width, IntFunction<float[]> values) implements OutputColumn {
    @Override
    public OutputColumn named(String other) {
      return new Reals(other, width, values);
    }
  }

  /// {@return the name of the column}
  String name();

  /// {@return a copy with another name}
  ///
  /// @param other the name
  OutputColumn named(String other);
}
