"""A matrix of distances on disk: tiles that survive a crash, and digests that find damage."""
