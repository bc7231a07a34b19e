package dev.gossamer.pruned.layers;

import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Networks in double precision and plain loops, written from the equations of the publications:
/// what the layers of this module are held against. A batch is an array of rows, one for each
/// position. Each layer remembers its last forward pass.
final class Reference {
  private static final double EPSILON = 1e-5;

  private final Map<String, Parameter> parameters = new LinkedHashMap<>();

  /// A parameter with its gradient and what optimizers remember.
  static final class Parameter {
    final int cols;
    final boolean matrix;
    final double[] w;
    final double[] g;
    final double[] m;
    final double[] v;

    Parameter(int rows, int cols) {
      this.cols = cols;
      matrix = rows > 1;
      w = new double[rows * cols];
      g = new double[w.length];
      m = new double[w.length];
      v = new double[w.length];
    }
  }

  /// A layer that remembers what it needs.
  interface Step {
    double[][] forward(double[][] x);

    double[][] backward(double[][] t);
  }

  /// The same first values as a model of ours.
  Reference(ParameterLayout layout, MemorySegment weights) {
    for (ParameterLayout.Entry entry : layout.entries()) {
      Parameter parameter = new Parameter(entry.rows(), entry.cols());
      for (int i = 0; i < parameter.w.length; i++) {
        parameter.w[i] = weights.getAtIndex(ValueLayout.JAVA_FLOAT, entry.offset() + i);
      }
      parameters.put(entry.name(), parameter);
    }
  }

  private Parameter parameter(String name) {
    Parameter parameter = parameters.get(name);
    if (parameter == null) {
      throw new IllegalArgumentException(name);
    }
    return parameter;
  }

  double[] gradient(String name) {
    return parameter(name).g;
  }

  void clearGradients() {
    parameters.values().forEach(p -> Arrays.fill(p.g, 0));
  }

  /// Loshchilov and Hutter (2019), algorithm 2, with decay for matrices alone.
  void adamW(int t, double rate, double decay) {
    for (Parameter p : parameters.values()) {
      for (int i = 0; i < p.w.length; i++) {
        p.m[i] = 0.9 * p.m[i] + 0.1 * p.g[i];
        p.v[i] = 0.999 * p.v[i] + 0.001 * p.g[i] * p.g[i];
        double mean = p.m[i] / (1 - Math.pow(0.9, t));
        double square = p.v[i] / (1 - Math.pow(0.999, t));
        double pull = p.matrix ? decay * p.w[i] : 0;
        p.w[i] -= rate * (mean / (Math.sqrt(square) + 1e-8) + pull);
      }
    }
  }

  /// Gradient descent with momentum, and decay for matrices alone.
  void sgd(double rate, double momentum, double decay) {
    for (Parameter p : parameters.values()) {
      for (int i = 0; i < p.w.length; i++) {
        p.m[i] = momentum * p.m[i] + p.g[i] + (p.matrix ? decay * p.w[i] : 0);
        p.w[i] -= rate * p.m[i];
      }
    }
  }

  /// The mean of `-log softmax(z)[label]`; the logits become its gradient.
  static double loss(double[][] z, int[] labels) {
    double sum = 0;
    for (int i = 0; i < z.length; i++) {
      double total = 0;
      for (double score : z[i]) {
        total += Math.exp(score);
      }
      sum += Math.log(total) - z[i][labels[i]];
      for (int j = 0; j < z[i].length; j++) {
        z[i][j] = (Math.exp(z[i][j]) / total - (j == labels[i] ? 1 : 0)) / z.length;
      }
    }
    return sum / z.length;
  }

  static Step chain(Step... steps) {
    return new Step() {
      @Override
      public double[][] forward(double[][] x) {
        double[][] y = x;
        for (Step step : steps) {
          y = step.forward(y);
        }
        return y;
      }

      @Override
      public double[][] backward(double[][] t) {
        double[][] g = t;
        for (int i = steps.length - 1; i >= 0; i--) {
          g = steps[i].backward(g);
        }
        return g;
      }
    };
  }

  static Step residual(Step body) {
    return new Step() {
      @Override
      public double[][] forward(double[][] x) {
        return sum(x, body.forward(x));
      }

      @Override
      public double[][] backward(double[][] t) {
        return sum(t, body.backward(t));
      }
    };
  }

  private static double[][] sum(double[][] a, double[][] b) {
    double[][] sum = new double[a.length][a[0].length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[i].length; j++) {
        sum[i][j] = a[i][j] + b[i][j];
      }
    }
    return sum;
  }

  Step linear(String name, boolean biased) {
    Parameter weight = parameter(name + ".weight");
    Parameter bias = biased ? parameter(name + ".bias") : new Parameter(1, weight.cols);
    return new Step() {
      private double[][] x = new double[0][];

      @Override
      public double[][] forward(double[][] in) {
        x = in;
        double[][] y = new double[x.length][weight.cols];
        for (int i = 0; i < x.length; i++) {
          for (int j = 0; j < weight.cols; j++) {
            y[i][j] = bias.w[j];
            for (int k = 0; k < x[i].length; k++) {
              y[i][j] += x[i][k] * weight.w[k * weight.cols + j];
            }
          }
        }
        return y;
      }

      @Override
      public double[][] backward(double[][] t) {
        double[][] g = new double[x.length][x[0].length];
        for (int i = 0; i < x.length; i++) {
          for (int j = 0; j < weight.cols; j++) {
            bias.g[j] += t[i][j];
            for (int k = 0; k < x[i].length; k++) {
              weight.g[k * weight.cols + j] += x[i][k] * t[i][j];
              g[i][k] += t[i][j] * weight.w[k * weight.cols + j];
            }
          }
        }
        return g;
      }
    };
  }

  /// Tokens in the only column of the input.
  Step embedding(String name, int length) {
    Parameter tokens = parameter(name + ".tokens");
    Parameter positions = parameter(name + ".positions");
    return new Step() {
      private double[][] ids = new double[0][];

      @Override
      public double[][] forward(double[][] x) {
        ids = x;
        double[][] y = new double[x.length][tokens.cols];
        for (int i = 0; i < x.length; i++) {
          for (int j = 0; j < tokens.cols; j++) {
            y[i][j] =
                tokens.w[token(x[i]) * tokens.cols + j] + positions.w[i % length * tokens.cols + j];
          }
        }
        return y;
      }

      @Override
      public double[][] backward(double[][] t) {
        for (int i = 0; i < t.length; i++) {
          for (int j = 0; j < tokens.cols; j++) {
            tokens.g[token(ids[i]) * tokens.cols + j] += t[i][j];
            positions.g[i % length * tokens.cols + j] += t[i][j];
          }
        }
        return new double[t.length][1];
      }
    };
  }

  private static int token(double[] row) {
    return (int) row[0];
  }

  /// Normalises groups of numbers, `along` rows or columns.
  private Step norm(String name, boolean alongRows) {
    Parameter gain = parameter(name + ".gain");
    Parameter bias = parameter(name + ".bias");
    return new Step() {
      private double[][] hat = new double[0][];
      private double[] deviations = new double[0];

      @Override
      public double[][] forward(double[][] x) {
        int groups = alongRows ? x.length : x[0].length;
        int size = alongRows ? x[0].length : x.length;
        hat = new double[x.length][x[0].length];
        deviations = new double[groups];
        double[][] y = new double[x.length][x[0].length];
        for (int a = 0; a < groups; a++) {
          double mean = 0;
          double variance = 0;
          for (int b = 0; b < size; b++) {
            mean += (alongRows ? x[a][b] : x[b][a]) / size;
          }
          for (int b = 0; b < size; b++) {
            variance += Math.pow((alongRows ? x[a][b] : x[b][a]) - mean, 2) / size;
          }
          deviations[a] = Math.sqrt(variance + EPSILON);
          for (int b = 0; b < size; b++) {
            int i = alongRows ? a : b;
            int j = alongRows ? b : a;
            hat[i][j] = (x[i][j] - mean) / deviations[a];
            y[i][j] = hat[i][j] * gain.w[j] + bias.w[j];
          }
        }
        return y;
      }

      @Override
      public double[][] backward(double[][] t) {
        int size = alongRows ? t[0].length : t.length;
        double[][] g = new double[t.length][t[0].length];
        for (int a = 0; a < deviations.length; a++) {
          double mean = 0;
          double product = 0;
          for (int b = 0; b < size; b++) {
            int i = alongRows ? a : b;
            int j = alongRows ? b : a;
            gain.g[j] += t[i][j] * hat[i][j];
            bias.g[j] += t[i][j];
            mean += t[i][j] * gain.w[j] / size;
            product += t[i][j] * gain.w[j] * hat[i][j] / size;
          }
          for (int b = 0; b < size; b++) {
            int i = alongRows ? a : b;
            int j = alongRows ? b : a;
            g[i][j] = (t[i][j] * gain.w[j] - mean - hat[i][j] * product) / deviations[a];
          }
        }
        return g;
      }
    };
  }

  Step layerNorm(String name) {
    return norm(name, true);
  }

  Step batchNorm(String name) {
    return norm(name, false);
  }

  /// A function of single numbers and its derivative.
  interface Curve {
    double value(double x);

    double slope(double x);
  }

  static final Curve RELU =
      new Curve() {
        @Override
        public double value(double x) {
          return Math.max(x, 0);
        }

        @Override
        public double slope(double x) {
          return x > 0 ? 1 : 0;
        }
      };

  static final Curve GELU =
      new Curve() {
        private static double u(double x) {
          return Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x);
        }

        @Override
        public double value(double x) {
          return x / 2 * (1 + Math.tanh(u(x)));
        }

        @Override
        public double slope(double x) {
          double tanh = Math.tanh(u(x));
          double du = Math.sqrt(2 / Math.PI) * (1 + 3 * 0.044715 * x * x);
          return (1 + tanh) / 2 + x / 2 * (1 - tanh * tanh) * du;
        }
      };

  static Step curve(Curve curve) {
    return new Step() {
      private double[][] x = new double[0][];

      @Override
      public double[][] forward(double[][] in) {
        x = in;
        double[][] y = new double[x.length][x[0].length];
        for (int i = 0; i < x.length; i++) {
          for (int j = 0; j < x[i].length; j++) {
            y[i][j] = curve.value(x[i][j]);
          }
        }
        return y;
      }

      @Override
      public double[][] backward(double[][] t) {
        double[][] g = new double[x.length][x[0].length];
        for (int i = 0; i < x.length; i++) {
          for (int j = 0; j < x[i].length; j++) {
            g[i][j] = t[i][j] * curve.slope(x[i][j]);
          }
        }
        return g;
      }
    };
  }

  Step attention(String name, int length, int heads) {
    return chain(linear(name + ".in", true), heads(length, heads), linear(name + ".out", true));
  }

  /// From queries, keys and values side by side to the heads' results side by side.
  private static Step heads(int length, int heads) {
    return new Step() {
      private double[][] x = new double[0][];
      private double[][][] p = new double[0][][];

      @Override
      public double[][] forward(double[][] in) {
        x = in;
        int d = x[0].length / 3;
        int width = d / heads;
        p = new double[heads][x.length][length];
        double[][] y = new double[x.length][d];
        for (int h = 0; h < heads; h++) {
          for (int i = 0; i < x.length; i++) {
            int first = i / length * length;
            double sum = 0;
            for (int j = first; j <= i; j++) {
              double score = 0;
              for (int c = h * width; c < (h + 1) * width; c++) {
                score += x[i][c] * x[j][d + c];
              }
              p[h][i][j - first] = Math.exp(score / Math.sqrt(width));
              sum += p[h][i][j - first];
            }
            for (int j = first; j <= i; j++) {
              p[h][i][j - first] /= sum;
              for (int c = h * width; c < (h + 1) * width; c++) {
                y[i][c] += p[h][i][j - first] * x[j][2 * d + c];
              }
            }
          }
        }
        return y;
      }

      @Override
      public double[][] backward(double[][] t) {
        int d = t[0].length;
        int width = d / heads;
        double[][] g = new double[x.length][3 * d];
        for (int h = 0; h < heads; h++) {
          for (int i = 0; i < x.length; i++) {
            int first = i / length * length;
            double[] slope = new double[length];
            double mean = 0;
            for (int j = first; j <= i; j++) {
              for (int c = h * width; c < (h + 1) * width; c++) {
                slope[j - first] += t[i][c] * x[j][2 * d + c];
                g[j][2 * d + c] += p[h][i][j - first] * t[i][c];
              }
              mean += p[h][i][j - first] * slope[j - first];
            }
            for (int j = first; j <= i; j++) {
              double change = p[h][i][j - first] * (slope[j - first] - mean) / Math.sqrt(width);
              for (int c = h * width; c < (h + 1) * width; c++) {
                g[i][c] += change * x[j][d + c];
                g[j][d + c] += change * x[i][c];
              }
            }
          }
        }
        return g;
      }
    };
  }

  /// A convolution of `kernel x kernel` with padding that keeps the size of square images.
  Step convolution(String name, int size, int kernel) {
    Parameter weight = parameter(name + ".weight");
    Parameter bias = parameter(name + ".bias");
    int out = weight.cols;
    return new Step() {
      private double[][] x = new double[0][];

      @Override
      public double[][] forward(double[][] in) {
        x = in;
        double[][] y = new double[x.length][out];
        for (double[] row : y) {
          System.arraycopy(bias.w, 0, row, 0, out);
        }
        touch((to, from, at, c, o) -> y[to][o] += x[from][c] * weight.w[at]);
        return y;
      }

      @Override
      public double[][] backward(double[][] t) {
        double[][] g = new double[x.length][x[0].length];
        for (double[] row : t) {
          for (int o = 0; o < out; o++) {
            bias.g[o] += row[o];
          }
        }
        touch((to, from, at, c, o) -> {
          weight.g[at] += x[from][c] * t[to][o];
          g[from][c] += weight.w[at] * t[to][o];
        });
        return g;
      }

      // Every product of the convolution.
      private void touch(Product product) {
        int in = x[0].length;
        for (int to = 0; to < x.length; to++) {
          int i = to / size % size;
          int j = to % size;
          for (int a = 0; a < kernel; a++) {
            for (int b = 0; b < kernel; b++) {
              int line = i + a - kernel / 2;
              int column = j + b - kernel / 2;
              if (line < 0 || line >= size || column < 0 || column >= size) {
                continue;
              }
              int from = to / (size * size) * size * size + line * size + column;
              for (int c = 0; c < in; c++) {
                for (int o = 0; o < out; o++) {
                  product.add(to, from, ((a * kernel + b) * in + c) * out + o, c, o);
                }
              }
            }
          }
        }
      }
    };
  }

  /// One product of a convolution: output row, input row, element of the weight, channels.
  private interface Product {
    void add(int to, int from, int weight, int in, int out);
  }

  /// The maximum over squares of 2 x 2 of square images.
  static Step maximum(int size) {
    return new Step() {
      private int[][] from = new int[0][];
      private int rows;

      @Override
      public double[][] forward(double[][] x) {
        rows = x.length;
        double[][] y = new double[rows / 4][x[0].length];
        from = new int[rows / 4][x[0].length];
        for (int i = 0; i < y.length; i++) {
          int half = size / 2;
          int image = i / (half * half);
          int first = image * size * size + i / half % half * 2 * size + i % half * 2;
          List<Integer> square = List.of(first, first + 1, first + size, first + size + 1);
          for (int c = 0; c < x[0].length; c++) {
            int channel = c;
            from[i][c] =
                square.stream()
                    .reduce((a, b) -> x[b][channel] > x[a][channel] ? b : a)
                    .orElseThrow();
            y[i][c] = x[from[i][c]][c];
          }
        }
        return y;
      }

      @Override
      public double[][] backward(double[][] t) {
        double[][] g = new double[rows][t[0].length];
        for (int i = 0; i < t.length; i++) {
          for (int c = 0; c < t[i].length; c++) {
            g[from[i][c]][c] += t[i][c];
          }
        }
        return g;
      }
    };
  }

  /// The mean over all positions of an image.
  static Step mean(int positions) {
    return new Step() {
      @Override
      public double[][] forward(double[][] x) {
        double[][] y = new double[x.length / positions][x[0].length];
        for (int i = 0; i < x.length; i++) {
          for (int c = 0; c < x[i].length; c++) {
            y[i / positions][c] += x[i][c] / positions;
          }
        }
        return y;
      }

      @Override
      public double[][] backward(double[][] t) {
        double[][] g = new double[t.length * positions][t[0].length];
        for (int i = 0; i < g.length; i++) {
          for (int c = 0; c < g[i].length; c++) {
            g[i][c] = t[i / positions][c] / positions;
          }
        }
        return g;
      }
    };
  }

  /// The decoder of GPT-2 without dropout.
  Step gpt(GptSettings settings) {
    List<Step> steps = new ArrayList<>();
    steps.add(embedding("embedding", settings.length()));
    for (int i = 0; i < settings.layers(); i++) {
      String name = "blocks." + i;
      steps.add(
          residual(
              chain(
                  layerNorm(name + ".attention_norm"),
                  attention(name + ".attention", settings.length(), settings.heads()))));
      steps.add(
          residual(
              chain(
                  layerNorm(name + ".mlp_norm"),
                  linear(name + ".mlp.in", true),
                  curve(GELU),
                  linear(name + ".mlp.out", true))));
    }
    steps.add(layerNorm("norm"));
    steps.add(linear("head", false));
    return chain(steps.toArray(Step[]::new));
  }
}
