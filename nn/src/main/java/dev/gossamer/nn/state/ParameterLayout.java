package dev.gossamer.nn.state;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// Where each named parameter of a model lies in one flat float32 segment. One segment for all of
/// them makes an optimizer step one loop and a gradient all-reduce one message.
///
/// @param entries in the order of their offsets, without gaps
public record ParameterLayout(List<Entry> entries) {
  /// One parameter matrix.
  ///
  /// @param name as in the safetensors file: `layers.0.weight`
  /// @param rows 1 for a vector
  /// @param cols number of columns
  /// @param offset index of its first element in the flat segment
  /// @param decays whether weight decay pulls at it
  public record Entry(String name, int rows, int cols, long offset, boolean decays) {
    /// {@return elements}
    public long count() {
      return (long) rows * cols;
    }

    /// {@return as a safetensors file gives it: a vector has one dimension}
    public List<Long> shape() {
      return rows == 1 ? List.of((long) cols) : List.of((long) rows, (long) cols);
    }

    /// Returns the part of a flat segment that belongs to the parameter.
    ///
    /// @param flat `float32`, laid out as the layout that this entry is of
    /// @return `float32[count]`, borrowed
    public MemorySegment of(MemorySegment flat) {
      return flat.asSlice(offset * Float.BYTES, count() * Float.BYTES);
    }
  }

  /// Collects entries one after the other.
  public static final class Builder {
    private final List<Entry> entries = new ArrayList<>();
    private long next;

    private Builder() {}

    /// Adds a parameter behind the others.
    ///
    /// @param name unique in the layout
    /// @param rows number of rows; 1 for a vector
    /// @param cols number of columns
    /// @param decays whether weight decay pulls at it
    /// @return this
    public Builder add(String name, int rows, int cols, boolean decays) {
      entries.add(new Entry(name, rows, cols, next, decays));
      next += (long) rows * cols;
      return this;
    }

    /// {@return the layout of all that was added}
    public ParameterLayout build() {
      return new ParameterLayout(entries);
    }
  }

  /// Copies the list.
  public ParameterLayout {
    entries = List.copyOf(entries);
  }

  /// {@return a layout to add parameters to}
  public static Builder builder() {
    return new Builder();
  }

  /// {@return elements of all parameters}
  public long count() {
    return entries.stream().mapToLong(Entry::count).sum();
  }

  /// {@return a layout of some of the parameters, in the same order without gaps}
  ///
  /// @param chosen which parameters to take
  public ParameterLayout where(Predicate<Entry> chosen) {
    Builder builder = builder();
    entries.stream()
        .filter(chosen)
        .forEach(e -> builder.add(e.name(), e.rows(), e.cols(), e.decays()));
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

  /// {@return where a parameter lies}
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
