"""A matrix of distances on disk: tiles that survive a crash, digests that find damage, and no link that is followed."""
