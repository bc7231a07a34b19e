package dev.gossamer.spark.ranks;

import java.io.Serial;
import java.io.Serializable;
import java.util.List;

/// What a stage does. Commands run in a folder of the host, in which names without a slash at the
/// beginning are.
///
/// @param inputs folders and files that each host copies into its folder before, under their own
///   names
/// @param prepare command that one process of each host runs before the ranks start
/// @param command that all ranks run
/// @param resuming the same where an earlier attempt has begun a run
/// @param kept the run's folder, or a file that the command writes, which rank 0 keeps up to date
///   in `home`, and which each host copies from there before, if it is there
/// @param home folder of any Hadoop file system
public record StageJob(
    List<String> inputs,
    List<String> prepare,
    List<String> command,
    List<String> resuming,
    String kept,
    String home)
    implements Serializable {
  @Serial private static final long serialVersionUID = 1;

  /// File of a run's folder with a line for each epoch.
  static final String METRICS = "metrics.jsonl";

  /// File of a run's folder that says that a run has begun there.
  static final String SETTINGS = "config.yaml";
}
