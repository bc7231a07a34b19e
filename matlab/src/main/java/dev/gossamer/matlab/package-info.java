/// The reader of MATLAB files, [dev.gossamer.matlab.Facebook100Format]. Imports the graph floor.
@NullMarked
package dev.gossamer.matlab;

import org.jspecify.annotations.NullMarked;
