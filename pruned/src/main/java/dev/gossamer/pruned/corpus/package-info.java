/// Training data of pruned networks: windows of texts, and images. Start with
/// [dev.gossamer.pruned.corpus.Corpora], which opens files and folders, and
/// [dev.gossamer.pruned.corpus.Corpus], which provides their samples. Imports the matrix floor and,
/// from nn, the shape of a sample.
@NullMarked
package dev.gossamer.pruned.corpus;

import org.jspecify.annotations.NullMarked;
