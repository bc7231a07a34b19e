package dev.gossamer.graph.cache;

import dev.gossamer.graph.Progress;
import java.nio.file.Path;

/// Listener that is notified of what a [DatasetCache] creates. The progress of a long conversion is
/// reported as [Progress], on the thread that requested the data set.
public interface CacheListener extends Progress {
  /// Ignores all notifications.
  CacheListener SILENT = (label, done, total) -> {};

  /// A raw file or folder was converted. Told after the fact: what cannot be read is not announced.
  ///
  /// @param source the file or folder
  /// @param folder the data set folder that was written
  default void converted(Path source, Path folder) {}

  /// What was made could not be kept, and will be made again the next time.
  ///
  /// @param name of the data set
  /// @param why one line that names the folder and what the system said
  default void notKept(String name, String why) {}

  /// Something that was kept is damaged, and will be made again.
  ///
  /// @param folder the data set folder
  /// @param why one line that names file, place, what was expected and what was found
  default void damaged(Path folder, String why) {}

  /// A built-in data set is about to be built, which takes seconds.
  ///
  /// @param dataset what is built
  default void building(BuiltIn dataset) {}

  /// A built-in data set was built.
  ///
  /// @param dataset what was built
  /// @param folder the data set folder that was written
  default void built(BuiltIn dataset, Path folder) {}
}
