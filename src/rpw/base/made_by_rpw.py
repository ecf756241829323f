"""Classes whose objects only rpw makes: what their constructors take is nobody's business."""

from __future__ import annotations

from inspect import Signature

__all__ = ["NO_PARAMETERS"]


class _NoParameters:
    """A signature without parameters, of the class alone: objects that can be called have their own."""

    def __get__(self, instance: object, owner: type) -> Signature:
        if instance is not None:
            raise AttributeError("__signature__")
        return Signature()


# ``__signature__ = NO_PARAMETERS`` in a class hides its constructor from `help`, editors and Sphinx.
NO_PARAMETERS = _NoParameters()
