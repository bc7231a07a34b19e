package dev.gossamer.graph.cache;

import dev.gossamer.graph.Progress;
import java.nio.file.Path;

/// Listener that is notified when a [DatasetCache] creates data sets. The progress of a long
/// conversion is reported as [Progress], on the thread that requested the data set.
public interface CacheListener extends Progress {
  /// Ignores all notifications.
  CacheListener SILENT = (label, done, total) -> {};

  /// Called after a raw file or folder was converted; unreadable files are not reported.
  ///
  /// @param source the file or folder
  /// @param folder the data set folder that was written
  default void converted(Path source, Path folder) {}

  /// Called when a result could not be cached and will be created again the next time.
  ///
  /// @param name of the data set
  /// @param why one line with the folder and the system's message
  default void notKept(String name, String why) {}

  /// Called when a cached entry is damaged and will be created again.
  ///
  /// @param folder the data set folder
  /// @param why one line with file, position, and the expected and actual content
  default void damaged(Path folder, String why) {}

  /// Called before a built-in data set is built, which takes seconds.
  ///
  /// @param dataset the data set
  default void building(BuiltIn dataset) {}

  /// Called after a built-in data set was built.
  ///
  /// @param dataset the data set
  /// @param folder the data set folder that was written
  default void built(BuiltIn dataset, Path folder) {}
}
