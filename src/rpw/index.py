"""Exact nearest neighbours under RPW."""

from rpw.many.index import Index, SearchStats

__all__ = ["Index", "SearchStats"]
