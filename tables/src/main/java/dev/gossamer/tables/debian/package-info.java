/// The packages of Debian, and of the systems made from it, as a graph: apt's lists of packages
/// become two tables, which are read by a schema as any tables are.
///
/// Start with [dev.gossamer.tables.debian.DebianPackages]. Imports `dev.gossamer.tables`.
@NullMarked
package dev.gossamer.tables.debian;

import org.jspecify.annotations.NullMarked;
