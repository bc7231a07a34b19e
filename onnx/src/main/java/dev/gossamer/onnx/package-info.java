/// Trained models as ONNX files. Reads descriptions and weights of models, and computes nothing
/// itself. Start with [dev.gossamer.onnx.OnnxModel].
@NullMarked
package dev.gossamer.onnx;

import org.jspecify.annotations.NullMarked;
