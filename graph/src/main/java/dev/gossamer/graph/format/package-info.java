/// The data set folder, and a reader for each raw format, recognised by content.
@NullMarked
package dev.gossamer.graph.format;

import org.jspecify.annotations.NullMarked;
