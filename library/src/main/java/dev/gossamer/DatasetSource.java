package dev.gossamer;

import dev.gossamer.graph.cache.CacheListener;
import dev.gossamer.graph.cache.DatasetCache;
import dev.gossamer.graph.format.ReadOptions;

/// Where a data set comes from, and how it is read.
///
/// @param source a built-in name, a data set folder, or a file or folder in a raw format
/// @param options how a raw format is read
/// @param listener hears of conversions
public record DatasetSource(String source, ReadOptions options, CacheListener listener) {
  /// Read as its content says.
  ///
  /// @param source a built-in name, a data set folder, or a file or folder in a raw format
  public DatasetSource(String source) {
    this(source, ReadOptions.DEFAULT, CacheListener.SILENT);
  }

  /// Opens it, from the user's cache if it was built or converted before.
  ///
  /// @return a data set to close
  /// @throws dev.gossamer.matrix.io.InvalidInputException if it is not there, or damaged
  public Dataset open() {
    return Dataset.of(DatasetCache.ofUser().open(source, options, listener));
  }

  /// Opens it after every file, of the cache or of the data set folder, was compared with its
  /// checksum.
  ///
  /// @return a data set to close
  /// @throws dev.gossamer.matrix.io.InvalidInputException if it is not there, damaged, or a data
  ///   set folder without checksums
  public Dataset openVerified() {
    return Dataset.of(DatasetCache.ofUser().verifying().open(source, options, listener));
  }
}
