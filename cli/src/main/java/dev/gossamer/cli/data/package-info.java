/// The command `dataset`, and which data a command reads: the flags that name them, and those of a
/// run that is finished.
@NullMarked
package dev.gossamer.cli.data;

import org.jspecify.annotations.NullMarked;
