/// The command line: options in, tables or JSON out. Decides nothing about training itself.
@NullMarked
package dev.gossamer.cli;

import org.jspecify.annotations.NullMarked;
