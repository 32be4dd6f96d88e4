from bochner._anomaly import AnomalyDetector as AnomalyDetector
from bochner._clusters import GaussianMixture as GaussianMixture, KernelKMeans as KernelKMeans
from bochner._components import (
    KernelCCA as KernelCCA,
    KernelLDA as KernelLDA,
    KernelPCA as KernelPCA,
    RandomizedSVD as RandomizedSVD,
)
from bochner._embeddings import (
    HSICTest as HSICTest,
    MMDTest as MMDTest,
    ReducedSet as ReducedSet,
    drift as drift,
    independence as independence,
)
from bochner._load import load as load
from bochner._local import KNeighborsClassifier as KNeighborsClassifier, KNeighborsRegressor as KNeighborsRegressor
from bochner._means import GroupEmbedding as GroupEmbedding, MeanEmbedding as MeanEmbedding
from bochner._neighbors import (
    KNNGraph as KNNGraph,
    NearestNeighbors as NearestNeighbors,
    find_duplicates as find_duplicates,
)
from bochner._predictors import (
    KernelClassifier as KernelClassifier,
    KernelGLM as KernelGLM,
    KernelHuber as KernelHuber,
    KernelLogistic as KernelLogistic,
    KernelQuantile as KernelQuantile,
    KernelRegressor as KernelRegressor,
    KernelSVC as KernelSVC,
    KernelSVR as KernelSVR,
)
from bochner._progress import progress as progress
from bochner._ranking import KernelRanker as KernelRanker
from bochner._ridge import KernelRidge as KernelRidge, KernelRidgeClassifier as KernelRidgeClassifier
from bochner._semi import SemiSupervisedClassifier as SemiSupervisedClassifier
from bochner._sequences import HMMClassifier as HMMClassifier
from bochner._text import TextProjection as TextProjection
from bochner._transformers import (
    BinningFeatures as BinningFeatures,
    FourierFeatures as FourierFeatures,
    NystroemFeatures as NystroemFeatures,
    RandomProjection as RandomProjection,
)
from bochner._watch import Watcher as Watcher, watch as watch

__version__: str
