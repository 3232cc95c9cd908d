"""Reports of trainings, which show themselves in notebooks."""

from __future__ import annotations

import html
from typing import Any

_STYLE = "border-collapse:collapse;font-family:sans-serif;font-size:0.9em"


class Report(dict[str, Any]):
    """A report as a dict of JSON values; in a notebook a table of its figures, with more to unfold.

    Examples
    --------
    >>> from sparsekm import SSVC
    >>> report = SSVC("svc", gamma=1.0).fit([[0.0], [1.0]], [3, 4]).report_
    >>> report["status"], "<td>optimal</td>" in report._repr_html_()
    ('optimal', True)
    """

    def _repr_html_(self) -> str:
        parts = [_table({k: v for k, v in self.items() if not isinstance(v, (list, dict)) and v is not None})]
        for model in self.get("submodels") or []:
            if isinstance(model, dict) and isinstance(model.get("report"), dict):
                parts.append(_unfolded(_head(model), _table(_flat(model["report"]))))
        curve = self.get("curve")
        if curve and all(isinstance(row, dict) for row in curve):
            parts.append(_unfolded("sizes", _rows(curve)))
        for name in ("compared", "setting", "kernel", "held_out"):
            if isinstance(self.get(name), dict):
                parts.append(_unfolded(name, _table(_flat(self[name]))))
        return f'<div class="sparsekm-report">{"".join(parts)}</div>'


def _head(model: dict[str, Any]) -> str:
    classes = [str(model[name]) for name in ("positive", "negative") if model.get(name)]
    return "submodel" + (f" {' against '.join(classes)}" if classes else "")


def _flat(values: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Return the numbers and texts of nested dicts, with dots in their names."""
    out: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            out |= _flat(value, f"{before}{name}.")
        elif not isinstance(value, list) and value is not None:
            out[before + name] = value
    return out


def _text(value: Any) -> str:
    return html.escape(f"{value:.6g}" if isinstance(value, float) else str(value))


def _table(values: dict[str, Any]) -> str:
    rows = (f'<tr><th style="text-align:left;padding-right:1em">{_text(k)}</th><td>{_text(v)}</td></tr>'
            for k, v in values.items())
    return f'<table style="{_STYLE}">{"".join(rows)}</table>'


def _rows(rows: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{_text(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{_text(row.get(name, ''))}</td>" for name in names) + "</tr>" for row in rows)
    return f'<table style="{_STYLE}"><tr>{head}</tr>{body}</table>'


def _unfolded(title: str, inside: str) -> str:
    return f"<details><summary>{html.escape(title)}</summary>{inside}</details>"
