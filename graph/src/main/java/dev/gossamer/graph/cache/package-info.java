/// A cache of data sets that are created once and then opened from a folder: converted raw files
/// and built-in data sets.
///
/// Start with [dev.gossamer.graph.cache.DatasetCache]. Imports formats and generators.
@NullMarked
package dev.gossamer.graph.cache;

import org.jspecify.annotations.NullMarked;
