package dev.gossamer.nn.state;

import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.sparse.BlockProducts;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.matrix.sparse.SparseProducts;

/// The form in which a [CompressedState] stores parameters.
///
/// @param format of the dense matrices that products read, and of sent gradients
/// @param index of the survivors of matrices with dense products
/// @param downCast when 16-bit copies are made
/// @param products which matrices are multiplied as sparse ones
/// @param inBlocks whether the survivors are entire blocks ([BlockProducts]) where possible. Only
///   for estimates without a mask; a state detects blocks itself
public record CompressedForm(
    NumberFormat format,
    IndexKind index,
    DownCast downCast,
    ProductChoice products,
    boolean inBlocks) {
  /// {@return the form of the publication: dense products, positions of the survivors in 32 bits}
  ///
  /// @param format of the matrices that products read, and of sent gradients
  public static CompressedForm dense(NumberFormat format) {
    return new CompressedForm(
        format, IndexKind.INT32, DownCast.CHUNKED, (matrix, kept) -> false, false);
  }

  /// {@return the form with sparse products only}
  ///
  /// @param format of the matrices that are kept whole, and of sent gradients
  public static CompressedForm sparse(NumberFormat format) {
    return dense(format).withProducts((matrix, kept) -> true);
  }

  /// {@return a copy with another index}
  ///
  /// @param newIndex kind of index
  public CompressedForm withIndex(IndexKind newIndex) {
    return new CompressedForm(format, newIndex, downCast, products, inBlocks);
  }

  /// {@return a copy with another down-cast}
  ///
  /// @param newDownCast chunked or whole
  public CompressedForm withDownCast(DownCast newDownCast) {
    return new CompressedForm(format, index, newDownCast, products, inBlocks);
  }

  /// {@return a copy with another choice of products}
  ///
  /// @param newProducts which matrices are multiplied as sparse ones
  public CompressedForm withProducts(ProductChoice newProducts) {
    return new CompressedForm(format, index, downCast, newProducts, inBlocks);
  }

  /// {@return a copy for survivors in entire blocks, or not}
  ///
  /// @param areInBlocks whether survivors are entire blocks
  public CompressedForm withBlocks(boolean areInBlocks) {
    return new CompressedForm(format, index, downCast, products, areInBlocks);
  }

  /// Bytes of the pattern of a matrix that is multiplied as a sparse one.
  long patternBytes(ParameterLayout.Entry matrix, long survivors) {
    return inBlocks && BlockProducts.fits(matrix.rows(), matrix.cols())
        ? BlockProducts.bytes(matrix.rows(), matrix.cols(), survivors)
        : SparseProducts.bytes(matrix.rows(), matrix.cols(), survivors);
  }

  /// Whether a matrix is multiplied as a sparse one.
  boolean isSparse(ParameterLayout.Entry matrix, ParameterLayout kept) {
    return Mask.prunes(matrix, kept)
        && products.isSparse(matrix, kept.entry(matrix.name()).count());
  }

  /// Whether products read a copy of the masters.
  boolean isCopied(ParameterLayout.Entry entry, ParameterLayout kept) {
    return Mask.prunes(entry, kept)
        ? !isSparse(entry, kept)
        : format != NumberFormat.FLOAT32 && entry.rows() > 1;
  }
}
