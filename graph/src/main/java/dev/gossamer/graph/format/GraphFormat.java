package dev.gossamer.graph.format;

import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.io.InvalidSettingException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/// A format of data sets: what it is called, how a file or folder in it is recognised, and how it
/// is read. Stateless; instances may be shared between threads.
///
/// A format need not be one of [#all]: [ReadOptions#withFormat] takes any, and
/// [dev.gossamer.graph.GraphData] says how a data set is made of arrays.
public interface GraphFormat {
  /// {@return the name, in lower case: `npz`}
  String name();

  /// {@return one line for lists}. For a folder, the files that it is known by: `NAME.content and
  /// NAME.cites`; for a file, what it is: `a METIS graph`.
  String description();

  /// {@return whether a data set in this format is a folder, not a file}
  boolean isFolder();

  /// {@return whether a data set in this format may hold several splits, of which
  /// [ReadOptions#splitIndex] chooses one}. By default it may not.
  default boolean hasSplits() {
    return false;
  }

  /// {@return what names of files in this format may end with, without the dot: `npz`}. It is no
  /// part of the data set's name. What a file is, its content says. By default nothing.
  default List<String> endings() {
    return List.of();
  }

  /// {@return whether a file or folder is in this format, by its content}. Formats are asked in the
  /// order of [#all].
  ///
  /// @param probe what is seen of the file or folder
  /// @throws InvalidInputException if the file belongs to this format but cannot be opened as it
  ///   is, with the remedy: a single file of a folder, a version that is not supported
  boolean recognises(FormatProbe probe);

  /// Reads a data set.
  ///
  /// @param path a folder if [#isFolder], else a file
  /// @param options format and split index have been checked by the caller
  /// @return a data set to close
  /// @throws InvalidInputException naming file, place, what was expected and what was found
  GraphData read(Path path, ReadOptions options);

  /// {@return the formats that are recognised, in the order in which they are asked}
  static List<GraphFormat> all() {
    return Formats.ALL;
  }

  /// {@return the format of that name, in upper or lower case}
  ///
  /// @param name as a user writes it
  /// @throws InvalidSettingException listing the names
  static GraphFormat named(String name) {
    Objects.requireNonNull(name, "name");
    return all().stream()
        .filter(format -> format.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(() ->
            new InvalidSettingException(
                "{format}: expected one of %s, found %s".formatted(Formats.names(), name)));
  }
}
