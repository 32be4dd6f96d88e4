# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Pictures of explanations: one row as a waterfall, one column's values against its cells."""

import numpy as np

from bochner import _core
from bochner._display import Display


def _of_output(explanation, output):
    """Values and bases of one score, and its name; None: there is one score."""
    values, base = np.asarray(explanation.values), np.asarray(explanation.base_values)
    if values.ndim == 2:
        return values, np.broadcast_to(base, len(values)), None
    names = [str(name) for name in explanation.output_names]
    if output is None or str(output) not in names:
        raise ValueError(f"output: found {output!r}, expected one of {', '.join(names)}")
    at = names.index(str(output))
    return values[..., at], base[..., at], names[at]


def _cell_text(cell):
    return f"{cell:.6g}" if isinstance(cell, (int, float, np.number)) else str(cell)


def _signed(value):
    return f"{value:+.3g}".replace("-", "\N{MINUS SIGN}")


class WaterfallDisplay(Display):
    """How the base value becomes the score of one row: what each column adds, the largest first.

    Parameters
    ----------
    names : list of str
        Names of the columns, with their cells where they are known.
    values : ndarray
        Shapley value of each column.
    base_value : float
        The mean score over the background. Base and values add up to the score.
    output : str or None
        Which score it is, of several.
    """

    def __init__(self, *, names, values, base_value, output=None):
        self.names = names
        self.values = values
        self.base_value = base_value
        self.output = output

    @classmethod
    def from_estimator(cls, estimator, X, background=None, *, row=0, output=None, ax=None, **options):
        """Explains row number ``row`` of X and draws it. output : of several scores the name of one, a class, say.
        options : those of ``estimator.explain``."""
        rows = X.iloc[[row]] if hasattr(X, "iloc") else X[[row]]
        found = estimator.explain(rows, X if background is None and not _keeps_background(estimator) else background,
                                  **options)
        return cls.from_explanation(found, output=output, ax=ax)

    @classmethod
    def from_explanation(cls, explanation, *, row=0, output=None, ax=None):
        """Draws one row of what ``explain`` returned."""
        values, base, name = _of_output(explanation, output)
        names = [str(column) for column in explanation.feature_names]
        if getattr(explanation, "data", None) is not None and np.shape(explanation.data)[1:] == (len(names),):
            names = [f"{column} = {_cell_text(cell)}" for column, cell in zip(names, explanation.data[row])]
        return cls(names=names, values=values[row], base_value=float(base[row]), output=name).plot(ax)

    def plot(self, ax=None, *, most=12):
        """Draws a bar a column. most : int, default=12: bars at most; the last is then the sum of all others."""
        ax = self._axes(ax)
        order = np.argsort(-np.abs(self.values), kind="stable")
        shown = order[: most - 1] if len(order) > most else order
        names, steps = [self.names[j] for j in shown], list(self.values[shown])
        if len(order) > most:
            names.append(f"{len(order) - len(shown)} other columns")
            steps.append(self.values[order[most - 1:]].sum())
        ends = self.base_value + np.cumsum(steps)
        starts = np.concatenate([[self.base_value], ends[:-1]])
        places = np.arange(1, len(steps) + 1)
        self.bars_ = ax.barh(places, steps, left=starts, color=["C0" if step >= 0 else "C1" for step in steps])
        for place, start, end, step in zip(places, starts, ends, steps):
            ax.annotate(_signed(step), (max(start, end), place), xytext=(4, 0), textcoords="offset points", va="center",
                        fontsize="small")
        ax.vlines(starts, places - 1, places, color="0.5", linewidth=0.8)
        score = self.base_value + np.sum(self.values)
        for place, level, name in ((0, self.base_value, "base"), (len(steps) + 1, score, "score")):
            ax.plot([level], [place], marker="D", color="0.3")
            ax.annotate(f"{name} {level:.4g}", (level, place), xytext=(8, 0), textcoords="offset points", va="center")
        ax.set_yticks(places, names)
        ax.set(ylim=(len(steps) + 1.6, -0.6), xlabel="score" if self.output is None else f"score of {self.output}")
        ax.use_sticky_edges = False
        ax.margins(x=0.18)
        return self


def _keeps_background(estimator):
    return bool(getattr(getattr(estimator, "model_", None), "has_background", False))


class DependenceDisplay(Display):
    """What a column adds to the score against its cells, a point a row.

    Parameters
    ----------
    name : str
        The column.
    cells, values : ndarray
        Its cell and its Shapley value in each row.
    partner : str or None
        The column that the points are coloured by.
    partner_cells : ndarray or None
        Its cells.
    """

    def __init__(self, *, name, cells, values, partner=None, partner_cells=None):
        self.name = name
        self.cells = cells
        self.values = values
        self.partner = partner
        self.partner_cells = partner_cells

    @classmethod
    def from_estimator(cls, estimator, X, column, background=None, *, color_by="auto", output=None, ax=None, **options):
        """Explains X and draws a column, given by its name or its number. output : of several scores the name of one.
        options : those of ``estimator.explain``.

        color_by : str, int or None, default="auto": the column of the colours; auto: the one whose cells shift these
        values most among rows of about the same cells."""
        return cls.from_explanation(estimator.explain(X, background, **options), column, color_by=color_by,
                                    output=output, ax=ax)

    @classmethod
    def from_explanation(cls, explanation, column, *, color_by="auto", output=None, ax=None):
        """Draws a column of what ``explain`` returned for an array or a table."""
        names = [str(name) for name in explanation.feature_names]
        cells = None if getattr(explanation, "data", None) is None else np.asarray(explanation.data, dtype=object)
        if cells is None or cells.shape[1:] != (len(names),):
            raise ValueError("explanation: found no cells of its columns, expected one of an array or a table")
        values = _of_output(explanation, output)[0]
        j = _column_of("column", column, names)
        other = _column_of("color_by", color_by, names) if color_by not in ("auto", None) else None
        if isinstance(color_by, str) and color_by == "auto":
            other = _core.strongest_partner(names, np.column_stack([_codes(column) for column in cells.T]), values, j)
        return cls(name=names[j], cells=_plain(cells[:, j]), values=values[:, j],
                   partner=None if other is None else names[other],
                   partner_cells=None if other is None else _plain(cells[:, other])).plot(ax)

    def plot(self, ax=None):
        """Draws a point a row. ax : matplotlib axes, default=None: of a new figure."""
        ax = self._axes(ax)
        ax.axhline(0, color="0.7", linewidth=0.8, zorder=0)
        colors = None if self.partner is None else _ranks(self.partner_cells)
        look = {} if colors is None else {"c": colors, "cmap": "viridis", "vmin": 0, "vmax": 1}
        self.points_ = ax.scatter(self.cells, self.values, s=10, **look)
        if self.partner is not None:
            bar = ax.figure.colorbar(self.points_, ax=ax, ticks=[0, 1])
            ordered = self.partner_cells[np.argsort(colors, kind="stable")]
            bar.ax.set_yticklabels([_cell_text(ordered[0]), _cell_text(ordered[-1])])
            bar.set_label(self.partner)
        ax.set(xlabel=self.name, ylabel="adds to the score")
        return self


def _column_of(argument, column, names):
    found = names.index(column) if column in names else column
    if not isinstance(found, (int, np.integer)) or not 0 <= found < len(names):
        raise ValueError(f"{argument}: found {column!r}, expected one of {', '.join(names)}, or its number")
    return int(found)


def _plain(cells):
    """Numbers as float, anything else as text."""
    try:
        return np.asarray(cells, dtype=float)
    except (TypeError, ValueError):
        return np.array([str(cell) for cell in cells])


def _codes(cells):
    """Numbers as float, anything else as its place in the order of the texts."""
    plain = _plain(cells)
    return plain if plain.dtype.kind == "f" else np.unique(plain, return_inverse=True)[1].astype(float)


def _ranks(cells):
    """Ranks of cells, from 0 to 1; equal cells share theirs."""
    known, place = np.unique(cells, return_inverse=True)
    ends = np.cumsum(np.bincount(place))
    middles = (np.concatenate([[0], ends[:-1]]) + ends - 1) / 2
    return middles[place] / max(1, len(cells) - 1)
