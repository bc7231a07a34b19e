/// Graphs from tables. A [dev.gossamer.tables.GraphSchema] says which columns of which tables are
/// ids, ends of edges, labels and features, and [dev.gossamer.tables.Tables] reads a graph by it or
/// proposes one.
package dev.gossamer.tables;
