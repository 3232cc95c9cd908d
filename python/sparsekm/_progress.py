"""Progress of a training: functions and progress bars."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, TypeVar

import numpy as np

_Fit = TypeVar("_Fit", bound=Callable[..., Any])
_SHAPE = "{l_bar}{bar}| {elapsed}{postfix}"


def is_bar(progress: Any) -> bool:
    """Whether this is a progress bar that someone has made, which belongs to its screen."""
    return hasattr(progress, "update") and not isinstance(progress, type)


def _makes_bars(progress: Any) -> bool:
    made = progress.func if isinstance(progress, functools.partial) else progress
    return isinstance(made, type) and hasattr(made, "update")


class Teller:
    """Tells progress to whoever asked for it, and remembers whether they stopped the training and what they raised."""

    def __init__(self, progress: Any, verbose: int) -> None:
        if progress is not None and not callable(progress) and not is_bar(progress):
            raise TypeError(f"progress: found {progress!r}, want a function, or a class or object like tqdm")
        self.stopped = False
        self.raised: BaseException | None = None
        self._progress: Any = progress
        self._verbose = verbose
        self._own = _makes_bars(progress)  # the bar is made, and closed, here
        self._bar: Any = self._bar_of(progress)
        self._done = 0.0

    @staticmethod
    def _bar_of(progress: Any) -> Any:
        return progress if is_bar(progress) else None

    @property
    def asked(self) -> bool:
        """Whether anyone wants to know."""
        return self._progress is not None or bool(self._verbose)

    def __call__(self, done: float, message: str) -> bool:
        """Tell, and return whether the training shall stop; what is raised stops it, and raise_again raises it."""
        try:
            if self._verbose:
                share = "" if done < 0 else f"{100 * done:3.0f} % "
                print(f"[sparsekm] {share}{message}", file=sys.stdout, flush=True)
            if self._own or self._bar is not None:
                self._advance(done, message)
            elif self._progress is not None:
                answer = self._progress(None if done < 0 else done, message)
                self.stopped = self.stopped or isinstance(answer, (bool, np.bool_)) and bool(answer)
        except BaseException as error:  # it must not pass through C
            self.raised = error
        return self.stopped or self.raised is not None

    def _advance(self, done: float, message: str) -> None:
        if self._bar is None:
            self._bar = self._progress(total=100, bar_format=_SHAPE)
        if getattr(self._bar, "total", None) is None:
            self._bar.total = 100
        if hasattr(self._bar, "set_postfix_str"):
            self._bar.set_postfix_str(message, refresh=False)
        if done > self._done:  # submodels and folds may begin again
            self._bar.update(self._bar.total * (done - self._done))
            self._done = done
        elif hasattr(self._bar, "refresh"):
            self._bar.refresh()

    def end(self, complete: bool) -> None:
        """Fill a bar, unless the training ended early, and close it if it was made here."""
        try:
            if self._bar is not None and complete and self._done < 1:
                self._bar.update(self._bar.total * (1 - self._done))
        except Exception as error:
            self.raised = self.raised or error
        finally:
            if self._own and self._bar is not None:
                self._bar.close()

    def raise_again(self) -> None:
        """Raise what was raised while telling, in the thread that asked."""
        if self.raised is not None:
            raise self.raised


def telling(fit: _Fit) -> _Fit:
    """Give a method fit the progress of its estimator.

    A progress function that returns True stops the training, and so does one that raises. Both leave the estimator
    fitted with the model so far; what was raised is raised by fit, at its end.
    """
    @functools.wraps(fit)
    def told(self: Any, *arguments: Any, **how: Any) -> Any:
        teller = Teller(self.progress, self.verbose)
        self._teller = teller
        complete = False
        try:
            result = fit(self, *arguments, **how)
            complete = not teller.stopped and teller.raised is None
        except TimeoutError:  # before there was a model
            if teller.raised is not None:
                raise teller.raised from None
            raise
        finally:
            del self._teller
            teller.end(complete)
        teller.raise_again()
        return result

    return told  # type: ignore[return-value]
