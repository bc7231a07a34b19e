/// Networks: parameters, layers with explicit forward and backward passes, and their files.
///
/// A layer is written once against [dev.gossamer.nn.Aggregation] and does not depend on graphs,
/// ranks or samplers. Imports only the matrix floor. Start with [dev.gossamer.nn.GraphConvolution].
@NullMarked
package dev.gossamer.nn;

import org.jspecify.annotations.NullMarked;
