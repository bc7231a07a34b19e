/// Graphs that are made: the class-reference graph of a JDK or of jars, and seeded random graphs
/// with planted classes.
@NullMarked
package dev.gossamer.graph.generate;

import org.jspecify.annotations.NullMarked;
