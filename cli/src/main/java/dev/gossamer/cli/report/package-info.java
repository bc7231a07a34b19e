/// The command `report`: runs as a page of tables and drawings.
@NullMarked
package dev.gossamer.cli.report;

import org.jspecify.annotations.NullMarked;
