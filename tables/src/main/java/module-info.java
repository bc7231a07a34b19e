/// Graphs from tables: CSV, JSON and Parquet files, SQL queries and databases. Reading, joins and
/// sorts are those of DuckDB, an embedded database; it is an artifact of its own because that
/// brings native code.
module dev.gossamer.tables {
  requires transitive dev.gossamer.graph;
  requires duckdb.jdbc;
  requires java.sql;
  requires org.apache.commons.csv;
  requires tools.jackson.databind;
  requires tools.jackson.dataformat.yaml;

  exports dev.gossamer.tables;
  exports dev.gossamer.tables.debian;

  provides dev.gossamer.graph.cache.BuiltIn with
      dev.gossamer.tables.debian.DebianPackages;
  provides dev.gossamer.graph.format.GraphFormat with
      dev.gossamer.tables.TablesFormat;
}
