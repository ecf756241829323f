"""Files in and out: one reader for each format, and one writer that leaves a file whole or not at all."""
