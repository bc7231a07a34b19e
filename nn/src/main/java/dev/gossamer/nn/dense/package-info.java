/// Layers of dense networks, and the networks that are made of them.
///
/// Start at [dev.gossamer.nn.dense.Layer]; [dev.gossamer.nn.dense.Sequence] and
/// [dev.gossamer.nn.dense.Residual] make layers of layers, and a
/// [dev.gossamer.nn.dense.DenseNetwork] is a chain of blocks that a pipeline may cut:
/// [dev.gossamer.nn.dense.Gpt], [dev.gossamer.nn.dense.Vgg] and [dev.gossamer.nn.dense.WideResNet]
/// build them. [dev.gossamer.nn.dense.CrossEntropy] is the loss. The loops over elements are in
/// `dev.gossamer.matrix.kernel`.
@NullMarked
package dev.gossamer.nn.dense;

import org.jspecify.annotations.NullMarked;
