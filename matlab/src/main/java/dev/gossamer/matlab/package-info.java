/// The reader of MATLAB files, [dev.gossamer.matlab.Facebook100Format]. Imports the graph module.
@NullMarked
package dev.gossamer.matlab;

import org.jspecify.annotations.NullMarked;
