/// What every command says and how: tables, progress, plain text, JSON, failures, and the names of
/// flags in messages. Knows nothing of runs.
@NullMarked
package dev.gossamer.cli.terminal;

import org.jspecify.annotations.NullMarked;
