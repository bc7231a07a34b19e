package dev.gossamer.run;

import java.util.Locale;

/// What predictions are scored by. Which scores there are depends on what is predicted.
public enum Metric {
  /// The mean cross-entropy of classes or labels, or the mean squared error of standardised
  /// numbers: without weights of classes or other changes of the training loss.
  LOSS("loss", Double.MAX_VALUE, 0),
  /// The share of correct classes.
  ACCURACY("accuracy", 0, 1),
  /// `2 tp / (2 tp + fp + fn)` with the counts of all classes added up. With one class per vertex,
  /// every wrong prediction is both a false positive and a false negative, so that this is the
  /// accuracy.
  MICRO_F1("micro-F1", 0, 1),
  /// The unweighted mean of `2 tp / (2 tp + fp + fn)` over the classes that occur in labels or
  /// predictions.
  MACRO_F1("macro-F1", 0, 1),
  /// The area under the receiver operating characteristic ([RankedScores#rocArea]) of the second of
  /// two classes, if both occur, or the mean over the labels that some vertices have and others do
  /// not.
  ROC_AUC("ROC-AUC", 0, 1),
  /// The area under the precision-recall curve, as average precision
  /// ([RankedScores#averagePrecision]), of the second of two classes, if both occur, or the mean
  /// over labels.
  PR_AUC("PR-AUC", 0, 1),
  /// The root of the mean squared error, the mean over the numbers that are predicted.
  RMSE("RMSE", Double.MAX_VALUE, 0),
  /// The mean absolute error, the mean over the numbers that are predicted.
  MAE("MAE", Double.MAX_VALUE, 0),
  /// The share of the variance that is explained, `1 - squared error / variance`, the mean over the
  /// numbers that vary.
  R2("R2", -Double.MAX_VALUE, 1),
  /// The mean reciprocal rank of edges among pairs without an edge ([LinkScoring]).
  MRR("MRR", 0, 1),
  /// The share of edges that have the first rank, or whose score is higher than that of all pairs
  /// that they share.
  HITS_1("hits@1", 0, 1),
  /// The share of edges that have one of the first ten ranks.
  HITS_10("hits@10", 0, 1),
  /// The share of edges whose score is higher than the 20th highest of the pairs that they share.
  HITS_20("hits@20", 0, 1),
  /// The same for the 50th highest.
  HITS_50("hits@50", 0, 1),
  /// The same for the 100th highest.
  HITS_100("hits@100", 0, 1);

  private final String title;
  private final double worst;
  private final double best;

  Metric(String title, double worst, double best) {
    this.title = title;
    this.worst = worst;
    this.best = best;
  }

  /// {@return the name in tables: `ROC-AUC`}
  public String title() {
    return title;
  }

  /// {@return the name in JSON: `roc_auc`}
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// {@return whether a score is better than another}
  ///
  /// @param score to compare
  /// @param other to compare with
  public boolean isBetter(double score, double other) {
    return best > worst ? score > other : score < other;
  }

  /// {@return the lowest possible score}
  double least() {
    return Math.min(best, worst);
  }

  /// {@return the highest possible score}
  double most() {
    return Math.max(best, worst);
  }
}
