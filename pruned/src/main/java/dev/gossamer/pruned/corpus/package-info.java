/// What pruned networks learn from: windows of texts, and images. Start with
/// [dev.gossamer.pruned.corpus.Corpora], which opens files and folders, and
/// [dev.gossamer.pruned.corpus.Corpus], which gives their samples. Imports the matrix floor, and of
/// nn the shape of a sample.
@NullMarked
package dev.gossamer.pruned.corpus;

import org.jspecify.annotations.NullMarked;
