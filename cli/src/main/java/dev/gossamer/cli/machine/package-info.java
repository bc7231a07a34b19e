/// Flags about the machine, for every family of runs: ranks, threads, memory, and the cluster that
/// a plan is for, measured or described.
@NullMarked
package dev.gossamer.cli.machine;

import org.jspecify.annotations.NullMarked;
