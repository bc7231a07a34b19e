package dev.gossamer.planner;

import dev.gossamer.base.InvalidSettingException;

/// Identical machines that train together.
///
/// @param nodes number of machines
/// @param ranksPerNode ranks of each
/// @param coresPerNode cores of each, shared by its ranks
/// @param memoryPerNode bytes of each, shared by its ranks
/// @param inside link between two ranks of a node
/// @param between link between ranks of two nodes
/// @param rates of the cores of a node
public record Cluster(
    int nodes,
    int ranksPerNode,
    int coresPerNode,
    long memoryPerNode,
    LinkRates inside,
    LinkRates between,
    Rates rates) {
  /// Maximum number of ranks of all nodes.
  public static final int MOST_RANKS = 1 << 16;

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if there is no node, rank, core or memory, or there are more
  ///   than [#MOST_RANKS]
  public Cluster {
    InvalidSettingException.requireAtLeast("nodes", nodes, 1);
    InvalidSettingException.requireAtLeast("ranksPerNode", ranksPerNode, 1);
    if ((long) nodes * ranksPerNode > MOST_RANKS) {
      throw new InvalidSettingException(
          "{nodes}: expected at most %d ranks on all nodes, found %d nodes of %d {ranksPerNode}"
              .formatted(MOST_RANKS, nodes, ranksPerNode));
    }
    InvalidSettingException.requireAtLeast("coresPerNode", coresPerNode, 1);
    InvalidSettingException.requireAtLeast("memoryPerNode", memoryPerNode, 1);
  }

  /// {@return a single node with other ranks, cores and memory}
  ///
  /// @param ranks that it runs
  /// @param cores that they share
  /// @param memory bytes that they share
  public Cluster node(int ranks, int cores, long memory) {
    return new Cluster(1, ranks, cores, memory, inside, between, rates);
  }
}
