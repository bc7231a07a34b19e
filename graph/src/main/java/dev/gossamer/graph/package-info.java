/// A data set in memory: graph, features, labels, split. Start with [dev.gossamer.graph.GraphData];
/// imports only the matrix module.
@NullMarked
package dev.gossamer.graph;

import org.jspecify.annotations.NullMarked;
