"""Who computes the values of pairs. One backend for each way; executors only schedule them.

To add one, write a class with the methods of `protocol.Backend` in a module of its own, and choose it in `choice`.
"""
