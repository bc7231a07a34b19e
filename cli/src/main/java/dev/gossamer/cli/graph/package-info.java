/// Graph neural networks: the commands `train`, `evaluate`, `predict`, `calibrate`, `plan`,
/// `partition` and `bench`, with their flags and reports.
@NullMarked
package dev.gossamer.cli.graph;

import org.jspecify.annotations.NullMarked;
