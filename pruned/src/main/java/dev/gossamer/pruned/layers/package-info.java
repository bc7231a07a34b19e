/// Layers, and the networks that consist of them.
///
/// Start with [dev.gossamer.pruned.layers.Layer]; [dev.gossamer.pruned.layers.Sequence] and
/// [dev.gossamer.pruned.layers.Residual] compose layers, and a
/// [dev.gossamer.pruned.layers.LayerNetwork] is a chain of blocks that a pipeline can divide:
/// [dev.gossamer.pruned.layers.Gpt], [dev.gossamer.pruned.layers.Vgg] and
/// [dev.gossamer.pruned.layers.WideResNet] build them. [dev.gossamer.pruned.layers.CrossEntropy] is
/// the loss. The loops over elements are in `dev.gossamer.matrix.dense`.
@NullMarked
package dev.gossamer.pruned.layers;

import org.jspecify.annotations.NullMarked;
