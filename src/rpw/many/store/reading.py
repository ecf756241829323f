"""What `rpw.pairwise` returns with ``out``: a Zarr array whose chunks are verified whenever they are read.

This module needs Zarr, and is imported only where there is one.
"""

from __future__ import annotations

import asyncio
from typing import Any

import zarr
from zarr.abc.store import ByteRequest
from zarr.core.buffer import Buffer, BufferPrototype
from zarr.storage import LocalStore

from rpw.many.store.chunks import Chunks


def open_verified(chunks: Chunks) -> Any:
    """The array, opened for reading."""
    return zarr.open_array(_VerifiedStore(chunks), mode="r")


class _VerifiedStore(LocalStore):
    """A folder of which Zarr reads no chunk that is not as it was written."""

    def __init__(self, chunks: Chunks) -> None:
        super().__init__(chunks.folder.resolve(), read_only=True)
        self._chunks = chunks

    def get_sync(
        self, key: str, *, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        self._chunks.check(key)
        return super().get_sync(key, prototype=prototype, byte_range=byte_range)

    async def get(
        self, key: str, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        await asyncio.to_thread(self._chunks.check, key)
        return await super().get(key, prototype, byte_range)
