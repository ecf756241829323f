"""Exact nearest neighbours under RPW; see `rpw.many.index`, where the work is done."""

from rpw.many.index import Index, SearchStats

__all__ = ["Index", "SearchStats"]
