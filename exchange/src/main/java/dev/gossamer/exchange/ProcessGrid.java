package dev.gossamer.exchange;

import dev.gossamer.comm.Communicator;

/// `p` ranks as a grid of `p/c` process rows and `c` process columns (SA, section 4.2): rank `i c +
/// j` is at row `i`, column `j`. The ranks of a process row hold the same block row; those of a
/// process column hold all blocks once.
public final class ProcessGrid implements AutoCloseable {
  private final int replication;
  private final Communicator world;
  private final Communicator processRow;
  private final Communicator processColumn;

  /// Creates the communicators of rows and columns. Collective.
  ///
  /// @param world all ranks; borrowed
  /// @param replication `c`
  /// @throws IllegalArgumentException if `c` or `c^2` does not divide the number of ranks
  public ProcessGrid(Communicator world, int replication) {
    ExchangeStrategy.requireGrid(world.size(), replication);
    this.world = world;
    this.replication = replication;
    processRow = world.split(row(), column());
    processColumn = world.split(column(), row());
  }

  /// {@return all ranks}
  public Communicator world() {
    return world;
  }

  /// {@return `c`: process columns, and copies of each block row}
  public int replication() {
    return replication;
  }

  /// {@return `p/c`: process rows, and block rows}
  public int blocks() {
    return world.size() / replication;
  }

  /// {@return `p/c^2`: block columns that a rank multiplies}
  public int stages() {
    return blocks() / replication;
  }

  /// {@return process row `i` of this rank: the block row that it holds}
  public int row() {
    return world.rank() / replication;
  }

  /// {@return process column `j` of this rank}
  public int column() {
    return world.rank() % replication;
  }

  /// {@return the first block column that this rank multiplies, `j p/c^2`}
  public int firstStage() {
    return column() * stages();
  }

  /// {@return the stage whose block column is this rank's own, or -1} Without one, the rank sends
  /// its block to the others of its process column.
  public int ownStage() {
    int stage = row() - firstStage();
    return stage >= 0 && stage < stages() ? stage : -1;
  }

  /// {@return the `c` ranks of this process row, numbered by column}
  public Communicator processRow() {
    return processRow;
  }

  /// {@return the `p/c` ranks of this process column, numbered by row}
  public Communicator processColumn() {
    return processColumn;
  }

  /// Closes the communicators of rows and columns. Collective.
  @Override
  public void close() {
    processColumn.close();
    processRow.close();
  }
}
