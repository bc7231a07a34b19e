/// Trained models in the formats of other programs. Start with
/// [dev.gossamer.cli.export.ExportCommand].
@NullMarked
package dev.gossamer.cli.export;

import org.jspecify.annotations.NullMarked;
