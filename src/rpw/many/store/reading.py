"""What `rpw.pairwise` returns with ``out``: a Zarr array whose chunks are verified whenever they are read.

This module needs Zarr, and is imported only where there is one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any

import zarr
from zarr.abc.store import ByteRequest, OffsetByteRequest, RangeByteRequest, SuffixByteRequest
from zarr.core.buffer import Buffer, BufferPrototype, default_buffer_prototype
from zarr.storage import LocalStore

from rpw.many.store.digests import Chunks

__all__ = ["open_verified"]

_PATIENCE, _MOMENT = 2.0, 0.002  # seconds


def open_verified(chunks: Chunks) -> Any:
    """The array, opened for reading."""
    return zarr.open_array(_VerifiedStore(chunks), mode="r")


class _VerifiedStore(LocalStore):
    """A folder of which Zarr reads no chunk that is not as it was written."""

    def __init__(self, chunks: Chunks) -> None:
        super().__init__(chunks.tree.root, read_only=True)
        self._chunks = chunks
        self._under_way = 0  # chunks being read

    def with_read_only(self, read_only: bool = False) -> Any:
        """Itself; there is no way to write."""
        if not read_only:
            raise ValueError(f"{self.root} is open for reading: rpw.pairwise alone writes to it")
        return _VerifiedStore(self._chunks)

    def get_sync(
        self, key: str, *, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """The bytes under a key, as Zarr asks for them."""
        names = key.split("/")
        chunk = self._chunks.chunk_at(*names)
        data = self._chunks.tree.read(*names) if chunk is None else self._chunks.read(chunk)
        if data is None:
            return None
        return (prototype or default_buffer_prototype()).buffer.from_bytes(data[_range(byte_range, len(data))])

    async def get(
        self, key: str, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """The same, without holding up what else is being read."""
        self._under_way += 1
        try:
            return await asyncio.to_thread(self.get_sync, key, prototype=prototype, byte_range=byte_range)
        except Exception as error:
            failure = error
        finally:
            self._under_way -= 1
        await self._let_others_end()
        raise failure

    async def _let_others_end(self) -> None:
        """Wait for what Zarr reads at the same time. It does not cancel that when one chunk fails, and if Python ended
        meanwhile, asyncio would print a page about each."""
        before, patience = None, time.monotonic() + _PATIENCE
        while time.monotonic() < patience:
            tasks = asyncio.all_tasks()
            if self._under_way == 0 and tasks == before:
                return
            before = tasks
            await asyncio.sleep(_MOMENT)

    async def get_partial_values(
        self, prototype: BufferPrototype, key_ranges: Iterable[tuple[str, ByteRequest | None]]
    ) -> list[Buffer | None]:
        """The same for several keys."""
        return [await self.get(key, prototype, byte_range) for key, byte_range in key_ranges]


def _range(request: ByteRequest | None, length: int) -> slice:
    if isinstance(request, RangeByteRequest):
        return slice(request.start, request.end)
    if isinstance(request, OffsetByteRequest):
        return slice(request.offset, None)
    if isinstance(request, SuffixByteRequest):
        return slice(max(0, length - request.suffix), None)
    return slice(None)
