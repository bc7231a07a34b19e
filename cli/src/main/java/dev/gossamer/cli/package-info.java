/// The command line: parses flags and prints tables or JSON. Makes no decisions about training.
@NullMarked
package dev.gossamer.cli;

import org.jspecify.annotations.NullMarked;
