package dev.gossamer.nn.state;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// The positions of the named parameters of a model in one flat float32 segment. With one segment,
/// an optimizer step is one loop and a gradient all-reduce one message.
///
/// @param entries in the order of their offsets, without gaps
public record ParameterLayout(List<Entry> entries) {
  /// One parameter matrix.
  ///
  /// @param name as in the safetensors file: `layers.0.weight`
  /// @param rows 1 for a vector
  /// @param cols number of columns
  /// @param offset index of its first element in the flat segment
  /// @param decay share of the weight decay that applies to it: 1 for all, 0 for none
  public record Entry(String name, int rows, int cols, long offset, double decay) {
    /// {@return the number of elements}
    public long count() {
      return (long) rows * cols;
    }

    /// {@return the shape in a safetensors file: a vector has one dimension}
    public List<Long> shape() {
      return rows == 1 ? List.of((long) cols) : List.of((long) rows, (long) cols);
    }

    /// Returns the part of a flat segment that belongs to the parameter.
    ///
    /// @param flat `float32`, laid out by the layout of this entry
    /// @return `float32[count]`, borrowed
    public MemorySegment of(MemorySegment flat) {
      return flat.asSlice(offset * Float.BYTES, count() * Float.BYTES);
    }

    /// {@return the parameter as a matrix over that part} Borrowed.
    ///
    /// @param flat `float32`, laid out by the layout of this entry
    public DenseMatrix matrix(MemorySegment flat) {
      return DenseMatrix.wrap(of(flat), rows, cols);
    }
  }

  /// Builds a layout from entries in order.
  public static final class Builder {
    private final List<Entry> entries = new ArrayList<>();
    private long next;

    private Builder() {}

    /// Appends a parameter.
    ///
    /// @param name unique in the layout
    /// @param rows number of rows; 1 for a vector
    /// @param cols number of columns
    /// @param decays whether weight decay applies to it
    /// @return this
    public Builder add(String name, int rows, int cols, boolean decays) {
      return add(name, rows, cols, decays ? 1.0 : 0.0);
    }

    /// Appends a parameter.
    ///
    /// @param name unique in the layout
    /// @param rows number of rows; 1 for a vector
    /// @param cols number of columns
    /// @param decay share of the weight decay that applies to it, at least 0
    /// @return this
    public Builder add(String name, int rows, int cols, double decay) {
      entries.add(new Entry(name, rows, cols, next, decay));
      next += (long) rows * cols;
      return this;
    }

    /// {@return the layout}
    public ParameterLayout build() {
      return new ParameterLayout(entries);
    }
  }

  /// Copies the list.
  public ParameterLayout {
    entries = List.copyOf(entries);
  }

  /// {@return an empty builder}
  public static Builder builder() {
    return new Builder();
  }

  /// {@return the number of elements of all parameters}
  public long count() {
    return entries.stream().mapToLong(Entry::count).sum();
  }

  /// {@return a layout of a subset of the parameters, in the same order without gaps}
  ///
  /// @param chosen selects parameters
  public ParameterLayout where(Predicate<Entry> chosen) {
    Builder builder = builder();
    entries.stream()
        .filter(chosen)
        .forEach(e -> builder.add(e.name(), e.rows(), e.cols(), e.decay()));
    return builder.build();
  }

  /// {@return a layout of one of the parameters}
  ///
  /// @param name of the parameter
  public ParameterLayout alone(String name) {
    return where(entry -> entry.name().equals(name));
  }

  /// {@return whether there is a parameter of this name}
  ///
  /// @param name of a parameter
  public boolean has(String name) {
    return entries.stream().anyMatch(e -> e.name().equals(name));
  }

  /// {@return the entry of a parameter}
  ///
  /// @param name of the parameter
  /// @throws IllegalArgumentException if there is no such parameter
  public Entry entry(String name) {
    return entries.stream()
        .filter(e -> e.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no parameter is named " + name));
  }
}
