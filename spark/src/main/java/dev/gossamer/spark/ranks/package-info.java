/// A command of Gossamer as one barrier stage of Spark: each task starts a process, which is a
/// rank, and stands between it and the cluster. Processes tell each other their addresses through
/// the stage, and are connected by sockets from then on.
@NullMarked
package dev.gossamer.spark.ranks;

import org.jspecify.annotations.NullMarked;
