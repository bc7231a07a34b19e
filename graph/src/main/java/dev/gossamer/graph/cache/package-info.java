/// Data sets that are made once and then opened from a folder: raw files that were converted, and
/// built-in data sets.
///
/// Start with [dev.gossamer.graph.cache.DatasetCache]. Imports formats and generators.
@NullMarked
package dev.gossamer.graph.cache;

import org.jspecify.annotations.NullMarked;
