/// Optimizers on flat segments of parameters, and learning-rate schedules.
@NullMarked
package dev.gossamer.nn.optimizer;

import org.jspecify.annotations.NullMarked;
