package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/// A data set format: its name, how to recognise a file or folder in this format, and how to read
/// it. Stateless; instances may be shared between threads.
///
/// A format need not be one of [#all]: [ReadOptions#withFormat] takes any format, and
/// [dev.gossamer.graph.GraphData] describes how to create a data set from arrays.
public interface GraphFormat {
  /// {@return the name, in lower case: `npz`}
  String name();

  /// {@return a description in one line}. For a folder, the files that identify it: `NAME.content
  /// and NAME.cites`; for a file, its kind: `a METIS graph`.
  String description();

  /// {@return whether a data set in this format is a folder, not a file}
  boolean isFolder();

  /// {@return whether a data set in this format may contain several splits, from which
  /// [ReadOptions#splitIndex] selects one}. False by default.
  default boolean hasSplits() {
    return false;
  }

  /// {@return the suffixes of file names in this format, without the dot: `npz`}. They are not part
  /// of the data set's name; the format is recognised by content. Empty by default.
  default List<String> endings() {
    return List.of();
  }

  /// {@return whether all data are in the file or folder itself}. Otherwise changes cannot be
  /// detected, and no converted copy is cached. True by default.
  default boolean isSelfContained() {
    return true;
  }

  /// {@return whether a file or folder is in this format, by its content}. Formats are probed in
  /// the order of [#all].
  ///
  /// @param probe access to the beginning of the file, or to the folder
  /// @throws InvalidInputException if the file belongs to this format but cannot be opened (a
  ///   single file of a folder, an unsupported version); the message contains the remedy
  boolean recognises(FormatProbe probe);

  /// Reads a data set.
  ///
  /// @param path a folder if [#isFolder], otherwise a file
  /// @param options the caller has already checked format and split index
  /// @return a data set to close
  /// @throws InvalidInputException naming file, position, and the expected and actual content
  GraphData read(Path path, ReadOptions options);

  /// Reads a data set that may be larger than memory: a format may leave dense features in the file
  /// until they are needed. By default, reads everything.
  ///
  /// @param path as for [#read]
  /// @param options as for [#read]
  /// @return a data set to close
  /// @throws InvalidInputException as [#read]
  default StreamedData stream(Path path, ReadOptions options) {
    return StreamedData.of(read(path, options));
  }

  /// {@return the formats that are recognised, in the order in which they are probed}
  static List<GraphFormat> all() {
    return Formats.ALL;
  }

  /// {@return the format of a name, ignoring case}
  ///
  /// @param name as written by the user
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
