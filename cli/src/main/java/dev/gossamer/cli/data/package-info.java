/// The command `dataset`, and the flags that say which data set a command reads.
@NullMarked
package dev.gossamer.cli.data;

import org.jspecify.annotations.NullMarked;
