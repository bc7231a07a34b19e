/// The front door of the library. `GraphTraining.on(dataset).gcn(64).run()` gives a
/// [dev.gossamer.GraphModel], which predicts on any graph with the same features, can be written
/// and opened again, and needs nothing but its file.
///
/// Everything that the command line can set is set here, with the same defaults. What is behind,
/// trainers, layers, kernels, ranks, is in modules of their own, which most users never import.
/// Start with [dev.gossamer.GraphTraining].
@NullMarked
package dev.gossamer;

import org.jspecify.annotations.NullMarked;
