/// Seconds of an epoch by phase. Imports only the timeline of `base`; start with
/// [dev.gossamer.nn.clock.PhaseClock].
@NullMarked
package dev.gossamer.nn.clock;

import org.jspecify.annotations.NullMarked;
