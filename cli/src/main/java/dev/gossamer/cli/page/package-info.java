/// Pages and drawings: HTML and SVG without scripts, fonts or anything else that is loaded, which
/// any browser shows offline, prints, and reads aloud.
@NullMarked
package dev.gossamer.cli.page;

import org.jspecify.annotations.NullMarked;
