package dev.gossamer;

import dev.gossamer.graph.cache.BuiltIn;
import dev.gossamer.graph.cache.CacheListener;
import dev.gossamer.graph.cache.DatasetCache;
import dev.gossamer.graph.format.ReadOptions;
import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.Optional;

/// Where a data set comes from, and how it is read.
///
/// @param source a built-in name, a data set folder, or a file or folder in a raw format
/// @param options how a raw format is read
/// @param listener is told about conversions
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
    return open(Long.MAX_VALUE);
  }

  /// Opens it, unless it is built in, was not built before, and building takes too much memory.
  ///
  /// @param limit bytes that this process may take
  /// @return a data set to close
  /// @throws dev.gossamer.matrix.io.InvalidInputException if it is not there, or damaged, or memory
  ///   does not suffice
  public Dataset open(long limit) {
    return open(DatasetCache.ofUser(), limit);
  }

  /// Opens it after every file, of the cache or of the data set folder, was compared with its
  /// checksum.
  ///
  /// @return a data set to close
  /// @throws dev.gossamer.matrix.io.InvalidInputException if it is not there, damaged, or a data
  ///   set folder without checksums
  public Dataset openVerified() {
    return open(DatasetCache.ofUser().verifying(), Long.MAX_VALUE);
  }

  Dataset open(DatasetCache cache, long limit) {
    Optional<BuiltIn> missing = cache.toBuild(source, options);
    if (missing.isEmpty()) {
      return Dataset.of(cache.open(source, options, listener));
    }
    BuiltIn.Building building = missing.get().building();
    long needed = MemoryEstimate.RUNTIME_BYTES + building.bytes();
    if (needed > limit) {
      throw new InvalidSettingException(
          "memory: building %s, which is done once, needs %s but %s may be used; use more memory, or other data"
              .formatted(
                  missing.get().key(),
                  MemoryEstimate.readable(needed),
                  MemoryEstimate.readable(limit)));
    }
    return new Dataset(cache.open(source, options, listener), needed + building.mapped());
  }
}
