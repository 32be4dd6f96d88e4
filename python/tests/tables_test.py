# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Tables: what a cell means is told by its column's type, whichever library holds it."""

import datetime
import warnings

import bochner
import numpy as np
import pytest
from scipy import sparse

pandas = pytest.importorskip("pandas")

draws = np.random.default_rng(0)
ROWS = 400
Z = draws.normal(size=ROWS)
CODES = draws.integers(0, 4, ROWS)
Y = np.sin(2 * Z) + CODES
DAYS = np.datetime64("2024-01-01") + draws.integers(0, 700, ROWS)
GAPS = draws.random(ROWS) < 0.2


def machine():
    return bochner.KernelRidge(1.0, n_components=64, bandwidth=1.0)


def of_codes(texts):
    return np.asarray(texts, dtype=object)[CODES]


# A column's values, with None for a missing one, and its type in pandas and Polars.
COLUMNS = {
    "integers": (draws.integers(0, 9, ROWS).tolist(), "int64", "Int64"),
    "small integers": (draws.integers(0, 9, ROWS).tolist(), "int8", "Int8"),
    "floats": (Z.tolist(), "float64", "Float64"),
    "narrow floats": (Z.astype(np.float32).tolist(), "float32", "Float32"),
    "booleans": ((Z > 0).tolist(), "bool", "Boolean"),
    "nullable integers": ([None if g else i for g, i in zip(GAPS, CODES.tolist())], "Int64", "Int64"),
    "nullable booleans": ([None if g else z > 0 for g, z in zip(GAPS, Z)], "boolean", "Boolean"),
    "floats with gaps": ([None if g else z for g, z in zip(GAPS, Z)], "float64", "Float64"),
    "text": (of_codes(["NA", "None", " x", "x"]).tolist(), "str", "String"),
    "text with gaps": ([None if g else t for g, t in zip(GAPS, of_codes(["a", "1", "2", "b"]))], "object", "String"),
    "categories": (of_codes(["10", "9", "8.5", "NA"]).tolist(), "category", "Categorical"),
    "times": (DAYS.astype("datetime64[us]").tolist(), "datetime64[us]", "Datetime"),
    "spans": ((DAYS - DAYS.min()).astype("timedelta64[us]").tolist(), "timedelta64[us]", "Duration"),
}


def frames(kind):
    """The column beside one of numbers, in every library that is here; a name for each."""
    values, dtype, polars_type = COLUMNS[kind]
    yield "pandas", pandas.DataFrame({"c": pandas.Series(values, dtype=dtype), "z": Z})
    try:
        import polars

        yield "polars", polars.DataFrame([polars.Series("c", values, getattr(polars, polars_type)), polars.Series("z", Z)])
        yield "lazy", polars.DataFrame([polars.Series("c", values, getattr(polars, polars_type)),
                                        polars.Series("z", Z)]).lazy()
    except ImportError:
        pass
    try:
        import pyarrow
    except ImportError:
        return
    column = pyarrow.array(values, from_pandas=True)
    if kind == "narrow floats":
        column = column.cast(pyarrow.float32())
    table = pyarrow.table({"c": column.dictionary_encode() if dtype == "category" else column, "z": Z})
    yield "pyarrow", table
    yield "batches", pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=150))
    try:
        import duckdb
    except ImportError:
        return
    if kind not in ("categories", "spans"):  # DuckDB has other types for them
        yield "duckdb", duckdb.connect().from_arrow(table)


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_library_gives_the_same_answers(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = {}
        for name, table in frames(kind):
            model = machine().fit(table, Y)
            new = dict(frames(kind))[name]
            found[name] = model.predict(new)
            assert len(found[name]) == ROWS
            assert list(model.feature_names_in_) == ["c", "z"]
    expected = found["pandas"]
    for name, answers in found.items():
        assert np.array_equal(answers, expected), name
    plain = machine().fit(Z.reshape(-1, 1), Y).predict(Z.reshape(-1, 1))
    if "text" in kind or kind == "categories":
        assert np.mean((expected - Y) ** 2) < 0.9 * np.mean((plain - Y) ** 2)


def test_there_is_one_answer_a_row_whatever_the_names_are():
    A = draws.normal(size=(60, 3))
    A[3, 0] = np.nan
    model = machine().fit(pandas.DataFrame(A), A[:, 1])
    assert len(model.predict(pandas.DataFrame(A[:5]))) == 5
    assert model.score(pandas.DataFrame(A), A[:, 1]) > 0.5


def test_categories_stay_categories():
    codes = draws.integers(0, 60, 3000)
    target = draws.normal(size=60)[codes]
    levels = {"numbers": codes * 100, "codes": np.asarray([f"{10000 + 7 * c}" for c in codes]),
              "words": np.asarray([f"w{c}" for c in codes])}
    for values in levels.values():
        frame = pandas.DataFrame({"c": pandas.Categorical(values)})
        assert bochner.KernelRidge(n_components=400).fit(frame, target).score(frame, target) > 0.99
    own = pandas.DataFrame({"c": pandas.Categorical([f"{k}" for k in range(50)]), "z": Z[:50]})
    assert machine().fit(own, Z[:50]).model_.schema.inputs == 51


def test_namibia_is_a_country_and_spaces_count():
    country = np.asarray(["NA", "DE", "None", None], dtype=object)[CODES]
    frame = pandas.DataFrame({"c": country, "z": Z})
    levels = machine().fit(frame, Y).model_.schema.columns[0].levels
    assert levels == ["", "DE", "NA", "None"]
    frame = pandas.DataFrame({"c": of_codes([" x", "x", "x ", "y"])})
    assert machine().fit(frame, Y).model_.schema.columns[0].levels == [" x", "x", "x ", "y"]


def test_a_bool_stays_one_when_another_cell_is_missing():
    frame = pandas.DataFrame({"flag": Z > 0, "z": Z})
    model = machine().fit(frame, Y)
    gap = frame.copy()
    gap.loc[3, "z"] = np.nan
    answers = model.predict(gap)
    assert np.array_equal(np.delete(answers, 3), np.delete(model.predict(frame), 3))


def test_dates_spans_and_periods_are_numbers():
    months = pandas.Series(pandas.period_range("2000-01", periods=ROWS, freq="M"))
    y = np.arange(ROWS) / 10.0
    for column in (months, months.dt.to_timestamp(), months.dt.to_timestamp() - pandas.Timestamp("2000-01-01"),
                   months.dt.to_timestamp().dt.tz_localize("Europe/Rome"), months.dt.to_timestamp().dt.date,
                   months.dt.to_timestamp().dt.strftime("%Y-%m-%d")):
        assert bochner.KernelRidge(n_components=64).fit(column.to_frame("t"), y).score(column.to_frame("t"), y) > 0.99
    column = pandas.Series(datetime.timedelta(days=k) for k in range(ROWS)).astype(object).to_frame("t")
    assert bochner.KernelRidge(n_components=64).fit(column, y).score(column, y) > 0.99


def test_sparse_columns_and_intervals():
    frame = pandas.DataFrame({"s": pandas.arrays.SparseArray(np.where(Z > 1, Z, 0)), "t": of_codes(list("abcd")),
                              "i": pandas.cut(Z, 4)})
    dense = frame.assign(s=np.where(Z > 1, Z, 0))
    assert np.array_equal(machine().fit(frame, Y).predict(frame), machine().fit(dense, Y).predict(dense))


def test_what_is_no_cell_is_refused_by_its_column():
    for values in ([[1]] * ROWS, [{"a": 1}] * ROWS, [1j] * ROWS):
        with pytest.raises(ValueError, match="'odd'"):
            machine().fit(pandas.DataFrame({"odd": pandas.Series(values), "t": "x", "z": Z}), Y)
    frame = pandas.DataFrame({"far": Z, "t": of_codes(list("abcd"))})
    frame.loc[5, "far"] = np.inf
    with pytest.raises(ValueError, match=r"X: row 5 \(from 0\): inf in column 'far'"):
        machine().fit(frame, Y)
    model = machine().fit(frame.assign(far=Z), Y)
    with pytest.raises(ValueError, match="'Mars' in column 'far', expected a number"):
        model.predict(frame.assign(far="Mars"))
    with pytest.raises(ValueError, match="X: the columns far are missing"):
        model.predict(frame[["t"]].assign(other=1))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        machine().fit(frame[:-1], Y)


@pytest.mark.parametrize("make", [bochner.KernelRidge, bochner.FourierFeatures, lambda: bochner.KernelKMeans(2)])
def test_what_is_wrong_with_a_table_names_the_column(make):
    frame = pandas.DataFrame({"z": Z, "w": Z[::-1]})
    for wrong, said in [(frame.assign(far=np.inf), "infinity in column 'far'"), (frame[[]], "found no columns"),
                        (frame.rename(columns={"w": "z"}), "2 columns named 'z'"), (frame[:0], r"0 sample\(s\)"),
                        (frame.assign(z="x").set_axis(["z", "z"], axis=1), "2 columns named 'z'")]:
        with pytest.raises(ValueError, match=said):
            make().fit(wrong, Y[: len(wrong)])
    if make is not bochner.KernelRidge:
        for cells, found in [(list("ab") * 200, "text"), (DAYS, "dates or durations"), (np.nan, "NaN")]:
            with pytest.raises(ValueError, match=f"X: found {found} in column 'odd'"):
                make().fit(frame.assign(odd=cells))


def test_names_of_any_kind_and_rows_of_any_index():
    for names in [[0, 1], pandas.MultiIndex.from_tuples([("a", 1), ("a", 2)]), ["z", "w"]]:
        frame = pandas.DataFrame(np.column_stack([Z, CODES]), columns=names)
        frame.index = pandas.MultiIndex.from_product([range(20), range(20)])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            expected = machine().fit(frame.to_numpy(), Y).predict(frame.to_numpy())
            assert np.array_equal(machine().fit(frame, pandas.Series(Y, frame.index)).predict(frame), expected)
            clusters = bochner.KernelKMeans(2).fit(frame)
            assert np.array_equal(clusters.labels_, clusters.predict(frame))
            known = np.where(CODES > 1, Z > 0, -1)
            bochner.SemiSupervisedClassifier(n_map_features=32).fit(frame, known)
            bochner.KernelPCA(fit_inverse_transform=True, n_map_features=32).fit(frame)


def test_what_is_wrong_with_targets_names_them():
    X = np.column_stack([Z, CODES])
    for texts in (of_codes(list("abcd")), of_codes(list("abcd")).astype(str)):
        with pytest.raises(ValueError, match="y: could not convert .* KernelRidge learns numbers"):
            machine().fit(X, texts)
    with pytest.raises(ValueError, match="y: found no rows"):
        bochner.KernelSVC().fit(pandas.DataFrame({"t": ["a", "b"], "z": [1, 2]})[:0], [])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # none of a cast
        with pytest.raises(ValueError, match="y contains NaN"):
            bochner.KernelSVC().fit(X, np.where(Z > 1, np.nan, CODES))


def test_targets_of_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    X = np.column_stack([Z, CODES])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(machine().fit(X, pyarrow.array(Y)).predict(X), machine().fit(X, Y).predict(X))
        classes = bochner.KernelSVC(n_components=32).fit(X, pyarrow.array(of_codes(list("abcd")).tolist()))
    assert list(classes.classes_) == list("abcd")


def test_a_column_of_names_is_ignored_with_a_warning():
    frame = pandas.DataFrame({"z": Z, "id": [f"row {k}" for k in range(ROWS)]})
    with pytest.warns(UserWarning, match="ignored id") as said:
        model = machine().fit(frame, Y)
    assert said[0].filename == __file__
    assert np.array_equal(model.predict(frame), model.predict(frame.assign(id="other")))
    with pytest.raises(ValueError, match="'id' holds numbers as text"):
        machine().fit(frame.assign(id=[f"{k}.5" for k in range(ROWS)]), Y)


def test_classes_and_names_of_targets_are_free():
    frame = pandas.DataFrame({"target": of_codes(list("abcd")), "z": Z})
    for pair in (["+1", "-1"], ["NA", ""], ["1.0", "1"], [" a", "a"], [False, True], [3, 7]):
        y = np.asarray(pair)[(CODES > 1).astype(int)]
        model = bochner.KernelRidgeClassifier(n_components=64).fit(frame, pandas.Series(y, name="z"))
        assert np.mean(model.predict(frame) == y) > 0.95


def test_nan_in_an_array_is_a_missing_cell(tmp_path):
    X = np.column_stack([Z, CODES.astype(float), draws.normal(size=ROWS)])
    X[GAPS, 1] = np.nan
    y = np.where(GAPS, 3, np.sin(Z))
    model = machine().fit(X, y)
    assert model.score(X, y) > 0.9 and model.__sklearn_tags__().input_tags.allow_nan
    named = machine().fit(pandas.DataFrame(X, columns=list("abc")), y)
    assert np.array_equal(named.predict(pandas.DataFrame(X, columns=list("abc"))), model.predict(X))
    model.save(tmp_path / "gaps.model")
    assert np.array_equal(bochner.load(tmp_path / "gaps.model").predict(X), model.predict(X))
    full = X[~GAPS]
    assert np.allclose(model.predict(full), model.predict(X)[~GAPS])
    with pytest.raises(ValueError, match="sparse"):
        machine().fit(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match="NaN"):
        bochner.FourierFeatures(8).fit(X)


def test_arrays_and_lists_with_text():
    cells = np.column_stack([Z.astype(object), of_codes(list("abcd"))])
    cells[3, 1] = None
    frame = pandas.DataFrame({"z": Z, "t": cells[:, 1]})
    model = machine().fit(cells, Y)
    assert np.array_equal(model.predict(cells), machine().fit(frame, Y).predict(frame))
    assert model.n_features_in_ == 2 and not hasattr(model, "feature_names_in_")
    assert np.array_equal(model.predict(cells.tolist()), model.predict(cells))
    with pytest.raises(ValueError, match="3 features, but KernelRidge is expecting 2"):
        model.predict(np.column_stack([cells, cells[:, 1]]))


def test_no_file_is_written(monkeypatch):
    import tempfile

    def refused(*words, **more):
        raise AssertionError("a file for a table in memory")

    monkeypatch.setattr(tempfile, "TemporaryDirectory", refused)
    frame = pandas.DataFrame({"z": Z, "t": of_codes(list("abcd"))})
    frame.loc[3, "z"] = np.nan
    bochner.KernelClassifier("fast").fit(frame, CODES > 1).predict(frame)
    bochner.independence(frame, Y, permutations=19)


def test_weights_and_batches_of_tables():
    frame = pandas.DataFrame({"z": Z, "t": of_codes(list("abcd"))})
    weights = draws.uniform(0.5, 2, ROWS)
    whole = machine().fit(frame, Y, weights).predict(frame)
    cuts = [slice(0, 100), slice(100, 101), slice(101, None)]
    parts = machine().fit((frame[c], Y[c], weights[c]) for c in cuts)
    assert np.array_equal(parts.predict(frame), whole)
    assert not np.array_equal(machine().fit(frame, Y).predict(frame), whole)


@pytest.mark.parametrize("keep", [True, False])
def test_rows_of_tables_join_and_leave(keep):
    """Text and missing cells: partial_fit() ends where fit() on all rows does, forget() goes back."""
    draws = np.random.default_rng(7)
    frame = pandas.DataFrame({"n": draws.normal(size=400), "c": draws.choice(list("xyz"), 400),
                              "m": np.where(draws.random(400) < 0.1, np.nan, draws.normal(size=400))})
    y = frame["n"] + (frame["c"] == "x")
    words = dict(alpha=1e-3, n_components=64, keep_sum=keep)
    machine = bochner.KernelRidge(**words).partial_fit(frame[:300], y[:300])
    first = machine.predict(frame)
    machine.partial_fit(frame[300:], y[300:])
    assert machine.score(frame, y) > 0.95
    if keep:
        machine.forget(frame[300:], y[300:])
        assert np.array_equal(machine.predict(frame), first)
    classes = np.where(y > 0, "above", "below")
    classifier = bochner.KernelRidgeClassifier(**words).partial_fit(frame[:300], classes[:300])
    assert classifier.partial_fit(frame[300:], classes[300:]).score(frame, classes) > 0.9
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        machine.partial_fit(frame[:10], y[:9])
