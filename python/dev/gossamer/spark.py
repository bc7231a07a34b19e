"""Estimators of PySpark that train graph networks: each wraps the JVM's class of its name.

    from dev.gossamer.spark import GraphClassifier

    model = GraphClassifier(ranks=2, epochs=100).setEdges(edges).fit(vertices)
    model.transform(vertices).select("id", "prediction", "probability").show()

Parameters are those of the JVM, with their defaults; explainParams() lists them. The module has the
name of the Java package because that is how Spark finds the Python class of what it loads.
"""

from pyspark.ml.param import TypeConverters
from pyspark.ml.util import JavaMLReadable, JavaMLWritable
from pyspark.ml.wrapper import JavaEstimator, JavaModel

__all__ = [
    "GraphClassifier",
    "GraphClassificationModel",
    "GraphEmbedder",
    "GraphEmbeddingModel",
    "GraphRegressor",
    "GraphRegressionModel",
    "LinkPredictor",
    "LinkPredictionModel",
]


def _text(value):
    """Several values are separated by commas, as on the command line: [256, 128] is "256,128"."""
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


# By the class of a parameter in the JVM, which accepts no other type.
_CONVERTERS = {
    "BooleanParam": TypeConverters.toBoolean,
    "DoubleParam": TypeConverters.toFloat,
    "IntParam": TypeConverters.toInt,
    "Param": _text,
    "StringArrayParam": TypeConverters.toListString,
}


class _Graph(JavaMLReadable, JavaMLWritable):
    """What estimators and models share."""

    def _create_params_from_java(self):
        super()._create_params_from_java()
        for param in self._java_obj.params():
            converter = _CONVERTERS[param.getClass().getSimpleName()]
            self.getParam(param.name()).typeConverter = converter

    def setRanks(self, value):
        """Sets the number of ranks, which are tasks of one barrier stage."""
        return self._set(ranks=value)

    def setFolder(self, value):
        """Sets a folder that the driver and all executors reach."""
        return self._set(folder=value)


class _GraphEstimator(_Graph, JavaEstimator):
    """Trains on a DataFrame of vertices and one of edges; parameters may be given by name."""

    def __init__(self, **settings):
        super().__init__()
        self._java_obj = self._new_java_obj(
            "dev.gossamer.spark." + type(self).__name__, self.uid
        )
        self._create_params_from_java()
        self._transfer_params_from_java()
        self._set(**settings)

    def _create_model(self, java_model):
        return self._model(java_model)

    def setting(self, name, value):
        """Sets a parameter by its name: "labelSmoothing", or "lambda", a word of Python."""
        return self._set(**{name: value})

    def setIdCol(self, value):
        """Sets the column of vertices with their ids."""
        return self._set(idCol=value)

    def setFeaturesCols(self, value):
        """Sets the list of columns of vertices that are features; an empty list: none."""
        return self._set(featuresCols=value)

    def setTextCols(self, value):
        """Sets the list of columns of vertices whose words are features."""
        return self._set(textCols=value)


class _GraphModel(_Graph, JavaModel):
    """Adds predictions to a DataFrame."""

    @property
    def summary(self):
        """Scores, settings and costs of the run: the JSON that gossamer train --json prints."""
        return self._java_obj.summary()

    @property
    def modelFile(self):
        """The bytes of the model file, which the command line and the library read."""
        return bytes(self._java_obj.modelFile())


class _OnEdges:
    """What is trained, or predicts, on edges that are named beside."""

    def setEdges(self, edges):
        """Sets the edges, a row each. They are no parameter: after load, name them again."""
        self._java_obj.setEdges(edges._jdf)
        return self


class _OnVertices:
    """What is trained, or predicts, on vertices that are named beside."""

    def setVertices(self, vertices):
        """Sets the vertices, a row each. They are no parameter: after load, name them again."""
        self._java_obj.setVertices(vertices._jdf)
        return self


class _WithVectors:
    """What may add a vector to each vertex."""

    def setEmbeddingCol(self, value):
        """Sets the column of the activations of the last hidden layer."""
        return self._set(embeddingCol=value)


class _WithPredictions:
    """What adds predictions."""

    def setPredictionCol(self, value):
        """Sets the column of the predictions; empty for none."""
        return self._set(predictionCol=value)


class _WithProbabilities(_WithPredictions):
    """What adds probabilities, too."""

    def setProbabilityCol(self, value):
        """Sets the column of the probabilities; empty for none."""
        return self._set(probabilityCol=value)


class _VertexEstimator(_OnEdges, _WithVectors, _GraphEstimator):
    """Learns something of vertices, which are fitted."""

    def setLabelCol(self, value):
        """Sets the column of vertices with what is to be learned; null where it is not known."""
        return self._set(labelCol=value)

    def setSplitCol(self, value):
        """Sets the column of vertices with train, validation, test or null."""
        return self._set(splitCol=value)


class _VertexModel(_OnEdges, _WithVectors, _GraphModel):
    """Adds predictions to a DataFrame of vertices."""


class GraphClassificationModel(_WithProbabilities, _VertexModel):
    """A trained classifier."""

    @property
    def labels(self):
        """Names of the classes, in the order of the probabilities."""
        return list(self._java_obj.labels())


class GraphClassifier(_WithProbabilities, _VertexEstimator):
    """Learns the class of each vertex."""

    _model = GraphClassificationModel


class GraphRegressionModel(_WithPredictions, _VertexModel):
    """A trained regressor."""


class GraphRegressor(_WithPredictions, _VertexEstimator):
    """Learns a number of each vertex."""

    _model = GraphRegressionModel


class GraphEmbeddingModel(_VertexModel):
    """A trained embedder."""


class GraphEmbedder(_VertexEstimator):
    """Learns a vector of each vertex without labels."""

    _model = GraphEmbeddingModel


class LinkPredictionModel(_WithProbabilities, _OnVertices, _OnEdges, _GraphModel):
    """Says of pairs of vertices how likely an edge is."""


class LinkPredictor(_WithProbabilities, _OnVertices, _GraphEstimator):
    """Learns which vertices have an edge: edges are fitted, and pairs are transformed."""

    _model = LinkPredictionModel
