/// Parameters and gradients: dense, or compressed to the survivors of pruning (SAMO, section III),
/// and their files.
///
/// Imports only the matrix floor. Start with [dev.gossamer.nn.state.ModelState] and
/// [dev.gossamer.nn.state.ParameterLayout].
@NullMarked
package dev.gossamer.nn.state;

import org.jspecify.annotations.NullMarked;
