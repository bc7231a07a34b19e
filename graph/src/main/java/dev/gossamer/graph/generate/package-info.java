/// Graph generators: the class-reference graph of a JDK or of jars, and seeded random graphs with
/// planted classes.
///
/// Start with [dev.gossamer.graph.generate.Generator] and [dev.gossamer.graph.generate.ClassGraph].
/// Imports the data set folder and the matrix module.
@NullMarked
package dev.gossamer.graph.generate;

import org.jspecify.annotations.NullMarked;
