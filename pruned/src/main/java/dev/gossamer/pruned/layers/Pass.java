package dev.gossamer.pruned.layers;

import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.ModelState;

/// What the layers of a pass share. The forward pass of a microbatch, the backward pass that
/// belongs to it, and its repetition under activation checkpointing have equal passes, so that they
/// draw the same dropout.
///
/// @param state parameters and their gradients
/// @param statistics of the batches
/// @param samples of the microbatch
/// @param firstSample number of its first sample in the batch of all ranks
/// @param step iteration, which dropout is drawn for
/// @param training whether dropout drops and batches are normalised by their own statistics
public record Pass(
    ModelState state,
    Statistics statistics,
    Kernels kernels,
    int samples,
    long firstSample,
    long step,
    boolean training) {}
