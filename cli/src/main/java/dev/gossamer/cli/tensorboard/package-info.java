/// Event files and vectors for TensorBoard. Start with [dev.gossamer.cli.tensorboard.Board].
@NullMarked
package dev.gossamer.cli.tensorboard;

import org.jspecify.annotations.NullMarked;
