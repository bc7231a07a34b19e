package dev.gossamer.pruned.prune;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.matrix.sparse.BlockProducts;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The shape of the blocks of a matrix that are pruned as a whole: multiples of the blocks by which
/// [BlockProducts] multiplies.
///
/// @param rows of a block
/// @param cols columns of a block
public record BlockShape(int rows, int cols) {
  /// The shape of the products, which increases the loss least.
  public static final BlockShape DEFAULT = new BlockShape(BlockProducts.SIDE, BlockProducts.SIDE);

  /// The maximum side of a block.
  public static final int LONGEST = 64;

  private static final Pattern TEXT = Pattern.compile("([0-9]{1,3})x([0-9]{1,3})");

  /// Checks the sides.
  ///
  /// @throws InvalidSettingException if there are no products for such blocks
  public BlockShape {
    if (!isSide(rows) || !isSide(cols)) {
      throw unknown("%dx%d".formatted(rows, cols));
    }
  }

  private static boolean isSide(int side) {
    return side > 0 && side <= LONGEST && side % BlockProducts.SIDE == 0;
  }

  private static InvalidSettingException unknown(String text) {
    return new InvalidSettingException(
        "{criterion} blocks: expected ROWSxCOLUMNS, multiples of %d up to %d, as products require, found %s"
            .formatted(BlockProducts.SIDE, LONGEST, text));
  }

  /// Reads `4x4`.
  ///
  /// @param text rows and columns
  /// @return the shape
  /// @throws InvalidSettingException if it is not a shape, or there are no products for such blocks
  public static BlockShape parse(String text) {
    Matcher sides = TEXT.matcher(text);
    if (!sides.matches()) {
      throw unknown(text);
    }
    return new BlockShape(Integer.parseInt(sides.group(1)), Integer.parseInt(sides.group(2)));
  }

  /// {@return the number of elements of a block}
  public int elements() {
    return rows * cols;
  }

  /// {@return the text form, which [#parse] reads}
  @Override
  public String toString() {
    return rows + "x" + cols;
  }
}
