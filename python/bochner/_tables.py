# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Tables as the library's columns, whose types are told: pandas, Polars, Arrow and arrays with text or missing cells.

Numbers and dates are views where they lie; texts become places in a list of levels. Nothing is written to a file.
"""

import datetime
import numbers
import sys
import warnings

import numpy as np

from bochner import _core

TICKS_PER_DAY = {"D": 1, "h": 24, "m": 1440, "s": 86400, "ms": 86400e3, "us": 86400e6, "ns": 86400e9}


def library_of(X):
    return type(X).__module__.partition(".")[0]


def collected(X):
    """A LazyFrame of Polars as a frame; other things as they are."""
    return X.collect() if library_of(X) == "polars" and hasattr(X, "collect") else X


def is_pandas(X):
    return hasattr(X, "iloc") and hasattr(X, "dtypes") and hasattr(X, "columns")


def is_polars(X):
    return library_of(X) == "polars" and hasattr(X, "get_columns")


def is_arrow(X):
    """Whether X is an Arrow table or what gives one, other than a data frame."""
    return hasattr(X, "__arrow_c_stream__") and not is_pandas(X) and not is_polars(X) or _is_batch(X)


def _is_batch(X):
    return library_of(X) == "pyarrow" and hasattr(X, "num_rows")


def is_table(X):
    return is_pandas(X) or is_polars(X) or is_arrow(X)


def arrow_table(X):
    try:
        import pyarrow
    except ImportError as missing:
        raise ImportError("X: Arrow streams need the package pyarrow: pip install pyarrow") from missing
    if isinstance(X, pyarrow.Table):
        return X
    return pyarrow.Table.from_batches([X]) if isinstance(X, pyarrow.RecordBatch) else pyarrow.table(X)


def is_whole(X):
    """Whether X is an Arrow table that can be read again and again, or what gives one, rather than a reader."""
    return is_arrow(X) and not hasattr(X, "read_next_batch")


def names_of(X):
    """The names of a table's columns as texts."""
    return [str(name) for name in (X.columns if is_pandas(X) or is_polars(X) else X.schema.names)]


def check_names(names):
    if not names:
        raise ValueError("X: found no columns, expected at least one")
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None) if len(set(names)) < len(names) else None
    if twice is not None:
        raise ValueError(f"X: found {names.count(twice)} columns named {twice!r}, expected different names")


def strange_column(X, allow_nan):
    """What the first column that is not of numbers holds, and its name; None: there is no such column."""
    for column in columns_of(X):
        kind = column.cells.dtype.kind if column.codes is None else ""
        found = ("text" if column.codes is not None else "dates or durations" if column.ticks
                 else "missing cells" if column.missing is not None and not allow_nan
                 else None if kind != "f" or np.isfinite(column.cells).all()
                 else "infinity" if np.isinf(column.cells).any() else None if allow_nan else "NaN")
        if found:
            return f"{found} in column {column.name!r}"
    return None


def is_plain(X):
    """Whether the types of a table's columns are numbers."""
    if is_pandas(X):
        return all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in X.dtypes)
    if is_polars(X):
        return all(dtype.is_integer() or dtype.is_float() or str(dtype) == "Boolean" for dtype in X.dtypes)
    from pyarrow import types

    return all(types.is_integer(t) or types.is_floating(t) or types.is_boolean(t) for t in X.schema.types)


def is_mixed(X):
    """Whether X is a table that is more than numbers: text, dates, or missing cells."""
    if not is_table(X):
        return False
    X = arrow_table(X) if is_arrow(X) else X
    if not is_plain(X):
        return True
    if is_pandas(X):
        return any(X.iloc[:, j].isna().any() for j, dtype in enumerate(X.dtypes) if dtype.kind == "f")
    if is_polars(X):
        return any(s.null_count() or s.dtype.is_float() and s.is_nan().any() for s in X.get_columns())
    return any(column.null_count for column in X.columns)


def has_nan(X):
    """Whether a dense array of numbers has a missing one."""
    if X.dtype.kind != "f":
        return False
    with np.errstate(all="ignore"):
        return bool(np.isnan(X.sum())) and bool(np.isnan(X).any())


def has_text(X):
    """Whether X is an array or a list with texts that are no numbers."""
    if is_table(X) or not isinstance(X, (np.ndarray, list, tuple)):
        return False
    if isinstance(X, np.ndarray):
        if X.ndim != 2 or X.dtype.kind not in "OUS":
            return False
    elif not X or not all(isinstance(row, (list, tuple)) for row in X) or not any(
            isinstance(cell, str) for row in X for cell in row):
        return False
    cells = np.asarray(X, dtype=object)
    if cells.ndim != 2 or not any(isinstance(cell, (str, bytes)) for cell in cells.flat):
        return False
    try:
        cells.astype(np.float64)
    except (TypeError, ValueError):
        return True
    return False


class Column:
    """What the library is told of a column: numbers or times, or codes with levels."""

    def __init__(self, name, cells=None, missing=None, codes=None, levels=None, category=False, ticks=0, dates=False):
        self.name, self.cells, self.missing = name, cells, missing
        self.codes, self.levels, self.category = codes, levels, category
        self.ticks, self.dates = ticks, dates

    def told(self, keep):
        """The column of the library; keep: a list for what must live as long as it."""
        column = _core.FrameColumn()
        column.name, column.category = self.name, self.category
        column.ticks_per_day, column.dates = float(self.ticks), self.dates
        if self.codes is not None:
            codes = np.ascontiguousarray(self.codes, dtype=np.int32)
            column.set_codes(codes, self.levels)
            keep.append(codes)
            return column
        cells = self.cells
        if cells.dtype.kind not in "biuf" or cells.dtype.itemsize > 8 or cells.dtype == np.float16 or (
                not cells.dtype.isnative or cells.strides[0] % cells.itemsize):
            cells = cells.astype(np.float64)
        column.set_cells(cells)
        keep.append(cells)
        if self.missing is not None:
            missing = np.ascontiguousarray(self.missing).astype(np.uint8)
            column.set_missing(missing)
            keep.append(missing)
        return column


def columns_of(X):
    """The columns of a table or an array."""
    if is_table(X):
        check_names(names_of(arrow_table(X) if is_arrow(X) else X))
    if is_pandas(X):
        return [_of_pandas(str(name), X.iloc[:, j]) for j, name in enumerate(X.columns)]
    if is_polars(X):
        return [_of_polars(s) for s in X.get_columns()]
    if is_arrow(X):
        table = arrow_table(X)
        return [_of_arrow(str(name), column) for name, column in zip(table.schema.names, table.columns)]
    if isinstance(X, np.ndarray) and X.dtype.kind in "biuf":
        return [Column(f"x{j}", X[:, j]) for j in range(X.shape[1])]
    cells = np.asarray(X, dtype=object)
    return [_of_objects(f"x{j}", cells[:, j]) for j in range(cells.shape[1])]


def _text(value):
    """The text of a level: 1 for 1.0, as a CSV file would hold it."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _refused(name, found):
    return ValueError(f"X: found {found} in column {name!r}, expected numbers, text, categories, booleans or dates")


def _of_times(name, values, dates):
    unit, step = np.datetime_data(values.dtype)
    if unit not in TICKS_PER_DAY or step != 1:
        kind = "datetime64" if dates else "timedelta64"
        values, unit = values.astype(f"{kind}[s]"), "s"
    return Column(name, values.view(np.int64), ticks=TICKS_PER_DAY[unit], dates=dates)


def _of_numpy(name, values):
    kind = values.dtype.kind
    if kind in "mM":
        return _of_times(name, values, kind == "M")
    if kind == "c":
        raise ValueError(f"X: Complex data not supported: found it in column {name!r}")
    return Column(name, values) if kind in "biuf" else _of_objects(name, values)


def _of_pandas(name, series):
    dtype = series.dtype
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        return Column(name, codes=series.cat.codes.to_numpy(), levels=[_text(v) for v in series.cat.categories],
                      category=True)
    if kind == "SparseDtype":
        return _of_pandas(name, series.sparse.to_dense())
    if kind == "DatetimeTZDtype":
        return _of_pandas(name, series.dt.tz_convert("UTC").dt.tz_localize(None))
    if kind == "PeriodDtype":
        return _of_pandas(name, series.dt.to_timestamp())
    if kind == "ArrowDtype":
        import pyarrow

        return _of_arrow(name, pyarrow.chunked_array(pyarrow.array(series.array, from_pandas=True)))
    if kind == "StringDtype" or kind == "IntervalDtype":
        codes, levels = series.factorize()
        return Column(name, codes=codes, levels=[_text(v) for v in levels])
    if isinstance(dtype, np.dtype):
        return _of_numpy(name, series.to_numpy())
    if getattr(dtype, "kind", "O") in "biuf":  # nullable
        missing = series.isna().to_numpy()
        if not missing.any():
            return Column(name, series.to_numpy(dtype=dtype.numpy_dtype))
        return Column(name, series.to_numpy(dtype=np.float64, na_value=np.nan))
    return _of_objects(name, series.to_numpy(dtype=object))


def _of_polars(series):
    name, dtype = series.name, series.dtype
    kind = str(dtype.base_type())
    missing = series.is_null().to_numpy() if series.null_count() else None
    if kind == "Boolean":
        return Column(name, series.fill_null(False).to_numpy(), missing)
    if kind == "Decimal":
        series, dtype = series.cast(float), None
    if kind == "Decimal" or dtype.is_float():
        return Column(name, series.to_numpy())
    if dtype.is_integer():
        return Column(name, (series.fill_null(0) if missing is not None else series).to_numpy(), missing)
    if kind in ("String", "Utf8", "Categorical", "Enum"):
        import polars

        texts = series.cast(polars.String)
        levels = texts.drop_nulls().unique(maintain_order=True)
        codes = np.full(len(series), -1, np.int32)
        if len(levels):
            places = polars.Series(range(len(levels)), dtype=polars.Int32)
            codes = texts.replace_strict(levels, places, default=-1, return_dtype=polars.Int32).fill_null(-1).to_numpy()
        return Column(name, codes=codes, levels=levels.to_list(), category=kind in ("Categorical", "Enum"))
    if kind in ("Date", "Datetime", "Duration"):
        return _of_times(name, series.to_numpy(), kind != "Duration")
    if kind == "Time":
        return Column(name, series.to_physical().fill_null(0).to_numpy(), missing)
    if kind == "Null":
        return Column(name, np.full(len(series), np.nan))
    if kind == "Object":
        return _of_objects(name, np.asarray(series.to_list(), dtype=object))
    raise _refused(name, kind)


def _of_arrow(name, column):
    import pyarrow as pa
    from pyarrow import types

    kind = column.type
    if types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        return _of_arrow_texts(name, column, True)
    if types.is_boolean(kind):
        column, kind = column.cast(pa.uint8()), pa.uint8()
    if types.is_decimal(kind) or types.is_float16(kind):
        column, kind = column.cast(pa.float64()), pa.float64()
    if types.is_null(kind):
        return Column(name, np.full(len(column), np.nan))
    if types.is_floating(kind) or types.is_integer(kind):
        if types.is_integer(kind) and column.null_count:
            column = column.cast(pa.float64(), safe=False)
        return Column(name, column.to_numpy())
    if types.is_date(kind) or types.is_timestamp(kind):
        column = column.cast(pa.timestamp("s") if types.is_date(kind) else pa.timestamp(kind.unit))
        return _of_times(name, column.to_numpy(), True)
    if types.is_duration(kind):
        return _of_times(name, column.to_numpy(), False)
    if types.is_time(kind):
        column = column.cast(pa.int64() if types.is_time64(kind) else pa.int32()).cast(pa.float64())
        return Column(name, column.to_numpy())
    text = str(kind)
    if "string" in text or "binary" in text:
        return _of_arrow_texts(name, column, False)
    raise _refused(name, text)


def _of_arrow_texts(name, column, category):
    import pyarrow as pa

    kind = str(column.type)
    if "string" in kind or "binary" in kind:
        column = column.cast(pa.large_string())
    coded = pa.chunked_array([column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column])
    coded = coded.dictionary_encode().combine_chunks()
    coded = coded.chunk(0) if isinstance(coded, pa.ChunkedArray) else coded
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Column(name, codes=codes, levels=[_text(v) for v in coded.dictionary.to_pylist()], category=category)


def is_missing(value):
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _of_objects(name, values):
    """A column of Python's objects, by what all of them are."""
    places, codes = {}, np.empty(len(values), np.int32)
    try:
        for i, value in enumerate(values):
            codes[i] = -1 if is_missing(value) else places.setdefault(value, len(places))
    except TypeError as unhashable:
        raise _refused(name, type(value).__name__) from unhashable
    found = list(places)

    def all_are(*kinds):
        return all(isinstance(value, kinds) for value in found)

    if any(isinstance(value, (complex, np.complexfloating)) for value in found):
        raise ValueError(f"X: Complex data not supported: found it in column {name!r}")
    if all_are(numbers.Number, np.bool_):
        return Column(name, np.append(np.asarray(found, dtype=np.float64), np.nan)[codes])
    if all_are(datetime.date, np.datetime64):
        moments = [value.astimezone(datetime.timezone.utc).replace(tzinfo=None) if getattr(value, "tzinfo", None) else value
                   for value in found]
        return _of_times(name, np.append(np.asarray(moments, "datetime64[us]"), np.datetime64("NaT", "us"))[codes], True)
    if all_are(datetime.timedelta, np.timedelta64):
        spans = np.append(np.asarray(found, "timedelta64[us]"), np.timedelta64("NaT", "us"))
        return _of_times(name, spans[codes], False)
    if all_are(str, bytes, numbers.Number, np.bool_):
        return Column(name, codes=codes, levels=[_text(value) for value in found])
    strange = next(v for v in found if not isinstance(v, (str, bytes, numbers.Number, np.bool_)))
    raise _refused(name, type(strange).__name__)


def shuffled(column, order):
    """The column with its cells in another order, or some of them."""
    at = lambda cells: None if cells is None else np.asarray(cells)[order]  # noqa: E731
    return Column(column.name, at(column.cells), at(column.missing), at(column.codes), column.levels, column.category,
                  column.ticks, column.dates)


class Gathered:
    """The columns of tables that come in batches, one below the other."""

    def __init__(self):
        self._parts, self.rows = None, 0

    def add(self, X):
        columns = columns_of(X)
        if self._parts is None:
            self._parts = [[] for _ in columns]
            self.names = [column.name for column in columns]
        names = [column.name for column in columns]
        if names != self.names:
            raise ValueError(f"X: found a batch of the columns {names} after batches of {self.names}")
        for parts, column in zip(self._parts, columns):
            parts.append(column)
        self.rows += len(columns[0].codes if columns[0].codes is not None else columns[0].cells)

    def columns(self):
        return [_joined(parts) for parts in self._parts]


def _is_empty(column):
    if column.codes is not None:
        return bool((np.asarray(column.codes) < 0).all())
    return column.ticks == 0 and column.cells.dtype.kind == "f" and bool(np.isnan(column.cells).all())


def _joined(parts):
    """One column of several; those without a cell are of any kind."""
    known = [part for part in parts if not _is_empty(part)] or parts[:1]
    first = known[0]
    if any((part.codes is None) != (first.codes is None) or bool(part.ticks) != bool(first.ticks) for part in known):
        raise ValueError(f"X: found numbers, text or dates in column {first.name!r} after batches of another kind")
    if first.codes is not None:
        places, codes = {}, []
        for part in parts:
            if part.codes is None:
                codes.append(np.full(len(part.cells), -1, np.int32))
                continue
            to = np.asarray([places.setdefault(level, len(places)) for level in part.levels] + [-1], np.int32)
            codes.append(to[np.asarray(part.codes)])
        return Column(first.name, codes=np.concatenate(codes), levels=list(places), category=first.category)
    if first.ticks:
        ticks = max(part.ticks for part in known)
        none = np.iinfo(np.int64).min
        cells = []
        for part in parts:
            if not part.ticks:
                cells.append(np.full(len(part.codes if part.codes is not None else part.cells), none))
            else:
                cells.append(np.where(part.cells == none, none, part.cells * int(ticks // part.ticks)))
        return Column(first.name, np.concatenate(cells), ticks=ticks, dates=first.dates)
    cells = [np.full(len(part.codes), np.nan) if part.codes is not None
             else part.cells if part.missing is None else np.where(part.missing, np.nan, part.cells) for part in parts]
    return Column(first.name, np.concatenate(cells))


def _frame(columns, rows, named, source):
    frame, keep = _core.Frame(), []
    frame.source, frame.rows, frame.named = source, rows, named
    frame.columns = [column.told(keep) for column in columns]
    return frame, keep


def _shape_of(X):
    """Columns of X, its rows, and whether the columns have names."""
    if isinstance(X, tuple):  # columns, rows and whether they have names
        return X
    if isinstance(X, Gathered):
        return X.columns(), X.rows, True
    if is_arrow(X):
        X = arrow_table(X)
    return columns_of(X), X.num_rows if hasattr(X, "num_rows") else len(X), is_table(X)


def frame_schema(X, names):
    """The schema that a CSV file of an array's numbers would have: the means that stand for missing cells among it."""
    columns = columns_of(X)
    for column, name in zip(columns, names):
        column.name = str(name)
    frame, keep = _frame(columns, X.shape[0], True, "X")
    return _core.frame_rows(frame, _core.RowsOptions(), keep).schema


def training_rows(X, targets=None, target_names=None, labels=None, weights=None, names=None, source="X"):
    """Rows to learn from: of a table, of gathered batches, or of an array whose columns may have names."""
    columns, rows, named = _shape_of(X)
    if names is not None:
        named = True
        for column, name in zip(columns, names):
            column.name = str(name)
    frame, keep = _frame(columns, rows, named, source)
    _set_targets(frame, keep, targets, weights)
    if targets is not None:
        frame.target_names = [] if target_names is None else [str(name) for name in target_names]
        frame.labels = [] if labels is None else list(labels)
    return _core.frame_rows(frame, _core.RowsOptions(), keep)


def _set_targets(frame, keep, targets, weights):
    """Codes of targets and weights, which the list `keep` holds as long as the rows."""
    if targets is not None:
        keep.append(np.ascontiguousarray(np.asarray(targets).reshape(frame.rows, -1), dtype=np.float64))
        frame.set_targets(keep[-1])
    if weights is not None:
        keep.append(np.ascontiguousarray(weights, dtype=np.float64))
        frame.set_weights(keep[-1])


def new_rows(X, schema, source="X", targets=None, weights=None):
    """Rows of a table or array for a model with this schema; with targets those that it learns on."""
    columns, rows, named = _shape_of(X)
    schema = _core.Schema(schema)
    frame, keep = _frame(columns, rows, named, source)
    _set_targets(frame, keep, targets, weights)
    return _core.frame_rows(frame, schema, keep)


def warn_of_ignored(schema):
    ignored = [column.name for column in schema.columns if column.kind == _core.Column.Kind.ignored]
    if ignored:
        frame, depth = sys._getframe(1), 1
        while frame.f_back and frame.f_globals.get("__name__", "").startswith(("bochner", "sklearn")):
            frame, depth = frame.f_back, depth + 1
        warnings.warn(f"X: ignored {', '.join(ignored)}: nearly every row has a text of its own; a column of categories "
                      "is kept (astype('category'))", UserWarning, stacklevel=depth + 1)
