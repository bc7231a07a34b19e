/// The front door of the library. `GraphTraining.on(dataset).gcn(64).run()` returns a
/// [dev.gossamer.GraphModel], which predicts on any graph with the same features and is saved as a
/// single file.
///
/// Everything that the command line can set can be set here, with the same defaults. Trainers,
/// layers, kernels and ranks are in other modules, which most users never import. Start with
/// [dev.gossamer.GraphTraining].
@NullMarked
package dev.gossamer;

import org.jspecify.annotations.NullMarked;
