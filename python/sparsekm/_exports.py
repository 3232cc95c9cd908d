"""Models as programs and texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._model import Model


class Exports:
    """Gives an estimator with a model the methods that write it. A model of a table takes its features (columns_)."""

    _single = False  # whether C has single precision unless it is told

    def _model_of(self) -> Model:
        raise NotImplementedError

    def to_c(self, name: str = "model", float: bool | None = None, fixed: bool = False) -> str:
        """Return the model as a header of C.

        Parameters
        ----------
        name : str, default="model"
            Beginning of the names in it.
        float : bool, optional
            Single precision; False is double. None is True for distilled models, else False.
        fixed : bool, default=False
            Integers of 16 and 32 bits in their place, in emlearn's form; the header has a bound of the differences.

        Returns
        -------
        str
            A header without dependencies, with ``static inline`` functions.
        """
        single = self._single if float is None else float
        return self._model_of().export("c", name=name, float=single and not fixed, fixed=fixed).decode()

    def to_go(self, name: str = "model") -> str:
        """Return the model as a file of Go.

        Parameters
        ----------
        name : str, default="model"
            Name of the package.

        Returns
        -------
        str
            A file that imports nothing but the standard library.
        """
        return self._model_of().export("go", name=name).decode()

    def to_onnx(self, name: str = "model") -> bytes:
        """Return the model as an ONNX graph of plain operators in double precision.

        Parameters
        ----------
        name : str, default="model"
            Name of the graph.

        Returns
        -------
        bytes
            A file of ONNX.
        """
        return self._model_of().export("onnx", name=name)

    def to_json(self) -> str:
        """Return the model as JSON, as a file of save with the ending .json has it.

        Returns
        -------
        str
            An object, which docs/model.schema.json describes.
        """
        return self._model_of().to_bytes("json").decode()
