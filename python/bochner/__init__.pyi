from bochner._clusters import GaussianMixture as GaussianMixture, KernelKMeans as KernelKMeans
from bochner._components import KernelLDA as KernelLDA, KernelPCA as KernelPCA, RandomizedSVD as RandomizedSVD
from bochner._embeddings import MMDTest as MMDTest, ReducedSet as ReducedSet, drift as drift
from bochner._files import load as load
from bochner._neighbors import KNNGraph as KNNGraph, NearestNeighbors as NearestNeighbors
from bochner._progress import progress as progress
from bochner._predictors import (
    KernelClassifier as KernelClassifier,
    KernelLogistic as KernelLogistic,
    KernelRegressor as KernelRegressor,
    KernelRidge as KernelRidge,
    KernelSVC as KernelSVC,
    KernelSVR as KernelSVR,
)
from bochner._sequences import HMMClassifier as HMMClassifier
from bochner._text import TextProjection as TextProjection
from bochner._transformers import (
    BinningFeatures as BinningFeatures,
    FourierFeatures as FourierFeatures,
    NystroemFeatures as NystroemFeatures,
    RandomProjection as RandomProjection,
)

__version__: str
