/// Flags, files and words of a command as views of a run's settings: which flag sets which
/// component, what `config.yaml` holds, and the schema of such a file.
@NullMarked
package dev.gossamer.cli.settings;

import org.jspecify.annotations.NullMarked;
